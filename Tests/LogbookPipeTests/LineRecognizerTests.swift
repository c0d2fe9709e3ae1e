import LogbookCore
import LogbookFormat
import Testing

@testable import LogbookPipe

@Suite struct LineRecognizerTests {
    private let recognizer = LineRecognizer(
        zone: .utc, clock: .manual(ManualClock(now: ISO8601.time("2026-11-21T12:00:00Z")!)))

    @Test("of keys that only look alike both are kept")
    func keysThatLookAlike() {
        let line = recognize(#"{"msg":"m","caf\u00e9":1,"cafe\u0301":2}"#)
        #expect(line.message == "m" && line.metadata.map(\.value) == [1, 2], "\(line.metadata)")
    }

    private func recognize(_ line: String) -> RecognizedLine { recognizer.recognize(Array(line.utf8)) }

    @Test(arguments: [
        ("ERROR disk full", LogLevel.error), ("[warn] slow", .warning), ("level=info msg=\"x\"", .info),
        ("lvl=dbug x", .info), ("level=debug x", .debug), ("level=\"error\" x", .error),
        ("E: Unable to locate package", .error), ("W: GPG error", .warning), ("N: See apt-secure(8)", .notice),
        ("app: warning: old flag", .warning), ("file.c:3:5: error: expected ';'", .error), ("Error: no module", .error),
        ("no error found", .info), ("all errors: 0", .info), ("information desk", .info), ("(debug) x", .debug),
        ("[core:error] [pid 3] x", .error), ("host app[7]: CRITICAL x", .critical),
        ("\u{1B}[33mWARN\u{1B}[0m x", .warning),
        ("one two three four five six ERROR", .info), ("FATAL: out of memory", .critical), ("TRACE enter", .verbose),
        ("INFO, fine", .info), ("ERROR:root:x", .error), ("WARNING:a.logger.of.a.long.name:it is slow", .warning),
        ("ERROR:x", .info), ("ERROR::x", .info), ("ERROR:a b:x", .info), ("error:root:x", .info),
        ("[☠️ 10:35:22 B.swift:f():1] x", .error), ("[🔥] x", .info),
        ("", .info), ("=", .info), ("[", .info), ("[]", .info), ("level=", .info), (":", .info),
    ])
    func aLevelWordNearTheBeginningDecides(line: String, level: LogLevel) {
        #expect(recognize(line).level == level)
        #expect(LineRecognizer(unknownLevel: .notice).recognize(Array("nothing here".utf8)).level == .notice)
    }

    @Test(arguments: [
        ("2026-11-21 10:35:22 status installed curl", "2026-11-21T10:35:22Z", "status installed curl", LogLevel.info),
        ("2026-11-21T10:35:22.125+01:00 ERROR x", "2026-11-21T09:35:22.125Z", "ERROR x", .error),
        ("2026-11-21T10:35:22+0100 error com.example.app: [App] x", "2026-11-21T09:35:22Z", "error com.example.app: [App] x", .error),
        ("2026-11-21 10:35:22 trace: x", "2026-11-21T10:35:22Z", "trace: x", .verbose),
        ("2026-11-21 10:35:22 error[E0308]: x", "2026-11-21T10:35:22Z", "error[E0308]: x", .error),
        ("[2026-11-21 10:35:22] warn x", "2026-11-21T10:35:22Z", "warn x", .warning),
        ("2026-11-21T10:35:22Z error [App] a \\n b", "2026-11-21T10:35:22Z", "error [App] a \\n b", .error),
        ("2026-11-21T10:35:22Z errors: 0", "2026-11-21T10:35:22Z", "errors: 0", .info),
        ("2026-11-21T10:35:22Z the error", "2026-11-21T10:35:22Z", "the error", .info),
        ("2026-11-21T10:35:22Z: x", "2026-11-21T10:35:22Z", "x", .info),
        ("2026-11-21 10:35:22,125 WARN x", "2026-11-21T10:35:22.125Z", "WARN x", .warning),
        ("2026-11-21 10:35:22 +0100 x", "2026-11-21T09:35:22Z", "x", .info),
        ("2026-11-21 10:35:22.5 UTC [7] ERROR:  no", "2026-11-21T10:35:22.5Z", "[7] ERROR:  no", .error),
        ("2026-11-21 10:35:22 -5 degrees", "2026-11-21T10:35:22Z", "-5 degrees", .info),
        ("2026-11-21 10:35:22 -2024 items sold", "2026-11-21T10:35:22Z", "-2024 items sold", .info),
        ("2026-11-21 10:35:22 +1415 x", "2026-11-21T10:35:22Z", "+1415 x", .info),
        ("2026-11-21 10:35:22 +0110 x", "2026-11-21T10:35:22Z", "+0110 x", .info),
        ("2026-11-21 10:35:22 -1215 x", "2026-11-21T10:35:22Z", "-1215 x", .info),
        ("2026-11-21 10:35:22 -1200 x", "2026-11-21T22:35:22Z", "x", .info),
        ("2026-11-21 10:35:22 +14:00 x", "2026-11-20T20:35:22Z", "x", .info),
        ("2026-11-21 10:35:22 +0545 x", "2026-11-21T04:50:22Z", "x", .info),
        ("2026-11-21 10:35:22 UTCX", "2026-11-21T10:35:22Z", "UTCX", .info),
        ("2026-11-21 10:35:22", "2026-11-21T10:35:22Z", "", .info),
        ("[2026-11-21 10:35:22] x", "2026-11-21T10:35:22Z", "x", .info),
        ("2026/11/21 10:35:22 [error] 12#12: no file", "2026-11-21T10:35:22Z", "[error] 12#12: no file", .error),
        ("Nov 21 10:35:22 host app[7]: WARN low", "2026-11-21T10:35:22Z", "host app[7]: WARN low", .warning),
        ("Nov 23 10:35:22 host x", "2025-11-23T10:35:22Z", "host x", .info),
        ("Feb 29 10:35:22 host x", "2024-02-29T10:35:22Z", "host x", .info),
        ("Nov  1 10:35:22 host x", "2026-11-01T10:35:22Z", "host x", .info),
    ])
    func aLeadingTimeBecomesTheEventsTime(line: String, time: String, message: String, level: LogLevel) {
        #expect(
            recognize(line) == RecognizedLine(level: level, message: message, time: ISO8601.time(time)))
    }

