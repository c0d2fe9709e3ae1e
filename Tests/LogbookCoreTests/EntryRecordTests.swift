@testable import LogbookCore
import LogbookTestKit
import Testing

/// A queue hears of transactions what an immediate provider hears, whichever way their entries take.
@Suite struct EntryRecordTests {
    let device = DeviceFacts(make: "x86_64", os: "Debian", osVersion: "12")
    let phone = DeviceFacts(make: "iPhone7,2", os: "iPhone OS", osVersion: "8.1.2")

    /// What a provider hears of everything that can be said of transactions.
    /// - Parameter delivery: Its own.
    func heard(_ delivery: LogDelivery) -> [LogEvent] {
        let clock = ManualClock(now: LogTime(nanoseconds: 1_000)), provider = RecordingProvider()
        let service = LogService(device: device, clock: .manual(clock), randomness: .seeded(7))
        service.register(provider, delivery: delivery)
        let first = service.transaction(usecase: 17), second = service.transaction(usecase: .min)
        for event in [0, -1, 1, .max, .min, 1 << 40] {
            first.log(event)
            second.log(event, error: event)
            clock.advance(by: .milliseconds(3))
        }
        service.info("no entry")
        first.log(3, error: -42, "Baad!")
        first.log(3, "Baad!")
        service.transaction(continuing: "TXN1-FROM-AFAR", usecase: 1, device: phone).log(3)
        let most = EntryRecord.maximumIDBytes
        for bytes in [0, 1, 7, 8, 9, most - 1, most, most + 1, 5_000] {
            let id = String(repeating: "ä", count: bytes / 2) + String(repeating: "x", count: bytes % 2)
            #expect(id.utf8.count == bytes)
            LogTransaction(id: id, usecase: 5, service: service).log(1)
        }
        LogService.with(["order": 9]) { first.log(4) }
        LogService.withLevel(.verbose) { first.log(5) }
        let others = (1...40).map { service.transaction(usecase: $0) }
        for other in others + others.reversed() { other.log(6) }
        second.log(7)
        #expect(service.flush(by: .seconds(30)).isComplete)
        return provider.events
    }

    @Test func aQueueHearsWhatAnImmediateProviderHears() {
        let queued = heard(.queued()), atOnce = heard(.immediate)
        #expect(queued.count == 2 + 12 + 1 + 2 + 1 + 9 + 2 + 120 + 1)
        #expect(queued.map(\.sequence) == queued.indices.map { UInt64($0 + 1) })
        #expect(zip(queued, atOnce).filter { $0 != $1 }.map(\.0.message) == [])
        #expect(queued.compactMap { $0.transaction?.uptime } == atOnce.compactMap { $0.transaction?.uptime })
        #expect(queued.compactMap { $0.transaction?.madeAt } == atOnce.compactMap { $0.transaction?.madeAt })
        #expect(queued.allSatisfy { ($0.transaction?.madeAt == nil) == ($0.transaction == nil) })
        #expect(queued.count == atOnce.count)
    }

