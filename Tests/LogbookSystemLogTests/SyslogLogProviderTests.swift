import LogbookCore
import LogbookFormat
import LogbookTestKit
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@testable import LogbookSystemLog

struct SyslogLogProviderTests {
    private let folder = TemporaryFolder()
    private var path: String { folder("log") }

    private func provider(
        to receiver: SyslogReceiver? = nil, facility: SyslogFacility = .local0, application: String = "checkout", maximumBytes: Int = 8192,
        patience: Duration = .seconds(30), clock: LogClock = .system
    ) throws -> SyslogLogProvider {
        try SyslogLogProvider(
            to: receiver ?? .local(path: path, form: .rfc5424), facility: facility, host: "till 7", application: application, process: "4711",
            enterprise: 32473, maximumBytes: maximumBytes, patience: patience, clock: clock)
    }

    private func event(_ message: String, _ metadata: LogMetadata = [:], sequence: UInt64 = 7) -> LogEvent {
        LogEvent(
            sequence: sequence, time: LogTime(nanoseconds: 1_763_720_960_123_456_789), level: .warning, message: message,
            metadata: metadata, thread: 12, source: LogSource(file: "Shop/Till.swift", function: "pay()", line: 34))
    }

    private func text(_ message: FakeSystemLog.Message) -> String { String(decoding: message.bytes, as: UTF8.self) }