    @Test(arguments: [(24, true), (25, false)])
    func jsonOfWhichAnEventWouldBeCutIsText(levels: Int, isRead: Bool) {
        let line = #"{"msg":"m","deep":"# + String(repeating: "[", count: levels) + String(repeating: "]", count: levels) + "}"
        let recognized = recognize(line)
        #expect(recognized.message == (isRead ? "m" : line))
        #expect(recognized.metadata.isEmpty == !isRead)
    }

    @Test(arguments: [
        "2026-13-21 10:35:22 x", "2026-11-21x10:35:22 x", "2026-11-21 10:35:22abc", "Nov 99 10:35:22 x", "2026-11-21",
        "[2026-11-21 10:35:22 x", "12345678901234567890",
    ])
    func whatIsNoTimeStaysInTheMessage(line: String) {
        #expect(recognize(line) == RecognizedLine(level: .info, message: line))
    }

    // MARK: Our own lines

    private static let said = LogEvent(
        sequence: 7, time: ISO8601.time("2026-11-21T10:35:22.123456Z")!, level: .error, message: "boom\nand \\ more",
        metadata: ["gateway": "north", "attempt": 2, "thread": "main"], thread: 4711,
        source: LogSource(fileNamed: "Checkout/Cart.swift", functionNamed: "pay()", line: 12),
        transaction: TransactionEntry(
            transactionID: "TXN7-1", usecase: 7, kind: .happened(3), errorCode: 5, errorDescription: "refused",
            device: DeviceFacts(make: "m", os: "Linux", osVersion: "6")),
        error: LogErrorDetails(type: "PaymentError", description: "no money"))

    private static let saidOfTheEntry: LogValue = [
        "id": "TXN7-1", "usecase": 7, "event": 3, "error_code": 5, "error_description": "refused",
        "device": ["make": "m", "os": "Linux", "os_version": "6"],
    ]

    /// What becomes metadata of ``said``, beside what is.
    static let ours: [(format: any LogFormat, rest: LogMetadata)] = [
        (
            JSONLineFormat(origin: LogOrigin(installation: "i", epoch: 3)),
            [
                "sequence": 7, "thread_2": 4711, "transaction": saidOfTheEntry, "installation": "i", "epoch": 3,
                "transaction_id": "TXN7-1",
            ]
        ),
        (LogfmtFormat(), ["sequence": 7, "thread_2": 4711, "transaction": saidOfTheEntry, "transaction_id": "TXN7-1"]),
        (
            ECSFormat(service: "checkout"),
            [
                "event": ["dataset": "checkout.log"], "service": ["name": "checkout"], "sequence": 7, "thread_2": 4711,
                "transaction": saidOfTheEntry, "transaction_id": "TXN7-1",
            ]
        ),
    ]

