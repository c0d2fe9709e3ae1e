@testable import LogbookCore
import LogbookTestKit
import Testing

@Suite struct BatchEngineTests {
    /// What a sink says of its first batch, which holds three events, and what becomes of them.
    struct Miscount: Codable, Sendable {
        enum Kind: Codable, Sendable { case wroteOnly, refusedOne, dropped(of: Int) }

        var kind = Kind.wroteOnly
        let count: Int
        let written: [UInt64]
        let ledger: [UInt64]
        let remark: String

        var error: BatchWriteError {
            switch kind {
            case .wroteOnly: .wroteOnly(count: count, because: ScriptedFailure())
            case .refusedOne: .refusedOne(.oversize, after: count, because: ScriptedFailure())
            case .dropped(let total): .dropped(count: count, of: total, .oversize)
            }
        }
    }
    static let miscounts = [
        Miscount(count: 4, written: [], ledger: [3, 0], remark: "said that it wrote 4 of 3 events; it counts as 3"),
        Miscount(count: -1, written: [1, 2, 3], ledger: [3, 0], remark: "said that it wrote -1 of 3 events; it counts as 0"),
        refusal(after: 3, written: [], remark: "refused the event after 3 of 3; it counts as the one after 2"),
        refusal(after: .max, written: [], remark: "refused the event after \(Int.max) of 3; it counts as the one after 2"),
        refusal(after: -1, written: [2, 3], remark: "refused the event after -1 of 3; it counts as the one after 0"),
        drop(0, of: 0, written: [2, 3], dropped: 1, remark: "dropped 0 of the first 0 of 3 events; it counts as 1 of the first 1"),
        drop(9, of: 1, written: [2, 3], dropped: 1, remark: "dropped 9 of the first 1 of 3 events; it counts as 1 of the first 1"),
        drop(-1, of: 3, written: [], dropped: 0, remark: "dropped -1 of the first 3 of 3 events; it counts as 0 of the first 3"),
        drop(2, of: 9, written: [], dropped: 2, remark: "dropped 2 of the first 9 of 3 events; it counts as 2 of the first 3"),
    ]

    static func refusal(after count: Int, written: [UInt64], remark: String) -> Miscount {
        Miscount(kind: .refusedOne, count: count, written: written, ledger: [2, 1], remark: remark)
    }

    static func drop(_ count: Int, of total: Int, written: [UInt64], dropped: UInt64, remark: String) -> Miscount {
        Miscount(kind: .dropped(of: total), count: count, written: written, ledger: [3 - dropped, dropped], remark: remark)
    }

    @Test("a queue whose bytes run out waits for no company, as one does not whose places do")
    func aQueueThatIsHalfFullByItsBytes() {
        let sink = FailingSink { _ in nil }
        let policy = QueuePolicy(maximumBytes: 64 << 10, linger: .seconds(3600), overflow: .dropNewest)
        let provider = BatchingProvider(sink, policy: policy, name: "orders")
        let text = String(repeating: "x", count: 5000)
        for number in 1...8 as ClosedRange<UInt64> {
            provider.log(LogEvent(sequence: number, time: LogTime(nanoseconds: 0), level: .info, message: text))
        }
        #expect(becomesTrue { sink.written.count >= 7 })
    }

    @Test("a sink or a fallback that miscounts ends no program, and nothing is lost unseen", arguments: miscounts, [false, true])
    func aSinkThatMiscounts(miscount: Miscount, isFallback: Bool) async {
        await #expect(processExitsWith: .success) { [miscount = miscount as Miscount, isFallback = isFallback as Bool] in
            let said = Locked<[String]>([])
            LogDiagnostics.setHandler { remark in said.withLock { $0.append("\(remark)") } }
            let miscounting = FailingSink { call in call == 1 ? miscount.error : nil }
            let policy = QueuePolicy(
                linger: .seconds(3600), firstPause: .milliseconds(1), longestPause: .milliseconds(1), failureThreshold: 1)
            let provider = isFallback
                ? BatchingProvider(FailingSink { _ in ScriptedFailure() }, fallback: miscounting, policy: policy, name: "orders")
                : BatchingProvider(miscounting, policy: policy, name: "orders")
            for number in 1...3 { provider.log(BatchEngineTests.event(number)) }
            try provider.flush(by: .seconds(60))
            #expect(miscounting.written.map(\.sequence) == miscount.written)
            let dropped: [DropReason: UInt64] = miscount.ledger[1] == 0 ? [:] : [.oversize: miscount.ledger[1]]
            #expect(provider.ledger == LogLedger(submitted: 3, delivered: miscount.ledger[0], dropped: dropped))
            let origin = isFallback ? "logbook: orders, fallback: " : "logbook: orders: "
            #expect(said.withLock { $0 }.contains(origin + miscount.remark))
        }
    }

    static func event(_ number: Int) -> LogEvent {
        LogEvent(sequence: UInt64(number), time: LogTime(nanoseconds: 0), level: .info, message: "\(number)")
    }

    @Test("what a sink drops of a batch is told with the range of the events that it speaks of")
    func theRangeOfWhatIsDropped() throws {
        let sink = FailingSink { call in call == 1 ? BatchWriteError.dropped(count: 1, of: 2, .oversize) : nil }
        let provider = BatchingProvider(sink, policy: QueuePolicy(linger: .seconds(3600))), losses = LossWatch(tell: {})
        provider.watch(losses)
        for number in 1...5 { provider.log(Self.event(number)) }
        try provider.flush(by: .seconds(60))
        let runs = losses.take(at: 0, isLast: true).runs
        #expect(runs.map(\.0) == [.oversize])
        #expect(runs.map(\.1.count) == [1] && runs.map(\.1.sequences) == [1...2])
    }

    @Test("a queue that has no thread when its owner lets go of it gets one then, or counts what it holds", arguments: [true, false])
    func whatAQueueWithoutAThreadHolds(getsOne: Bool) throws {
        let isThere = Locked(false), sink = FailingSink { _ in nil }, losses = LossWatch(tell: {})
        do {
            let provider = BatchingProvider(
                sink, lineSink: nil, policy: QueuePolicy(), name: "threadless", clock: .system,
                startThread: { name, body in isThere.withLock { $0 } && LogThread.start(name, body) })
            provider.watch(losses)
            for number in 1...3 { provider.log(Self.event(number)) }
            isThere.withLock { $0 = getsOne }
        }
        if getsOne {
            #expect(becomesTrue { sink.written.map(\.sequence) == [1, 2, 3] })
        } else {
            let runs = losses.take(at: 0, isLast: true).runs
            #expect(runs.map(\.0) == [.providerTimeout])
            #expect(runs.map(\.1.count) == [3] && runs.map(\.1.sequences) == [1...3])
        }
    }
}