    @Test func anEventIsAMessageOfRFC5424() throws {
        let server = FakeSystemLog(at: path), provider = try provider()
        provider.log(event("took 12 ms", ["category": "net", "order": 42, "name": "a \"b\" ]\\", "tags": ["x"]]))
        #expect(text(server.messages(1)[0]) == """
            <132>1 2025-11-21T10:29:20.123456Z till_7 checkout 4711 net [meta sequenceId="7"]\
            [logbook@32473 level="warning" sequence="7" thread="12" file="Shop/Till.swift" line="34" function="pay()"]\
            [metadata@32473 order="42" name="a \\"b\\" \\]\\\\\\\\" tags="[\\"x\\"\\]"] took 12 ms
            """)
        provider.log(event("of another category", ["category": 42]))
        #expect(text(server.messages(2)[1]).contains(" - [meta ") && text(server.messages(2)[1]).contains(#"[metadata@32473 category="42"]"#))
        #expect(provider.ledger == LogLedger(submitted: 2, delivered: 2))
    }

    @Test func errorsAndTransactionsAreSaid() throws {
        let server = FakeSystemLog(at: path), provider = try provider(facility: .user)
        let entry = TransactionEntry(transactionID: "TXN1-A", usecase: 1, kind: .happened(7), errorCode: -1, device: .current)
        provider.log(
            LogEvent(
                sequence: 2_147_483_648, time: LogTime(nanoseconds: 0), level: .critical, message: "no payment", transaction: entry,
                error: LogErrorDetails(type: "PaymentError", description: "declined")))
        #expect(text(server.messages(1)[0]) == """
            <10>1 1970-01-01T00:00:00.000000Z till_7 checkout 4711 - [meta sequenceId="1"][logbook@32473 level="critical" \
            sequence="2147483648" error="PaymentError" transaction="TXN1-A" usecase="1" event="7" code="-1"] no payment: declined
            """)
    }

    @Test("S1, row 38: one event is one line, whatever it holds, and its head cannot be forged")
    func oneEventIsOneLine() throws {
        let server = FakeSystemLog(at: path), provider = try provider(application: "a b\n<0>1")
        provider.log(event("a\nb\u{1B}[31m\r\u{0}", ["k]=\" \n": "v\n\"]", "category": "c d\n"]))
        let line = text(server.messages(1)[0])
        #expect(line.hasSuffix(#"[metadata@32473 k_____="v\\n\"\]"] a\nb\u{1b}[31m\r\u{00}"#))
        #expect(line.contains(" a_b_<0>1 4711 c_d_ ["))
        #expect(line.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F })
    }

    @Test func whatIsTooLargeIsCutAndSaysSo() throws {
        let server = FakeSystemLog(at: path), provider = try provider(maximumBytes: 480)
        provider.log(event(String(repeating: "ü", count: 1000), ["order": 42]))
        provider.log(event("short", ["much": .string(String(repeating: "x", count: 1000))]))
        let messages = server.messages(2)
        #expect(messages[0].bytes.count <= 480 && messages[0].bytes.count > 476)
        #expect(text(messages[0]).hasSuffix("ü…") && text(messages[0]).contains(#"[metadata@32473 order="42"] üü"#))
        #expect(text(messages[1]).hasSuffix(#"function="pay()"] short"#))   // the text is worth more than what does not fit
        #expect(provider.ledger == LogLedger(submitted: 2, delivered: 2))
    }

    @Test("a head that would take the text's room says less", arguments: [60, 255])
    func theTextHasRoom(hostBytes: Int) throws {
        let message = try SyslogMessage(
            facility: .local7, host: String(repeating: "h", count: hostBytes), application: String(repeating: "a", count: 100),
            process: String(repeating: "9", count: 128), enterprise: 999_999_999, maximumBytes: 480)
        let long = String(repeating: "x\u{1B}", count: 200), text = String(repeating: "text ", count: 100)
        let entry = TransactionEntry(transactionID: long, usecase: .min, kind: .happened(.min), errorCode: .min, device: .current)
        let bytes = message.encode(
            LogEvent(
                sequence: .max, time: LogTime(nanoseconds: 0), level: .critical, message: text,
                metadata: ["category": .string(long), "order": 42], thread: .max,
                source: LogSource(fileNamed: long, functionNamed: long, line: .max), transaction: entry,
                error: LogErrorDetails(type: long, description: long)))
        #expect(bytes.count <= 480)
        #expect(String(decoding: bytes, as: UTF8.self).contains("] \(text.prefix(60))"))
    }

    @Test func theFunctionIsLeftOutFirst() throws {
        let message = try SyslogMessage(
            facility: .local0, host: String(repeating: "h", count: 60), application: "checkout", process: "4711", enterprise: 32473,
            maximumBytes: 480)
        let long = String(repeating: "x", count: 200)
        let bytes = message.encode(
            LogEvent(
                sequence: 7, time: LogTime(nanoseconds: 0), level: .warning, message: String(repeating: "text ", count: 100),
                source: LogSource(fileNamed: long, functionNamed: long, line: 34)))
        let line = String(decoding: bytes, as: UTF8.self)
        #expect(bytes.count <= 480)
        #expect(line.contains(#" file="\#(long.prefix(128))" line="34"] text text "#))
        #expect(!line.contains("function="))
    }

    @Test func whatTheHeadHoldsOfATextIsCountedInBytes() throws {
        let server = FakeSystemLog(at: path), provider = try provider()
        let source = LogSource(fileNamed: "Till.swift", functionNamed: "x" + String(repeating: "ü", count: 100), line: 34)
        provider.log(LogEvent(sequence: 7, time: LogTime(nanoseconds: 0), level: .warning, message: "text", source: source))
        #expect(text(server.messages(1)[0]).hasSuffix(#" function="x\#(String(repeating: "ü", count: 63))"] text"#))
    }

    @Test func anAddressThatCannotBeRightIsRefused() {
        #expect(throws: SystemLogError.invalid("the port of the syslog server must be 1 to 65535, and not 0")) {
            try SyslogLogProvider(to: .udp(host: "localhost", port: 0))
        }
        #expect(throws: SystemLogError.invalid("the name of the syslog server is empty or holds a NUL")) {
            try SyslogLogProvider(to: .tcp(host: ""))
        }
        #expect(throws: SystemLogError.invalid("a syslog message has 480 to 65507 bytes, and not 100")) {
            try SyslogLogProvider(to: .udp(host: "localhost"), maximumBytes: 100)
        }
        #expect(throws: SystemLogError.invalid("0 is no number of an enterprise")) {
            try SyslogLogProvider(to: .udp(host: "localhost"), enterprise: 0)
        }
        #expect(throws: SystemLogError.unreachable(address: path, reason: "connect: No such file or directory (errno 2)")) { try provider() }
    }

    @Test func datagramsGoOverTheNetwork() throws {
        let server = FakeSystemLog(), provider = try provider(to: .udp(host: "127.0.0.1", port: server.port))
        for number in 1...100 { provider.log(event("event \(number)")) }
        let messages = server.messages(100).map(text)
        #expect(messages.first?.hasSuffix("] event 1") == true && messages.last?.hasSuffix("] event 100") == true)
    }

    /// Over UDP, to the ports of this machine that are said to be the server's addresses.
    private func provider(toPorts ports: [Int], _ clock: ManualClock = ManualClock(now: LogTime(nanoseconds: 0))) throws -> SyslogLogProvider {
        let addresses = try ports.flatMap { try HostLookup("127.0.0.1", $0, isStream: false, clock: .system).addresses(by: .now) }
        return try SyslogLogProvider(
            to: .udp(host: "several"), facility: .user, host: "h", application: "a", process: "1", enterprise: 32473, maximumBytes: 8192,
            patience: .seconds(30), clock: .manual(clock), lookup: HostLookup(clock: .system) { () throws(SystemError) in addresses })
    }

    @Test("an address at which nobody takes datagrams is left for the next one, and not asked again")
    func anAddressThatRefusesDatagrams() throws {
        let server = FakeSystemLog(), provider = try provider(toPorts: [1, 2, server.port])
        // Here the kernel says it at once; where it does later, those before it are lost as UDP loses them.
        #expect(becomesTrue {
            provider.log(event("looking"))
            return !server.messages.isEmpty
        })
        for number in 1...100 { provider.log(event("event \(number)")) }
        #expect(becomesTrue { server.messages.last.map(text)?.hasSuffix("] event 100") == true })
        #expect(server.messages.map(text).filter { $0.contains("] event ") }.count == 100)
        let ledger = try #require(provider.ledger)
        #expect(ledger.submitted == ledger.delivered && provider.latestFailure == nil)
    }

    @Test("where nobody takes datagrams at any address, messages are counted as lost, and all are asked again after a second")
    func allAddressesRefuseDatagrams() throws {
        let clock = ManualClock(now: LogTime(nanoseconds: 0)), provider = try provider(toPorts: [1, 2], clock)
        for round in 1...2 {
            let dropped = provider.ledger?.droppedTotal ?? 0
            #expect(becomesTrue {
                provider.log(event("lost"))
                return provider.ledger?.droppedTotal ?? 0 > dropped
            }, "\(round)")
            let before = try #require(provider.ledger)
            for _ in 1...3 { provider.log(event("not tried")) }
            let after = try #require(provider.ledger)
            #expect(after.delivered == before.delivered && after.dropped[.inputOutputError] == after.droppedTotal)
            #expect(provider.latestFailure?.contains("udp://several:514 takes no messages: send: Connection refused") == true)
            clock.advance(by: .seconds(1))
        }
        #expect(throws: BatchWriteError.self) {
            for _ in 1...3 { try provider.write([event("offered again")]) }
        }
    }

    // MARK: Connections

    /// The messages of a stream, each with its length before it.
    private func frames(_ bytes: [UInt8]) -> [String] {
        var frames: [String] = [], rest = bytes[...]
        while let space = rest.firstIndex(of: 0x20), let count = Int(String(decoding: rest[..<space], as: UTF8.self)) {
            frames.append(String(decoding: rest[(space + 1)...].prefix(count), as: UTF8.self))
            rest = rest[(space + 1)...].dropFirst(count)
        }
        return frames
    }

    @Test func aConnectionIsKeptAndMadeAnewWhenItWasClosed() throws {
        let server = FrameServer()
        let provider = try provider(to: .tcp(host: "127.0.0.1", port: server.port))
        provider.log(event("first"))
        provider.log(event("second\nline"))
        #expect(server.wait { frames($0).count == 2 })
        #expect(frames(server.bytes).last?.hasSuffix(#"] second\nline"#) == true)
        #expect(server.connections == 1)

        server.closeConnections()
        provider.log(event("third"))
        #expect(server.wait { frames($0).count == 3 })
        #expect(server.connections == 2)
        #expect(provider.ledger == LogLedger(submitted: 3, delivered: 3))
    }

    @Test func aServerThatCannotBeReachedIsTriedAgainAfterASecond() throws {
        let clock = ManualClock(now: LogTime(nanoseconds: 0))
        let port = Int(try FreePorts.take(1)[0])
        let provider = try provider(to: .tcp(host: "127.0.0.1", port: port), clock: .manual(clock))
        provider.log(event("lost"))
        provider.log(event("lost"))
        #expect(provider.ledger == LogLedger(submitted: 2, dropped: [.inputOutputError: 2]))
        #expect(provider.latestFailure?.contains(" takes no messages: ") == true)
        let back = FrameServer(port: port)
        do {
            try provider.write([event("kept")])
            Issue.record("it is not asked so soon")
        } catch BatchWriteError.wroteOnly(count: 0, because: _) {}
        clock.advance(by: .seconds(1))
        try provider.write([event("kept")])
        #expect(back.wait { frames($0).count == 1 })
    }

    @Test("a server that ends connections as soon as it has them is given up for a second, and that is said")
    func aServerThatEndsConnectionsAtOnce() throws {
        let clock = ManualClock(now: LogTime(nanoseconds: 0)), server = FrameServer(endsAtOnce: true)
        let provider = try provider(to: .tcp(host: "127.0.0.1", port: server.port), clock: .manual(clock))
        for number in 1...2 {
            try provider.write([event("in the hands of the kernel")])
            #expect(server.waitForConnections(number))
        }
        for _ in 3...10 {
            do {
                try provider.write([event("refused")])
                Issue.record("it is taken for sent")
            } catch BatchWriteError.wroteOnly(count: 0, because: let reason) {
                #expect("\(reason)".contains("it ends connections at once"))
            }
        }
        #expect(server.connections == 2)
        clock.advance(by: .seconds(1))
        try provider.write([event("in the hands of the kernel")])
        #expect(server.waitForConnections(3))
        #expect(throws: BatchWriteError.self) { try provider.write([event("refused")]) }
        #expect(server.connections == 3)
    }

    /// A connection that takes nothing, and tells when it has gone.
    private final class Vanishing: SystemLogConnection {
        let descriptor: Int32 = -1
        private let hasGone: Locked<Bool>
        init(telling hasGone: Locked<Bool>) { self.hasGone = hasGone }
        deinit { hasGone.withLock { $0 = true } }
        func send(_ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int { throw SystemError(EPIPE, in: "send") }
        var isClosedByPeer: Bool { false }
        func finish(by deadline: LogDeadline) {}
    }

    /// A connection that takes no large messages.
    private final class Narrow: SystemLogConnection {
        let descriptor: Int32 = -1
        private let taken: Locked<[String]>
        init(_ taken: Locked<[String]>) { self.taken = taken }
        func send(_ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int {
            if bytes.count > 1000 { throw SystemError(EMSGSIZE, in: "send") }
            let text = String(decoding: bytes, as: UTF8.self)
            taken.withLock { $0.append(text) }
            return bytes.count
        }
        var isClosedByPeer: Bool { false }
        func finish(by deadline: LogDeadline) {}
    }

    @Test("one message of a queue that is too large is counted by the queue, and the others arrive")
    func oneThatIsTooLargeIsCounted() throws {
        let taken = Locked<[String]>([]), service = LogService()
        let provider = try SyslogLogProvider(
            to: "tcp://narrow.example:601", facility: .user, application: "a", enterprise: 32473, maximumBytes: 8192
        ) { Narrow(taken) }
        let registration = service.register(provider, delivery: .queued())
        service.info("said before")
        service.info("said \(String(repeating: "x", count: 2000))")
        service.info("said behind")
        service.shutdown(by: .seconds(30))
        let ledger = registration.ledger
        #expect(ledger.dropped == [.oversize: 1] && ledger.pending == 0)
        let lines = taken.withLock { $0 }.filter { $0.contains("] said ") }   // beside them it may be said that one is lost
        #expect(lines.count == 2 && lines.first?.hasSuffix("] said before") == true && lines.last?.hasSuffix("] said behind") == true)
    }

    /// Takes what it is given; with the second message somebody shuts the provider down.
    private final class EndingMidway: SystemLogConnection {
        let descriptor: Int32 = -1
        private let taken: Locked<Int>
        private let end: @Sendable () -> Void
        init(_ taken: Locked<Int>, _ end: @escaping @Sendable () -> Void) {
            self.taken = taken
            self.end = end
        }
        func send(_ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int {
            let count = taken.withLock { count in
                count += 1
                return count
            }
            if count == 2 { end() }
            return bytes.count
        }
        var isClosedByPeer: Bool { false }
        func finish(by deadline: LogDeadline) {}
    }

    @Test("of a batch in the middle of which the provider is shut down what was sent counts as delivered")
    func whatWasSentBeforeTheEndIsNotCountedAsLost() throws {
        let taken = Locked(0), ending = Locked<SyslogLogProvider?>(nil)
        let provider = try SyslogLogProvider(
            to: "tcp://ending.example:601", facility: .user, application: "a", enterprise: 32473, maximumBytes: 8192
        ) { EndingMidway(taken) { ending.withLock { $0 }?.shutdown(by: .now) } }
        ending.withLock { $0 = provider }
        defer { ending.withLock { $0 = nil } }
        let queue = BatchingProvider(provider, policy: QueuePolicy(batchCount: 5, linger: .seconds(60)))
        for number in 1...5 { queue.log(event("event \(number)", sequence: UInt64(number))) }
        try? queue.flush(by: .seconds(30))
        #expect(taken.withLock { $0 } == 2)
        #expect(queue.ledger == LogLedger(submitted: 5, delivered: 2, dropped: [.alreadyShutDown: 3]))
    }

    @Test("52: a shutdown does not wait for a connection that is being made; who waits for it is counted", arguments: [true, false])
    func theShutdownKeepsItsDeadline(isConnectedInTheEnd: Bool) throws {
        let silence = Gate(), hasGone = Locked(false), isShutDown = Locked(false), ended = Monitor(0), waiting = event("waits")
        defer { silence.open() }
        let provider = try SyslogLogProvider(
            to: "tcp://silent.example:601", facility: .user, application: "a", enterprise: 32473, maximumBytes: 8192
        ) {
            silence.wait()
            if isConnectedInTheEnd { return Vanishing(telling: hasGone) }
            throw SystemError(ETIMEDOUT, in: "getaddrinfo")
        }
        for _ in 1...2 {
            LogThread.start("logger") {
                provider.log(waiting)
                ended.withLock { access in
                    access.value += 1
                    access.broadcast()
                }
            }
        }
        #expect(silence.waitForArrivals(1))
        LogThread.start("closer") {
            for _ in 1...2 { provider.shutdown(by: .milliseconds(100)) }
            isShutDown.withLock { $0 = true }
        }
        #expect(becomesTrue(by: .seconds(20)) { isShutDown.withLock { $0 } })

        silence.open()
        let deadline = LogDeadline.seconds(60)
        ended.withLock { access in while access.value < 2 && access.wait(until: deadline) {} }
        let dropped: [DropReason: UInt64] = isConnectedInTheEnd ? [.alreadyShutDown: 2] : [.alreadyShutDown: 1, .inputOutputError: 1]
        #expect(provider.ledger == LogLedger(submitted: 2, dropped: dropped))
        #expect(hasGone.withLock { $0 } == isConnectedInTheEnd)
        #expect(throws: BatchWriteError.self) { try provider.write([waiting]) }
    }

    @Test func aServerThatNeverStopsTalkingHoldsNobodyUp() throws {
        let server = FrameServer()
        let provider = try provider(to: .tcp(host: "127.0.0.1", port: server.port))
        let events = (1...100).map { event("event \($0)") }
        LogThread.start("logger") { for event in events { provider.log(event) } }
        #expect(server.talk { frames($0).count == 100 })
        withExtendedLifetime(provider) {}
    }

    @Test func aServerThatDoesNotReadLosesNothingItBeganToTake() throws {
        let server = FrameServer()
        server.pause(true)
        let provider = try provider(to: .tcp(host: "127.0.0.1", port: server.port), maximumBytes: 65507, patience: .milliseconds(1))
        let large = String(repeating: "x", count: 60_000)
        var count = 0
        while provider.ledger?.dropped.isEmpty == true, count < 10_000 {
            provider.log(event(large, sequence: UInt64(count + 1)))
            count += 1
        }
        #expect(count < 10_000)
        server.pause(false)
        // The message that was sent in part has cost the connection, and is whole in the next one or counted.
        let stalled = try #require(provider.ledger).delivered, deadline = LogDeadline.seconds(60)
        while provider.ledger?.delivered == stalled, !deadline.hasPassed { provider.log(event("the last")) }
        let ledger = try #require(provider.ledger)
        #expect(ledger.submitted == ledger.delivered + ledger.dropped.values.reduce(0, +))
        // What the first connection still held comes beside it.
        #expect(server.wait { String(decoding: $0, as: UTF8.self).contains("] the last") })
    }

    @Test func conforms() async {
        var claims = ConformanceClaims(visibility: .whenLogReturns)
        claims.largestMessage = 30_000
        claims.timeResolution = .microseconds(1)
        let report = await ProviderConformance(claims, patience: .seconds(120)) {
            let folder = TemporaryFolder(), server = FakeSystemLog(at: folder("log"))
            let provider = try SyslogLogProvider(
                to: .local(path: folder("log"), form: .rfc5424), facility: .user, host: "h", application: "a", process: "1", enterprise: 32473,
                maximumBytes: 65507, patience: .seconds(60), clock: .system)
            return ConformanceSpecimen(provider) {
                try withExtendedLifetime(folder) {
                    try server.messages(Int(provider.ledger?.delivered ?? 0)).map { try Self.recorded($0.bytes) }
                }
            }
        }.run()
        #expect(report.findings.isEmpty, "\(report)")
    }

    private static func recorded(_ bytes: [UInt8]) throws -> RecordedEvent {
        let line = String(decoding: bytes, as: UTF8.self)
        let words = line.split(separator: " ", maxSplits: 6, omittingEmptySubsequences: false)
        guard words.count == 7, let level = words[6].firstMatch(of: /level="([a-z]+)" sequence="(\d+)"/) else {
            throw ScriptedFailure("no message of RFC 5424: \(line)")
        }
        // Behind the structured data, whose values may hold brackets that are escaped.
        var isEscaped = false, isQuoted = false, isInElement = false
        let end = words[6].utf8.firstIndex { byte in
            if isEscaped { isEscaped = false; return false }
            switch byte {
            case 0x5C where isQuoted: isEscaped = true
            case 0x22: isQuoted.toggle()
            case 0x5B where !isQuoted: isInElement = true
            case 0x5D where !isQuoted: isInElement = false
            case 0x20 where !isInElement: return true
            default: break
            }
            return false
        }
        let text = end.map { String(words[6][$0...].dropFirst()) } ?? ""
        return RecordedEvent(
            sequence: UInt64(level.2), time: ISO8601.time(words[1]), level: LogLevel(name: String(level.1)),
            message: unescapedLine(text))
    }
}