    @Test("a line of ours says what it said: what a relayed event has no place for becomes metadata", arguments: ours)
    func aLineOfOurs(format: any LogFormat, rest: LogMetadata) {
        #expect(
            recognize(String(format.string(for: Self.said).dropLast()))
                == RecognizedLine(
                    level: .error, message: Self.said.message, metadata: Self.said.metadata.merging(rest), time: Self.said.time,
                    source: Self.said.source, error: Self.said.error))
    }
    @Test func aLineForPeopleOfOursSaysWhatItSaid() {
        let place = LogSource(fileNamed: "A/B.swift", functionNamed: "f()", line: 1), time = ISO8601.time("2026-11-21T09:29:20.1Z")
        #expect(
            recognize("2026-11-21T10:29:20.1+01:00 error [A/B.swift:1 f()] boom")
                == RecognizedLine(level: .error, message: "boom", time: time, source: place))
        #expect(
            recognize("\u{1B}[31m2026-11-21T10:29:20.100000+01:00 error boom\\nx\tgateway=north\u{1B}[0m")
                == RecognizedLine(level: .error, message: "boom\nx", metadata: ["gateway": "north"], time: time))
        #expect(
            recognize("2026-11-21T10:29:20.1+01:00 notice x\ttransaction.id=T transaction.usecase=7").metadata["transaction"]
                == ["id": "T", "usecase": 7, "device": ["make": "", "os": "", "os_version": ""]])
        #expect(
            recognize("[☠️ 2026-11-21 09:29:20100 B.swift:f():1] boom")
                == RecognizedLine(
                    level: .error, message: "boom", time: time,
                    source: LogSource(fileNamed: "B.swift", functionNamed: "f()", line: 1)))
    }

    @Test(
        "a line of another program that looks like one of ours loses nothing",
        arguments: [
            "time=2026-11-21T10:35:22Z level=error msg=boom and more", "time=2026-11-21T10:35:22Z level=ERROR msg=x a=1 a=2",
            "time=2026-11-21T10:35:22Z level=error msg=\"x\"",
        ])
    func aLineLikeOurs(line: String) {
        #expect(recognize(line) == RecognizedLine(level: .error, message: line, time: ISO8601.time("2026-11-21T10:35:22Z")))
    }

    @Test(arguments: ["error [7] x", "error C:\\new", "error x\ta=1 a=2", "error x\ta=b c"])
    func aLineLikeOursBehindItsTime(rest: String) {
        #expect(
            recognize("2026-11-21T10:35:22Z \(rest)")
                == RecognizedLine(level: .error, message: rest, time: ISO8601.time("2026-11-21T10:35:22Z")))
    }

    @Test func membersOfALineOfOursThatAreNotOursAreKept() {
        let line = #"{"time":"2026-11-21T10:35:22Z","level":"error","message":"x","sequence":5,"user":"bob","function":"f""#
            + #","error":{"type":"T","message":"m","code":4},"metadata":{"user":1},"id":89490200001234567890}"#
        #expect(
            recognize(line)
                == RecognizedLine(
                    level: .error, message: "x",
                    metadata: [
                        "user": 1, "sequence": 5, "user_2": "bob", "function": "f", "error": ["type": "T", "message": "m", "code": 4],
                        "id": "89490200001234567890",
                    ], time: ISO8601.time("2026-11-21T10:35:22Z"), error: LogErrorDetails(type: "T", description: "m")))
    }

    @Test func theZoneIsUsedForTimesWithoutOffset() {
        let east = LineRecognizer(zone: .fixed(seconds: 7200))
        #expect(east.recognize(Array("2026-11-21 10:35:22 x".utf8)).time == ISO8601.time("2026-11-21T08:35:22Z"))
    }

    @Test func aSyslogPriorityGivesLevelAndFacility() {
        #expect(recognize("<3>cannot mount") == RecognizedLine(level: .error, message: "cannot mount"))
        #expect(
            recognize("<34>1 2026-11-21T10:35:22Z host su - - - failed")
                == RecognizedLine(
                    level: .critical, message: "host su - - - failed", metadata: ["facility": 4],
                    time: ISO8601.time("2026-11-21T10:35:22Z")))
        #expect(recognize("<6>1 file copied").message == "1 file copied")
        #expect(recognize("<34>1 - host su - - - failed").message == "- host su - - - failed")
        #expect(recognize("<999>x") == RecognizedLine(level: .info, message: "<999>x"))
        for line in ["<-1>x", "<+3>x", "<-0>x", "<>x"] { #expect(recognize(line) == RecognizedLine(level: .info, message: line)) }
    }

    @Test func aLineOfJSONGivesItsMembers() {
        let line = #"{"time":"2026-11-21T10:35:22.5Z","level":"warn","msg":"slow","ms":812,"tags":["a"],"ok":true}"#
        #expect(
            recognize(line)
                == RecognizedLine(
                    level: .warning, message: "slow", metadata: ["ms": 812, "tags": ["a"], "ok": true],
                    time: ISO8601.time("2026-11-21T10:35:22.5Z")))
    }

    @Test(arguments: [
        (#"{"severity":"ERROR","message":"x","timestamp":1795257322}"#, LogLevel.error),
        (#"{"log.level":"debug","message":"x","@timestamp":"2026-11-21T10:35:22Z"}"#, .debug),
        (#"{"lvl":50,"msg":"x","time":1795257322000}"#, .error),
        (#"{"level":4,"msg":"x","ts":1795257322.0}"#, .warning),
        (#"{"level":4,"msg":"x","ts":1795257322000000}"#, .warning),
        (#"{"level":4,"msg":"x","ts":1795257322000000000}"#, .warning),
    ])
    func theUsualKeysOfOtherLoggersAreKnown(line: String, level: LogLevel) {
        #expect(
            recognize(line) == RecognizedLine(level: level, message: "x", time: ISO8601.time("2026-11-21T10:35:22Z")))
    }

    @Test func whatCannotBeReadStaysAsItIs() {
        #expect(
            recognize(#"{"level":"loud","msg":"x","time":"noon"}"#)
                == RecognizedLine(level: .info, message: "x", metadata: ["level": "loud", "time": "noon"]))
        #expect(
            recognize(#"{"level":"error","code":7}"#)
                == RecognizedLine(level: .error, message: #"{"level":"error","code":7}"#))
        #expect(recognize("{}").message == "{}")
    }

    @Test(
        "what is no JSON, or more than is taken, is text with the level and the time of its members",
        arguments: [
            #"{"level":"error","a":1,"a":2,"msg":"x","time":"2026-11-21T10:35:22Z"}"#,
            #"{"level":"info","level":"error","time":"2026-11-21T10:35:22Z","msg":"x"}"#,
            #" { "x" : NaN , "y":-Infinity,"severity":"error", "ts" : 1795257322 } "#,
            #"{"msg":"\ud800 \" {","nested":{"level":"info","b":[{"time":1}]},"lvl":50,"@timestamp":"2026-11-21T10:35:22Z"}"#,
            #"{"log.level":"ERROR","timestamp":1795257322000,"n":1e400}"#,
            #"{"level":"error","time":"2026-11-21T10:35:22Z","msg":"cut o"#,
            #"{"level":"error","time":"2026-11-21T10:35:22Z""#,
            #"{"level":"error","time":"2026-11-21T10:35:22Z",\#((0..<257).map { #""k\#($0)":1"# }.joined(separator: ","))}"#,
            #"{"level":"error","time":"2026-11-21T10:35:22Z","msg":"m","deep":\#(String(repeating: "[", count: 30))"#,
        ])
    func membersOfWhatIsNoJSON(line: String) {
        #expect(recognize(line) == RecognizedLine(level: .error, message: line, time: ISO8601.time("2026-11-21T10:35:22Z")))
    }

    @Test(arguments: [
        "{", #"{"level""#, #"{"level":"#, #"{"level":loud"#, #"{"level":50"#, "{level:error}", #"{"a" "level":"error"}"#,
        #"{]"level":"error"}"#,
    ])
    func whatHasNoMembersIsText(line: String) { #expect(recognize(line) == RecognizedLine(level: .info, message: line)) }

    @Test func wholeNumbersBeyond64BitsKeepTheirDigits() {
        let line = #"{"msg":"x","n":123456789012345678901234567890,"m":[-9223372036854775809],"u":18446744073709551615,"d":1e20}"#
        #expect(
            recognize(line).metadata
                == [
                    "n": "123456789012345678901234567890", "m": ["-9223372036854775809"], "u": .unsigned(.max), "d": .double(1e20),
                ])
    }

    @Test func bytesThatAreNoTextAreSeenAndOthersKept() {
        let line: [UInt8] = Array("caf".utf8) + [0xE9] + Array(" ☕️ ".utf8) + [0xF0, 0x9F, 0x00, 0xFF]
        #expect(recognizer.recognize(line).message == "caf\\xE9 ☕️ \\xF0\\x9F\0\\xFF")
    }

    @Test func coloursAreLeftOut() {
        #expect(recognize("\u{1B}[1;31mred\u{1B}[0m \u{1B}[").message == "red \u{1B}[")
    }

    @Test func anyBytesGiveALine() {
        let randomness = LogRandomness.seeded(11)
        let pieces = [
            "<", ">", "[", "]", "{", "}", "2026-11-21 10:35:22", "Nov 21 10:35:22", "level=", ":", " ", "\u{1B}[", "E",
        ]
        for _ in 0..<5000 {
            var line: [UInt8] = []
            for _ in 0..<Int(randomness.next() % 8) {
                if randomness.next() % 2 == 0 {
                    line += pieces[Int(randomness.next() % UInt64(pieces.count))].utf8
                } else {
                    line.append(UInt8(truncatingIfNeeded: randomness.next()))
                }
            }
            _ = recognizer.recognize(line)
        }
    }
}
