import LogbookCore
import LogbookDelivery
import LogbookFormat
import LogbookHTTP
import LogbookRemote
import LogbookTestKit
import Testing

@Suite struct LineSenderTests {
    let collector = FakeCollector()

    /// Gives the text in pieces of that size.
    final class Text: Sendable {
        private let rest: Locked<ArraySlice<UInt8>>
        private let piece: Int
        init(_ text: String, piece: Int = .max) {
            rest = Locked(Array(text.utf8)[...])
            self.piece = piece
        }
        init(bytes: [UInt8]) {
            rest = Locked(bytes[...])
            piece = .max
        }
        func read(_ maximum: Int) -> [UInt8] {
            rest.withLock { rest in
                defer { rest = rest.dropFirst(min(maximum, piece)) }
                return Array(rest.prefix(min(maximum, piece)))
            }
        }
    }

    func sender(_ transport: any HTTPTransport, _ text: Text, deadLetters: DeadLetterFolder? = nil) -> LineSender {
        LineSender(
            to: .collector(url: "http://127.0.0.1:1"), origin: LogOrigin(installation: "S", epoch: 1),
            delivery: DeliveryPolicy(firstPause: .milliseconds(1), longestPause: .milliseconds(2)), transport: transport,
            deadLetters: deadLetters) { text.read($0) }
    }

    @Test("every line becomes an event, whatever its format, however the input is cut", arguments: [1, 7, 1000])
    func everyLineBecomesAnEvent(piece: Int) throws {
        let known = JSONLineFormat(origin: LogOrigin(installation: "I", epoch: 7)).string(for: .numbered(42))
        let logfmt = LogfmtFormat().string(for: .numbered(3, .warning, message: "of logfmt"))
        let transport = collector.willing()
        let sender = sender(transport, Text("plain text\r\n\n" + known + logfmt + "no newline at the end", piece: piece))
        try sender.send(by: .seconds(60))
        #expect(collector.received == ["plain text", "event 42", "of logfmt", "no newline at the end"])
        let lines = transport.requests.flatMap { FakeCollector.lines($0) }
        #expect(lines.map { $0["installation"] } == ["S", "I", "S", "S"].map { .string($0) })
        #expect(lines.map { $0["sequence"] } == [.integer(1), .integer(42), .integer(3), .integer(4)])
        #expect(lines[2]["level"] == .string("warning"))
        #expect(sender.ledger == LogLedger(submitted: 4, delivered: 4))
    }

