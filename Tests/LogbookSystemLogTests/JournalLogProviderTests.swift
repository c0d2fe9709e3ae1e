import LogbookCore
import LogbookFormat
import LogbookTestKit
import Testing

@testable import LogbookSystemLog

struct JournalLogProviderTests {
    private let folder = TemporaryFolder()
    private var path: String { folder("socket") }

    private func provider(_ path: String? = nil, patience: Duration = .seconds(30), clock: LogClock = .system) throws -> JournalLogProvider {
        try JournalLogProvider(identifier: "checkout", socket: path ?? self.path, patience: patience, clock: clock)
    }

    private func event(_ message: String, _ metadata: LogMetadata = [:], sequence: UInt64 = 7) -> LogEvent {
        LogEvent(
            sequence: sequence, time: LogTime(nanoseconds: 1_763_720_960_123_456_789), level: .warning, message: message,
            metadata: metadata, thread: 12, source: LogSource(file: "Shop/Till.swift", function: "pay()", line: 34))
    }

    private func fields(_ message: FakeSystemLog.Message) throws -> [String] {
        try journalFields(message.bytes).map { "\($0.name)=\(String(decoding: $0.value, as: UTF8.self))" }
    }

    @Test func anEventIsItsFields() throws {
        let journal = FakeSystemLog(at: path), provider = try provider()
        provider.log(event("two\nlines", ["order.id": 42, "total": 1.5, "tags": ["a", "b"], "paid": true, "none": nil]))
        #expect(try fields(journal.messages(1)[0]) == [
            "MESSAGE=two\nlines", "PRIORITY=4", "SYSLOG_IDENTIFIER=checkout", "CODE_FILE=Shop/Till.swift", "CODE_LINE=34",
            "CODE_FUNC=pay()", "TID=12", "LOGBOOK_LEVEL=warning", "LOGBOOK_SEQUENCE=7",
            "LOGBOOK_TIME=2025-11-21T10:29:20.123456789Z", "ORDER_ID=42", "TOTAL=1.5", #"TAGS=["a","b"]"#, "PAID=true", "NONE=null",
        ])
        #expect(provider.ledger == LogLedger(submitted: 1, delivered: 1))
    }

    @Test func errorsAndTransactionsHaveFields() throws {
        let journal = FakeSystemLog(at: path), provider = try provider()
        let entry = TransactionEntry(
            transactionID: "TXN1-A", usecase: 1, kind: .happened(7), errorCode: -1001, errorDescription: "silent", device: .current)
        provider.log(
            LogEvent(
                sequence: 1, time: LogTime(nanoseconds: 0), level: .critical, message: "no payment", transaction: entry,
                error: LogErrorDetails(type: "PaymentError", description: "declined")))
        #expect(try fields(journal.messages(1)[0]) == [
            "MESSAGE=no payment: declined", "PRIORITY=2", "SYSLOG_IDENTIFIER=checkout", "LOGBOOK_LEVEL=critical", "LOGBOOK_SEQUENCE=1",
            "LOGBOOK_TIME=1970-01-01T00:00:00.000000000Z", "ERROR_TYPE=PaymentError", "ERROR_MESSAGE=declined", "TRANSACTION_ID=TXN1-A",
            "TRANSACTION_USECASE=1", "TRANSACTION_EVENT=7", "TRANSACTION_ERROR_CODE=-1001", "TRANSACTION_ERROR=silent",
        ])
    }

    @Test("S1: no key of the metadata can be taken for a field of the journal, or break out of its own", arguments: [
        ("order.id", "ORDER_ID"), ("message", "X_MESSAGE"), ("PRIORITY", "X_PRIORITY"), ("_pid", "X_PID"), ("1st", "X_1ST"), ("", "X_"),
        ("a=b\nMESSAGE", "A_B_MESSAGE"), ("logbook_level", "X_LOGBOOK_LEVEL"), ("größe", "GR____E"), ("transaction_id", "TRANSACTION_ID"),
        (String(repeating: "k", count: 99), String(repeating: "K", count: 64)),
    ])
    func namesOfFields(key: String, name: String) { #expect(JournalRecord.fieldName(of: key) == name) }

    @Test func whatIsTooLargeForADatagramGoesAsASealedFile() throws {
        let journal = FakeSystemLog(at: path), provider = try provider()
        let text = String(repeating: "0123456789", count: 100_000)
        provider.log(event(text))
        provider.log(event("small"))
        let messages = journal.messages(2)
        #expect(messages[0].isFile && !messages[1].isFile)
        #expect(messages[0].seals == 15)   // no more seals, no shrinking, no growing, no writing
        #expect(try journalFields(messages[0].bytes).first { $0.name == "MESSAGE" }?.value == Array(text.utf8))
    }

    @Test func whereNoJournalListensItSaysSo() {
        #expect(throws: SystemLogError.unreachable(address: path, reason: "connect: No such file or directory (errno 2)")) { try provider() }
        let long = folder(String(repeating: "n", count: 200))
        #expect(throws: SystemLogError.unreachable(address: long, reason: "connect: File name too long (errno 36)")) { try provider(long) }
    }

    @Test func aJournalThatWasRestartedIsFoundAgain() throws {
        let clock = ManualClock(now: LogTime(nanoseconds: 0))
        var journal = FakeSystemLog(at: path)
        let provider = try provider(clock: .manual(clock))
        provider.log(event("first"))
        #expect(journal.messages(1).count == 1)
        #expect(provider.latestFailure == nil)
        journal.stop()
        provider.log(event("lost"))
        #expect(provider.ledger == LogLedger(submitted: 2, delivered: 1, dropped: [.inputOutputError: 1]))
        #expect(provider.latestFailure?.hasPrefix("\(path) takes no messages: ") == true)
        journal = FakeSystemLog(at: path)
        // It is not asked again with every event.
        provider.log(event("lost too"))
        #expect(provider.ledger == LogLedger(submitted: 3, delivered: 1, dropped: [.inputOutputError: 2]))
        #expect(provider.latestFailure?.hasPrefix("\(path) takes no messages: ") == true)
        clock.advance(by: .seconds(1))
        provider.log(event("second"))
        #expect(provider.latestFailure == nil)
        journal.stop()
        journal = FakeSystemLog(at: path)
        provider.log(event("third"))   // the restart is not even noticed
        #expect(try fields(journal.messages(1)[0])[0] == "MESSAGE=third")
        #expect(provider.ledger == LogLedger(submitted: 5, delivered: 3, dropped: [.inputOutputError: 2]))
    }

    @Test func aJournalThatDoesNotReadHoldsUpOneEventAndNotThoseBehindIt() throws {
        let journal = FakeSystemLog(at: path), provider = try provider(patience: .milliseconds(1))
        journal.pause(true)
        var count = 0
        while provider.ledger?.dropped.isEmpty == true, count < 100_000 {
            provider.log(event("event \(count)", sequence: UInt64(count + 1)))
            count += 1
        }
        for _ in 0..<100 { provider.log(event("behind")) }
        let ledger = try #require(provider.ledger)
        #expect(ledger.dropped[.inputOutputError, default: 0] >= 2 && ledger.submitted == ledger.delivered + ledger.dropped.values.reduce(0, +))
        journal.pause(false)
        #expect(journal.messages(Int(ledger.delivered)).count == Int(ledger.delivered))
        provider.log(event("again"))
        #expect(provider.ledger?.delivered == ledger.delivered + 1)
    }

    /// Connected to a journal that stands still: there is no room when something is to be sent, and there is when that is waited for.
    private final class FullUntilAwaited: SystemLogConnection {
        private let socket: SystemSocket
        private let journal: FakeSystemLog
        private let looks = Locked(0)

        init(_ socket: SystemSocket, to journal: FakeSystemLog) {
            self.socket = socket
            self.journal = journal
        }
        /// Asked for by what sends a file, and then by what waits.
        var descriptor: Int32 {
            let look = looks.withLock { looks in
                looks += 1
                return looks
            }
            if look == 2 { journal.pause(false) }
            return socket.descriptor
        }
        func send(_ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int { try socket.send(bytes) }
        var isClosedByPeer: Bool { false }
        func finish(by deadline: LogDeadline) {}
    }

    @Test func whatGoesAsAFileWaitsForRoomAsWell() throws {
        let journal = FakeSystemLog(at: path, isPaused: true), socket = try SystemSocket.local(path)
        var waiting = 0
        while (try? [0x0A].withUnsafeBytes { try socket.send($0) }) != nil { waiting += 1 }
        let channel = SystemLogChannel(to: path, .datagramsOrMemory, patience: .seconds(60), clock: .system) { _ in
            FullUntilAwaited(socket, to: journal)
        }
        let message = [UInt8](repeating: 0x61, count: 1 << 20)
        try channel.send(message)
        let messages = journal.messages(waiting + 1)
        #expect(messages.last?.isFile == true && messages.last?.bytes == message)
    }

    @Test func aQueueOffersAgainWhatTheJournalDidNotTake() throws {
        var journal = FakeSystemLog(at: path)
        let provider = try provider(clock: .manual(ManualClock(now: LogTime(nanoseconds: 0))))
        let batch = (1...3).map { event("event \($0)", sequence: UInt64($0)) }
        journal.stop()
        do {
            try provider.write(batch)
            Issue.record("nobody listens")
        } catch BatchWriteError.wroteOnly(let count, because: _) { #expect(count == 0) }
        journal = FakeSystemLog(at: path)
        let another = try self.provider()
        try another.write(batch)
        #expect(try journal.messages(3).map { try fields($0)[0] } == ["MESSAGE=event 1", "MESSAGE=event 2", "MESSAGE=event 3"])
        another.close(by: .now)
        #expect(throws: BatchWriteError.self) { try another.write(batch) }
        another.log(batch[0])
        #expect(another.ledger == LogLedger(submitted: 1, dropped: [.alreadyShutDown: 1]))
    }

    @Test func conforms() async {
        let claims = ConformanceClaims(visibility: .whenLogReturns)
        let report = await ProviderConformance(claims, patience: .seconds(120)) {
            let folder = TemporaryFolder(), journal = FakeSystemLog(at: folder("socket"))
            let provider = try JournalLogProvider(
                identifier: nil, socket: folder("socket"), patience: .seconds(60), clock: .system)
            return ConformanceSpecimen(provider) {
                try withExtendedLifetime(folder) {
                    try journal.messages(Int(provider.ledger?.delivered ?? 0)).map { message in
                        let fields = try journalFields(message.bytes)
                        func text(_ name: String) -> String? {
                            fields.first { $0.name == name }.map { String(decoding: $0.value, as: UTF8.self) }
                        }
                        return RecordedEvent(
                            sequence: text("LOGBOOK_SEQUENCE").flatMap { UInt64($0) },
                            time: text("LOGBOOK_TIME").flatMap { ISO8601.time($0) },
                            level: text("LOGBOOK_LEVEL").flatMap { LogLevel(name: $0) }, message: text("MESSAGE"))
                    }
                }
            }
        }.run()
        #expect(report.findings.isEmpty, "\(report)")
    }
}
