import LogbookCore
import LogbookFormat
import Testing

@Suite struct TextFormatTests {
    /// 2020-06-06T19:47:15.393Z
    let time = LogTime(nanoseconds: 1_591_472_835_393_000_000)

    func event(_ message: String, metadata: LogMetadata = [:], source: LogSource = .unknown) -> LogEvent {
        LogEvent(sequence: 1, time: time, level: .info, message: message, metadata: metadata, source: source)
    }

    @Test("F1: the article's line, byte for byte")
    func articleLine() throws {
        let place = LogSource(
            fileNamed: "Shop/CategoryViewController.swift", functionNamed: "addButtonPressed(_:)", line: 135)
        let format = TextFormat.article(date: try DatePattern("yyyy-MM-dd HH:mm:ssSSS", zone: .utc))
        let line = format.string(for: event("Category was added.", source: place))
        #expect(
            line
                == "[ℹ️ 2020-06-06 19:47:15393 CategoryViewController.swift:addButtonPressed(_:):135] Category was added.\n")
        #expect(Array(line.utf8.prefix(7)) == [0x5B, 0xE2, 0x84, 0xB9, 0xEF, 0xB8, 0x8F])
    }

    @Test func theArticlesPatternIsTheDefault() throws {
        let inLocalTime = try DatePattern("yyyy-MM-dd HH:mm:ssSSS")
        #expect(TextFormat.article().string(for: event("x")) == TextFormat.article(date: inLocalTime).string(for: event("x")))
    }

    @Test func aStandardLineSaysTimeLevelPlaceMessageAndFacts() {
        let place = LogSource(fileNamed: "Checkout/Cart.swift", functionNamed: "pay()", line: 12)
        let line = TextFormat.standard(zone: .fixed(seconds: 5 * 3600 + 45 * 60)).string(
            for: event("took 812 ms", metadata: ["gateway": "north", "note": "two words", "attempt": 2, "code": "2"], source: place))
        #expect(
            line == "2020-06-07T01:32:15.393000+05:45 info [Checkout/Cart.swift:12 pay()] took 812 ms"
                + "\tgateway=north note=\"two words\" attempt=2 code=\"2\"\n")
    }

    @Test func errorsAndTransactionsAreNamed() {
        let entry = TransactionEntry(
            transactionID: "TXN1-A", usecase: 1, kind: .happened(7), errorCode: -1001, errorDescription: "no answer",
            device: DeviceFacts(make: "m", os: "o", osVersion: "1"))
        let event = LogEvent(
            sequence: 1, time: time, level: .error, message: "m", transaction: entry,
            error: LogErrorDetails(type: "PaymentError", description: "refused"))
        #expect(
            TextFormat.standard(zone: .utc).string(for: event)
                == "2020-06-06T19:47:15.393000Z error m\terror.type=PaymentError error.message=refused transaction.id=TXN1-A"
                + " transaction.usecase=1 transaction.event=7 transaction.error_code=-1001"
                + " transaction.error_description=\"no answer\"\n")
    }

    static let hostile: [String] = [
        "a\nb", "a\r\nb", "\u{0}", "\u{1B}[31mred\u{1B}[0m", "\u{9B}31m", "\u{7F}", "\u{2028}\u{2029}", "\u{202E}evil\u{2066}",
        "back\\slash\\n", "tab\there", "\u{85}", "\u{61C}", "ends in a backslash\\", "emoji ☠️ and é and \u{A0}",
    ]

    @Test("F13, S1, S2: one event is one line without control characters, and can be read back", arguments: hostile)
    func hostileTextIsEscapedReversibly(text: String) throws {
        let everywhere = event(
            text, metadata: [text: .string(text), "list": [.string(text)]],
            source: LogSource(fileNamed: text, functionNamed: text, line: 1))
        for format in [TextFormat.standard(zone: .utc), .article(date: try DatePattern("HH", zone: .utc))] {
            let line = format.string(for: everywhere)
            #expect(line.utf8.filter { $0 == 0x0A }.count == 1)
            #expect(line.utf8.last == 0x0A)
            for scalar in line.dropLast().unicodeScalars where scalar != "\t" {
                #expect(!(scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)), "raw control \(scalar.value)")
                #expect(![0x2028, 0x2029, 0x202E, 0x2066, 0x61C].contains(scalar.value), "raw mark \(scalar.value)")
            }
        }
        var escaped: [UInt8] = []
        escaped.append(escapedLine: text)
        #expect(unescapedLine(String(decoding: escaped, as: UTF8.self)) == text)
    }

    @Test func whatIsNoEscapeOfOursIsNotReadBack() {
        #expect(unescapedLine(#"a\qb"#) == nil)
        #expect(unescapedLine(#"a\"#) == nil)
        #expect(unescapedLine(#"\u{zz}"#) == nil)
        #expect(unescapedLine(#"\u{1b"#) == nil)
    }

    @Test func aMessageCannotPassForAPlace() throws {
        let forged = event("[Bank.swift:1 pay()] all is well")
        let format = TextFormat.standard(zone: .utc)
        #expect(format.string(for: forged) == "2020-06-06T19:47:15.393000Z info \\u{5b}Bank.swift:1 pay()] all is well\n")
        #expect(try format.event(from: format.string(for: forged)).message == forged.message)
    }

    @Test func metadataCannotPassForAnError() throws {
        let forged = event("m", metadata: ["error.type": "E", "error.message": "x"])
        let format = TextFormat.standard(zone: .utc)
        #expect(format.string(for: forged).hasSuffix("m\t\"error.type\"=E \"error.message\"=x\n"))
        #expect(try format.event(from: format.string(for: forged)).metadata == forged.metadata)
    }

    @Test(arguments: [
        ("", "a time stamp was expected at byte 0"),
        ("2020-06-06T19:47:15Z", "a space after the time stamp was expected at byte 20"),
        ("2020-06-06T19:47:15Z loud m", "a level: one of verbose, debug, info, notice, warning, error, critical was expected at byte 21"),
        ("2020-06-06T19:47:15Z info [a b:c", "a place of the form [file:line function] was expected at byte 27"),
        ("2020-06-06T19:47:15Z info a\\qb", "a message with our escapes was expected at byte 26"),
        ("2020-06-06T19:47:15Z info m\tk", "a key and = was expected at byte 28"),
        ("2020-06-06T19:47:15Z info m\tk=", "a value was expected at byte 30"),
        ("2020-06-06T19:47:15Z info m\tk=\"a\"b", "a space or the end of the line after a value was expected at byte 33"),
        ("2020-06-06T19:47:15Z info m\terror.type=E", "error.message must be given"),
    ])
    func namesWhatIsWrong(line: String, description: String) {
        let failure = #expect(throws: LogLineError.self) { try TextFormat.standard().event(from: line) }
        #expect(failure?.description == description)
    }
}