    @Test("a line of logfmt of which an event would not say all is its message; one of which it does is that event", arguments: [
        ("time=2026-11-21T09:29:20Z level=INFO msg=x version=1.10", false), ("time=2026-11-21T09:29:20Z level=INFO msg=x id=1 id=2", false),
        ("time=2026-11-21T09:29:20Z level=INFO msg=x iccid=89490200001234567890", false),
        ("time=2026-11-21T09:29:20Z level=INFO msg=x line=17 func=load", false), ("time=2026-11-21T09:29:20Z level=INFO msg=x device.os=Linux", false),
        (#"time=2026-11-21T09:29:20Z level=INFO msg=x data="{\"a\": 1.10}""#, false),
        (#"time=2026-11-21T09:29:20.5+01:00 level=WARN msg="x" user=jane n=7 ok=true v="1.10" f=0.5"#, true),
    ])
    func linesOfAnotherLogfmt(line: String, isEvent: Bool) throws {
        let transport = collector.willing()
        try sender(transport, Text(line + "\n")).send(by: .seconds(60))
        let sent = try #require(transport.requests.flatMap { FakeCollector.lines($0) }.first)
        #expect(sent["message"] == .string(isEvent ? "x" : line))
        #expect(sent["level"] == .string(isEvent ? "warning" : "info"))
        #expect(sent["time"].map { "\($0)".contains("2026-11-21T0") } == true)
        if isEvent {
            let members: [(String, JSONValue)] = [
                ("user", .string("jane")), ("n", .integer(7)), ("ok", .bool(true)), ("v", .string("1.10")), ("f", .double(0.5)),
            ]
            #expect(sent["metadata"] == .object(members.map { JSONMember(key: $0, value: $1) }))
        }
    }

    @Test("a line of another program that looks like our text is its message, with time and level; one of ours is its event", arguments: [
        (#"2026-11-21 10:29:20 error C:\new"#, nil), ("2026-11-21T10:29:20Z error x\ta=1 a=2", nil),
        ("2026-11-21T10:29:20.123456Z error x\tversion=1.10", nil), ("2026-11-21T10:29:20Z error x\tid=89490200001234567890", nil),
        ("2026-11-21 10:29:20 error [main] x", nil), ("2026-11-21 10:29:20 error  two blanks", " two blanks"),
        ("2026-11-21 10:29:20 error disk full", "disk full"), ("2026-11-21T10:29:20Z error [A.swift:7 f()] x\ta=1", "x"),
        ("2026-11-21T11:29:20.123456+01:00 error [A.swift f()] x", "x"), (#"2026-11-21T10:29:20.123456Z error one\ntwo"#, "one\ntwo"),
    ] as [(String, String?)])
    func linesOfAnothersText(line: String, message: String?) throws {
        let transport = collector.willing()
        try sender(transport, Text(line + "\n")).send(by: .seconds(60))
        let sent = try #require(transport.requests.flatMap { FakeCollector.lines($0) }.first)
        #expect(sent["message"] == .string(message ?? line) && sent["level"] == .string("error"))
        #expect(sent["time"].map { "\($0)".contains("2026-11-21T10:29:20") } == true)
        let isWhole = message == nil
        #expect(!isWhole || sent["metadata"] == nil && sent["file"] == nil)
        #expect((sent["file"] == .string("A.swift")) == line.contains("A.swift"))
    }

    @Test func everythingArrivesOfALineOfAnotherECSLibrary() throws {
        let line =
            #"{"@timestamp":"2026-11-21T10:29:20.123Z","log.level":"ERROR","message":"no payment","log.logger":"shop.Till","#
            + #""trace.id":"4bf9","error.type":"Declined","error.stack_trace":"at pay(Till.java:34)","user.id":7,"#
            + #""iccid":89490200001234567890}"#
        let transport = collector.willing()
        try sender(transport, Text(line)).send(by: .seconds(60))
        let sent = try #require(transport.requests.flatMap { FakeCollector.lines($0) }.first)
        #expect(sent["time"] == .string("2026-11-21T10:29:20.123000000Z") && sent["level"] == .string("error"))
        #expect(sent["message"] == .string("no payment") && sent["error"]?["type"] == .string("Declined"))
        let metadata = sent["metadata"]
        #expect(metadata?["error.stack_trace"] == .string("at pay(Till.java:34)") && metadata?["trace.id"] == .string("4bf9"))
        #expect(metadata?["log.logger"] == .string("shop.Till") && metadata?["user.id"] == .integer(7))
        #expect(metadata?["iccid"] == .string("89490200001234567890"))
    }

    @Test("what others have added to a JSON line of ours is metadata, and a line with a key keeps it", arguments: [true, false])
    func everythingArrivesOfALineThatOthersHaveAddedTo(hasKey: Bool) throws {
        let event = LogEvent(
            sequence: 42, time: Sample.time, level: .warning, message: "slow", metadata: ["user": "jane"],
            source: LogSource(fileNamed: "A.swift", functionNamed: "f()", line: 7))
        let added = #","host":"n1","user":"bob","error":{"type":"T","message":"m","code":4},"pod":{"ip":null},"none":null,"id":89490200001234567890}"#
        let line = JSONLineFormat(origin: hasKey ? LogOrigin(installation: "I", epoch: 7) : nil).string(for: event)
        let transport = collector.willing()
        try sender(transport, Text(line.dropLast(2) + added)).send(by: .seconds(60))
        let sent = try #require(transport.requests.flatMap { FakeCollector.lines($0) }.first)
        #expect(sent["message"] == .string("slow") && sent["level"] == .string("warning") && sent["file"] == .string("A.swift"))
        #expect(sent["installation"] == .string(hasKey ? "I" : "S") && sent["sequence"] == .integer(hasKey ? 42 : 1))
        #expect(sent["error"]?["type"] == .string("T"))
        let error = JSONValue.object([
            JSONMember(key: "type", value: .string("T")), JSONMember(key: "message", value: .string("m")),
            JSONMember(key: "code", value: .integer(4)),
        ])
        let members: [(String, JSONValue)] = [
            ("user", .string("jane")), ("host", .string("n1")), ("user_2", .string("bob")), ("error", error),
            ("pod", .object([JSONMember(key: "ip", value: .null)])), ("id", .string("89490200001234567890")),
        ]
        #expect(sent["metadata"] == .object(members.map { JSONMember(key: $0, value: $1) }))
    }

    @Test func aLineOfWhichAnEventWouldBeCutGoesAsText() throws {
        let deep = String(repeating: "[", count: 28) + String(repeating: "]", count: 28)
        let line = #"{"@timestamp":"2026-11-21T10:29:20Z","log.level":"error","message":"deep","deep":\#(deep)}"#
        try sender(collector.willing(), Text(line)).send(by: .seconds(60))
        #expect(collector.received == [line])
    }

    @Test func aByteThatIsNoUTF8IsSeen() throws {
        let bytes = Array("caf".utf8) + [0xE9, 0x0A, 0xFC, 0x0A] + Array("größer".utf8)
        try sender(collector.willing(), Text(bytes: bytes)).send(by: .seconds(60))
        #expect(collector.received == [#"caf\xE9"#, #"\xFC"#, "größer"])
    }

    @Test func whatIsSentTwiceIsStoredOnce() throws {
        let text = (1...500).map { JSONLineFormat(origin: Sample.origin).string(for: .numbered($0)) }.joined()
        for _ in 1...2 { try sender(collector.willing(), Text(text)).send(by: .seconds(60)) }
        #expect(collector.received == (1...500).map { "event \($0)" })
        #expect(collector.arrivals.allSatisfy { $0 == 2 })
    }

    @Test(arguments: [("a\n\nb", ["a", "b"]), ("a\r\n\r\nb\r", ["a", "b"]), ("a\rb\n", ["a\rb"])])
    func emptyLinesAreNoneAndAReturnAtTheEndIsNoPartOfALine(input: String, expected: [String]) throws {
        try sender(collector.willing(), Text(input)).send(by: .seconds(60))
        #expect(collector.received == expected)
    }

    @Test(arguments: ["", "\n\n", "\r\n\r"])
    func nothingIsSentOfAnEmptyInput(input: String) throws {
        let transport = collector.willing(), sender = sender(transport, Text(input))
        try sender.send(by: .seconds(60))
        #expect(transport.requests.isEmpty && sender.ledger == LogLedger())
    }

    @Test("41, 44, 45: failures are tried again, a poison line is set aside, and what is too large is split")
    func aDifficultReceiver() throws {
        let folder = TemporaryFolder(), letters = try DeadLetterFolder(at: folder.path + "/dead")
        let transport = ScriptedTransport { [collector] number, request in
            if number % 5 == 1 { return .status(503) }
            let lines = FakeCollector.lines(request)
            if lines.count > 400 { return .status(413) }
            return lines.contains { $0["message"] == .string("line 2222") } ? .status(400) : .answer(collector.acknowledge(request))
        }
        let sender = sender(transport, Text((1...3000).map { "line \($0)\n" }.joined()), deadLetters: letters)
        try sender.send(by: .seconds(60))
        #expect(collector.received == (1...3000).filter { $0 != 2222 }.map { "line \($0)" })
        #expect(collector.arrivals.allSatisfy { $0 == 1 })
        #expect(sender.ledger == LogLedger(submitted: 3000, delivered: 2999, dropped: [.rejectedByServer: 1]))
        #expect(letters.count == 1)
    }

    @Test("bytes are settled when the receiver has their lines, or has refused them, and not when they are read")
    func bytesAreSettledWithTheirLines() throws {
        let text = (1...3000).map { "line \(4000 + $0)\n" }.joined(), size = text.utf8.count
        let seen = Locked<[Int]>([]), watched = Locked<LineSender?>(nil)
        let transport = ScriptedTransport { [collector] _, request in
            if let sender = watched.withLock({ $0 }) { seen.withLock { $0.append(sender.settledBytes) } }
            let isPoison = FakeCollector.lines(request).contains { $0["message"] == .string("line 6000") }
            return isPoison && FakeCollector.lines(request).count == 1 ? .status(400)
                : isPoison ? .status(413) : .answer(collector.acknowledge(request))
        }
        let sender = sender(transport, Text(text))
        watched.withLock { $0 = sender }
        #expect(sender.settledBytes == 0)
        try sender.send(by: .seconds(60))
        watched.withLock { $0 = nil }
        let places = seen.withLock { $0 }
        #expect(places.first == 0 && places.contains(size / 3) && places.last == size / 3 * 2 && places == places.sorted())
        #expect(sender.settledBytes == size && sender.bytes == size)
        #expect(sender.ledger == LogLedger(submitted: 3000, delivered: 2999, dropped: [.rejectedByServer: 1]))
    }

    @Test func aReceiverThatRefusesUsEndsIt() {
        let sender = sender(ScriptedTransport(.status(401)), Text("one\ntwo\n"))
        #expect {
            try sender.send(by: .seconds(60))
        } throws: { error in
            guard case .misconfigured? = error as? CourierError else { return false }
            return true
        }
        #expect(sender.ledger.pending == 2)
    }

    private static let patience = Duration.milliseconds(20)

    @Test("patience is for the receiver, since it took something: lines that come more slowly than that all arrive")
    func patienceBeginsAnew() throws {
        let clock = ManualClock(now: LogTime(nanoseconds: 0)), rest = Locked(["one\n", "two\n", "three\n", "four\n"])
        let transport = ScriptedTransport { [collector] _, request in
            clock.advance(by: .milliseconds(15))
            return .answer(collector.acknowledge(request))
        }
        let sender = LineSender(to: .collector(url: "http://127.0.0.1:1"), transport: transport, clock: .manual(clock)) { _ in
            // Both clocks go on for longer than that.
            let silence = LogDeadline.after(Self.patience)
            _ = becomesTrue { silence.hasPassed }
            clock.advance(by: .seconds(1))
            return rest.withLock { rest in rest.isEmpty ? [] : Array(rest.removeFirst().utf8) }
        }
        try sender.send(patience: Self.patience)
        #expect(collector.received == ["one", "two", "three", "four"])
        #expect(sender.isAtEnd && sender.lineCount == 4)
    }

    @Test func patienceEndsWithAReceiverThatTakesNothing() {
        let clock = ManualClock(now: LogTime(nanoseconds: 0)), text = Text("one\n\ntwo\n")
        let transport = ScriptedTransport { _, _ in
            clock.advance(by: Self.patience)
            return .status(503)
        }
        let sender = LineSender(to: .collector(url: "http://127.0.0.1:1"), transport: transport, clock: .manual(clock)) {
            text.read($0)
        }
        #expect {
            try sender.send(patience: Self.patience)
        } throws: { error in
            guard case .deadlinePassed? = error as? CourierError else { return false }
            return true
        }
        #expect(sender.ledger == LogLedger(submitted: 2))
        #expect(!sender.isAtEnd && sender.lineCount == 3)
    }

    @Test("a line that is too long comes in pieces with keys of their own, and only its beginning is read as a line")
    func aLineThatIsTooLong() throws {
        let long = "2026-11-21T10:29:20.123456Z warning " + String(repeating: "€", count: 800_000)
        let cut = Locked<[UInt64]>([]), text = Text("one\r\n\n\(long)\ntwo\n"), transport = collector.willing()
        let sender = LineSender(
            to: .collector(url: "http://127.0.0.1:1"), origin: LogOrigin(installation: "S", epoch: 1), transport: transport,
            onCut: { line in cut.withLock { $0.append(line) } }) { text.read($0) }
        try sender.send(by: .seconds(60))
        #expect(collector.received.count == 5 && collector.received.first == "one" && collector.received.last == "two")
        let pieces = collector.received.dropFirst().dropLast()
        #expect(long.hasSuffix(pieces.joined()) && pieces.joined().hasPrefix("€"))
        #expect(pieces.allSatisfy { $0.utf8.count <= LineSender.maximumLineBytes })
        let lines = transport.requests.flatMap { FakeCollector.lines($0) }
        #expect(lines.map { $0["sequence"] } == [.integer(1), .integer(2), .integer(3), .integer(4), .integer(5)])
        #expect(lines.map { $0["level"] } == ["info", "warning", "info", "info", "info"].map { .string($0) })
        #expect(cut.withLock { $0 } == [3] && sender.cutCount == 1)
        #expect(sender.ledger == LogLedger(submitted: 5, delivered: 5))
    }

    @Test func anInputThatFailsIsSaidAfterWhatCameBefore() {
        let text = Text("one\ntwo\nhalf"), isFirst = Locked(true)
        let sender = LineSender(to: .collector(url: "http://127.0.0.1:1"), transport: collector.willing()) { count in
            let reads = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if !reads { throw ScriptedFailure("the disk is gone") }
            return text.read(count)
        }
        #expect(throws: ScriptedFailure.self) { try sender.send(by: .seconds(60)) }
        #expect(collector.received == ["one", "two", "half"])
    }
}
