import LogbookCore
import LogbookFormat
import Testing

@Suite struct JSONLineFormatTests {
    let full = LogEvent(
        sequence: 7, time: LogTime(nanoseconds: 1_423_202_367_123_456_789), level: .warning, message: "payment \"812\" ms\n☠️",
        metadata: [
            "gateway": "north", "attempt": 2, "share": 0.5, "big": .unsigned(.max), "ok": true, "none": nil,
            "list": [1, "two"], "nested": ["a": -1],
        ],
        thread: 4711, source: LogSource(fileNamed: "Checkout/Cart.swift", functionNamed: "pay()", line: 12),
        transaction: TransactionEntry(
            transactionID: "TXN1-A", usecase: 1, kind: .happened(7), errorCode: -1001, errorDescription: "no answer",
            device: DeviceFacts(make: "m", os: "o", osVersion: "1")),
        error: LogErrorDetails(type: "PaymentError", description: "refused"))

    @Test func writesOneLineOfJSON() {
        let event = LogEvent(
            sequence: 1, time: LogTime(nanoseconds: 0), level: .info, message: "hello", metadata: ["k": "v"],
            source: LogSource(fileNamed: "A/B.swift", functionNamed: "f()", line: 3))
        #expect(
            JSONLineFormat(origin: LogOrigin(installation: "I", epoch: 9)).string(for: event)
                == #"{"time":"1970-01-01T00:00:00.000000000Z","level":"info","message":"hello","sequence":1,"file":"A/B.swift","#
                + #""function":"f()","line":3,"metadata":{"k":"v"},"installation":"I","epoch":9}"# + "\n")
    }

    @Test func readsBackEverythingItWrites() throws {
        let origin = LogOrigin(installation: "I", epoch: .max)
        let read = try JSONLineFormat.parse(Array(JSONLineFormat(origin: origin).string(for: full).utf8))
        #expect(read.event == full)
        #expect(read.origin == origin)
    }

    @Test("row 38: hostile text is one line of valid JSON", arguments: TextFormatTests.hostile)
    func hostileText(text: String) throws {
        let event = LogEvent(sequence: 1, time: LogTime(nanoseconds: 0), level: .info, message: text, metadata: [text: .string(text)])
        let line = JSONLineFormat().string(for: event)
        #expect(line.utf8.filter { $0 == 0x0A }.count == 1)
        for scalar in line.dropLast().unicodeScalars {
            #expect(!(scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) || scalar == "\u{2028}" || scalar == "\u{202E}"))
        }
        #expect(try JSONLineFormat.parse(Array(line.utf8)).event == event)
    }

    @Test(
        "S1: what has to be escaped is, wherever it stands in a text of whatever length",
        arguments: [
            ("\"", #"\""#), ("\\", #"\\"#), ("\u{0}", #"\u0000"#), ("\u{1F}", #"\u001f"#), ("\u{7F}", #"\u007f"#), ("\u{85}", #"\u0085"#),
            ("\u{61C}", #"\u061c"#), ("\u{2028}", #"\u2028"#), ("!", "!"), ("é", "é"), ("€", "€"), ("\u{7DE}", "\u{7DE}"), ("\u{10FFFF}", "\u{10FFFF}"),
        ])
    func escapesAnywhere(text: String, escaped: String) {
        for before in 0..<40 {
            for after in 0..<20 {
                let (head, tail) = (String(repeating: "a", count: before), String(repeating: "z", count: after))
                let event = LogEvent(sequence: 1, time: LogTime(nanoseconds: 0), level: .info, message: head + text + tail)
                let expected = #"{"time":"1970-01-01T00:00:00.000000000Z","level":"info","message":""# + head + escaped + tail + #"","sequence":1}"#
                #expect(JSONLineFormat().string(for: event) == expected + "\n")
            }
        }
    }

    @Test func numbersThatJSONCannotWriteBecomeStrings() throws {
        let event = LogEvent(
            sequence: 1, time: LogTime(nanoseconds: 0), level: .info, message: "",
            metadata: ["a": .double(.nan), "b": .double(.infinity), "c": .double(-.infinity)])
        let read = try JSONLineFormat.parse(Array(JSONLineFormat().string(for: event).utf8)).event
        #expect(read.metadata == ["a": "NaN", "b": "Infinity", "c": "-Infinity"])
    }

    @Test(arguments: [
        (#"{"level":"info","message":"","sequence":1}"#, "time"),
        (#"{"time":"today","level":"info","message":"","sequence":1}"#, "time"),
        (#"{"time":"2015-02-06T05:59:27Z","level":"loud","message":"","sequence":1}"#, "level"),
        (#"{"time":"2015-02-06T05:59:27Z","level":"info","message":3,"sequence":1}"#, "message"),
        (#"{"time":"2015-02-06T05:59:27Z","level":"info","message":"","sequence":-1}"#, "sequence"),
        (#"{"time":"2015-02-06T05:59:27Z","level":"info","message":"","sequence":1,"metadata":[]}"#, "metadata"),
        (#"{"time":"2015-02-06T05:59:27Z","level":"info","message":"","sequence":1,"transaction":{"id":"x"}}"#, "transaction.usecase"),
        (#"{"time":"2015-02-06T05:59:27Z","level":"info","message":"","sequence":1,"epoch":3}"#, "installation"),
    ])
    func namesTheFieldThatIsWrong(line: String, field: String) throws {
        let failure = #expect(throws: LogLineError.self) { try JSONLineFormat.parse(Array(line.utf8)) }
        guard case .invalid(let named, _) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(named == field)
    }
}