    @Test func aRecordHoldsWhatWasWritten() {
        let id = (0..<EntryRecord.maximumIDBytes).map { UInt8($0) }
        for bytes in [0, 1, 8, EntryRecord.maximumIDBytes] {
            for kind in [TransactionEntry.Kind.began, .happened(.min), .happened(0)] {
                for code in [nil, 0, Int.min, .max] {
                    let size = EntryRecord.bytes(idBytes: bytes)
                    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: size / 8 + 1) { words in
                        words.update(repeating: 0xDEAD_BEEF_DEAD_BEEF)
                        id.prefix(bytes).withUnsafeBufferPointer {
                            EntryRecord(usecase: .min, kind: kind, errorCode: code, uptime: .max, madeAt: 7)
                                .write($0, to: words.baseAddress!)
                        }
                        let read = EntryRecord(words.baseAddress!)
                        #expect(read.usecase == .min && read.kind == kind && read.errorCode == code)
                        #expect(read.uptime == .max && read.madeAt == 7)
                        #expect(EntryRecord.id(in: words.baseAddress!).elementsEqual(id.prefix(bytes)))
                        #expect(words[size / 8] == 0xDEAD_BEEF_DEAD_BEEF)
                    }
                }
            }
        }
    }

    @Test func whoHearsEntriesAlonePassesOverTheRest() {
        let entries = RecordingProvider(interest: .transactionEntries), quiet = RecordingProvider()
        let service = LogService()
        let heard = service.register(entries, from: .critical, delivery: .queued())
        let unheard = service.register(quiet, from: .warning, delivery: .queued())
        let transaction = service.transaction(usecase: 1)
        service.error("no entry")
        transaction.log(1)
        transaction.log(2, error: 3)
        #expect(service.flush(by: .seconds(30)).isComplete)
        #expect(entries.events.compactMap(\.transaction?.kind) == [.began, .happened(1), .happened(2)])
        #expect(quiet.messages == ["no entry", "\(transaction.id) event 2, error 3"])
        #expect(heard.unheard == LogUnheard(interest: 1))
        #expect(unheard.unheard == LogUnheard(level: 2))
    }

    @Test func whatDependsOnTheEntryIsStillDecidedByIt() {
        let filtered = RecordingProvider(interest: .transactionEntries), ruled = RecordingProvider(), service = LogService()
        let registration = service.register(filtered, delivery: .queued())
        registration.filter = .text(containing: "event 2")
        let other = service.register(ruled, from: .critical, delivery: .queued())
        other.levels["LogbookCoreTests"] = .info
        let transaction = service.transaction(usecase: 1)
        for event in 1...3 { transaction.log(event) }
        #expect(service.flush(by: .seconds(30)).isComplete)
        #expect(filtered.events.compactMap(\.transaction?.event) == [2])
        #expect(ruled.events.compactMap(\.transaction?.kind) == [.began, .happened(1), .happened(2), .happened(3)])
        #expect(registration.unheard.filter == 3)
    }

    @Test func whatDoesNotFitIsCounted() {
        let sink = GatedSink(), service = LogService(clock: .manual(ManualClock(now: LogTime(nanoseconds: 0))))
        let policy = QueuePolicy(capacity: 4, reservedCapacity: 0, batchCount: 1, linger: .zero, overflow: .dropNewest)
        let registration = service.register(sink: sink, queue: policy)
        let transaction = service.transaction(usecase: 1)
        for event in 1...1_000 { transaction.log(event) }
        #expect(registration.ledger.submitted == 1_001)
        sink.gate.open()
        #expect(service.flush(by: .seconds(30)).isComplete)
        let ledger = registration.ledger, written = sink.inner.written
        #expect(ledger.delivered == UInt64(written.count) && ledger.delivered < 1_001)
        #expect(ledger.delivered + (ledger.dropped[.queueFull] ?? 0) == 1_001)
        #expect(written.map(\.sequence) == written.map(\.sequence).sorted())
    }

    @Test func whatFindsTheQueuesFullIsCounted() {
        let sink = GatedSink(), service = LogService(clock: .manual(ManualClock(now: LogTime(nanoseconds: 0))))
        let registration = service.register(sink: sink, queue: QueuePolicy(capacity: 16, batchCount: 4, overflow: .block(upTo: .zero)))
        let transaction = service.transaction(usecase: 1)
        for event in 1...20_000 { transaction.log(event) }
        sink.gate.open()
        #expect(service.flush(by: .seconds(30)).isComplete)
        let ledger = registration.ledger, events = sink.inner.written.compactMap(\.transaction?.event)
        #expect(ledger.submitted == 20_001 && ledger.delivered < 20_001)
        #expect(ledger.delivered + ledger.dropped.values.reduce(0, +) == ledger.submitted)
        #expect(events == events.sorted())
    }

    @Test func entriesOfManyThreadsStayInOrder() async {
        let provider = RecordingProvider(interest: .transactionEntries), service = LogService()
        service.register(provider, delivery: .queued(QueuePolicy(overflow: .block(upTo: .seconds(60)))))
        await withTaskGroup(of: Void.self) { group in
            for _ in 1...4 {
                group.addTask {
                    for _ in 1...20 {
                        let transaction = service.transaction(usecase: 2)
                        for event in 1...50 { transaction.log(event) }
                    }
                }
            }
        }
        #expect(service.flush(by: .seconds(60)).isComplete)
        let transactions = Dictionary(grouping: provider.events.compactMap(\.transaction), by: \.transactionID)
        #expect(transactions.count == 80)
        #expect(transactions.values.allSatisfy { $0.map(\.kind) == [.began] + (1...50).map { .happened($0) } })
    }
}
