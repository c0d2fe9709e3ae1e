import LogbookCore
import LogbookFormat
import Testing

@Suite struct JSONLineReaderTests {
    private func read(_ line: String, with reader: inout JSONLineReader) throws(LogLineError) -> (event: LogEvent, origin: LogOrigin?) {
        try Array(line.utf8).withUnsafeBufferPointer { bytes throws(LogLineError) in try reader.read(bytes) }
    }

    private func alone(_ line: String) throws(LogLineError) -> (event: LogEvent, origin: LogOrigin?) {
        var reader = JSONLineReader()
        return try read(line, with: &reader)
    }

    private func line(
        time: String = "2026-11-21T09:29:20.123456789Z", file: String = "A/B.swift", line: Int = 3, installation: String = "I", epoch: String = "9"
    ) -> String {
        #"{"time":"\#(time)","level":"info","message":"hello","sequence":1,"file":"\#(file)","function":"f()","line":\#(line),"#
            + #""installation":"\#(installation)","epoch":\#(epoch)}"#
    }

    /// What a line has in common with the one before it is not read again: it may be common to the last byte only.
    @Test func eachLineIsReadAsIfItWereAlone() throws {
        let lines = [
            line(), line(time: "2026-11-21T09:29:20.000000001Z"), line(time: "2026-11-21T09:29:21.999999999Z"),
            line(time: "2026-11-21T09:29:21.5Z"), line(time: "2026-11-21T09:29:21.123456789+01:00"),
            line(time: "2026-11-21T09:29:21Z"), line(time: "2016-12-31T23:59:60.500000000Z"), line(time: "2016-12-31T23:59:60.600000000Z"),
            line(time: #"2026-11-21T09:29:21.00000\u00300000Z"#), line(time: "1677-09-21T00:12:44.000000000Z"),
            line(time: "2262-04-11T23:47:16.854775807Z"), line(time: "2262-04-11T23:47:16.000000000Z"),
            line(file: "A/B\u{E9}.swift"), line(file: "A/Be\u{301}.swift"), line(file: "A/B.swifT"), line(file: "A/B.swif"), line(file: "A/Bä.swift"), line(file: ""), line(line: 4),
            line(installation: "J"), line(installation: #"\"J"#), line(epoch: "18446744073709551615"), line(epoch: "0"),
            #"{"time":"2026-11-21T09:29:20.1Z","level":"info","message":"no place","sequence":1}"#,
            #"{"time":"2026-11-21T09:29:20.1Z","level":"info","message":"no file","sequence":1,"line":"12","function":7,"file":null}"#,
            #"{ "message" : "in another order" , "sequence" : 0, "other":[1,{"a":"}"}], "level":"error","time":"2026-11-21T09:29:20Z" }"# + "\n",
            #"{"time":"2026-11-21T09:29:20Z","level":"info","\u006dessage":"a key in disguise","sequence":1,"metadata":null,"thread":null}"#,
            // The earliest times there are do not begin with their second.
            line(time: "1677-09-21T00:12:43.145224192Z"), line(time: "1677-09-21T00:12:43.500000000Z"),
        ]
        var reader = JSONLineReader()
        for first in lines {
            for second in lines {
                for line in [first, second] {
                    let (together, alone) = (try read(line, with: &reader), try alone(line))
                    #expect(together.event == alone.event && together.origin == alone.origin, "\(second) behind \(first)")
                }
            }
        }
        #expect(try alone(lines[1]).event.time == LogTime(nanoseconds: 1_795_253_360_000_000_001))
        #expect(try alone(lines[6]).event.time == LogTime(nanoseconds: 1_483_228_800_500_000_000))
        #expect(try alone(lines[9]).event.time.wholeSeconds == -9_223_372_036)
        #expect(try alone(lines[21]).origin?.epoch == .max)
        #expect(try alone(lines[25]).event.message == "in another order")
        #expect(try alone(lines[27]).event.time == LogTime(nanoseconds: .min))
    }

    @Test func aLineThatIsCutOrContinuedIsNoLine() throws {
        let whole = Array(line().utf8)
        var reader = JSONLineReader()
        for count in 0..<whole.count {
            #expect(throws: LogLineError.self) {
                try whole[..<count].withUnsafeBufferPointer { bytes throws(LogLineError) in try reader.read(bytes) }
            }
        }
        #expect(throws: LogLineError.self) { try read(line() + "{}", with: &reader) }
        #expect(try read(line(), with: &reader).event == alone(line()).event)
    }

    @Test(arguments: [
        #"{"time":"2026-11-21T09:29:20Z","level":"info","message":"","sequence":1,"level":"info"}"#,
        #"{"time":"2026-11-21T09:29:20Z","level":"info","message":"","sequence":1,"\u006cevel":"info"}"#,
        #"{"time":"2026-11-21T09:29:20Z","level":"info","message":"","sequence":1,"a":1,"a":2}"#,
        #"{"time":"2026-11-21T09:29:20Z","level":"info","message":"","sequence":1,"metadata":{"a":1,"a":2}}"#,
        #"{"time":"2026-11-21T09:29:20Z","level":"info","message":"","sequence":01}"#,
        #"{"time":"2026-11-21T09:29:20Z","level":"info","message":"","sequence":1,}"#,
        #"["time"]"#, "7", "",
    ])
    func whatIsNoJSONIsSaidToBeNone(line: String) {
        let failure = #expect(throws: LogLineError.self) { try alone(line) }
        guard case .notJSON = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }

    @Test(arguments: [
        (#""epoch":1.5"#, "epoch"), (#""epoch":-1"#, "epoch"), (#""epoch":18446744073709551616"#, "epoch"), (#""thread":"1""#, "thread"),
        (#""file":7"#, "file"), (#""line":4294967296,"file":"A""#, "line"), (#""file":"A","function":[]"#, "function"), (#""installation":[]"#, "installation"), (#""error":7"#, "error"),
        (#""error":{"type":1}"#, "error.type"), (#""installation":"I""#, "epoch"),
    ])
    func aMemberThatSaysNothingItMayIsNamed(member: String, field: String) {
        let line = #"{"time":"2026-11-21T09:29:20Z","level":"info","message":"","sequence":1,\#(member)}"#
        let failure = #expect(throws: LogLineError.self) { try alone(line) }
        guard case .invalid(field, _) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }

    /// Texts are looked through eight bytes at a time.
    @Test func whatEndsATextIsFoundAtEveryPlace() throws {
        for count in 0...40 {
            for place in 0..<count {
                for piece in ["\"", "\\", "\u{1F}", "ä", "☠️", "\u{7F}", "\u{80}"] {
                    let text = String(repeating: "x", count: place) + piece + String(repeating: "y", count: count - place - 1)
                    let event = LogEvent(sequence: 1, time: LogTime(nanoseconds: 0), level: .info, message: text, metadata: ["k": .string(text)])
                    #expect(try alone(JSONLineFormat().string(for: event)).event == event)
                }
                let raw = String(repeating: "x", count: place) + "\u{1F}" + String(repeating: "y", count: count - place - 1)
                #expect(throws: LogLineError.self) {
                    try alone(#"{"time":"2026-11-21T09:29:20Z","level":"info","message":"\#(raw)","sequence":1}"#)
                }
            }
        }
    }

    /// Of such texts it takes Unicode minutes to say whether two are equal: a reader that asks it does not come back.
    @Test func textsOfManyMarksAreToldApartByTheirBytes() throws {
        let marks = "a" + String(repeating: "\u{301}", count: 400_000) + String(repeating: "\u{316}", count: 400_000)
        let members = (0..<40).map { "\"k\($0)\":1" }.joined(separator: ",")
        func line(level: String = "info", _ first: String, _ second: String) -> String {
            #"{"time":"2026-11-21T09:29:20Z","level":"\#(level)","message":"","sequence":1,"metadata":{\#(members),"\#(first)":1,"\#(second)":2},"#
                + #""\#(first)":{"\#(second)":[]},"\#(second)":null}"#
        }
        let event = try alone(line(marks, marks + "x")).event
        #expect(event.metadata.count == 42)
        #expect(event.transactionID == nil && event.category == nil)
        #expect(throws: LogLineError.self) { try alone(line(level: marks, "x", "y")) }
        let twice = #expect(throws: LogLineError.self) { try alone(line(marks, marks)) }
        #expect((twice?.description.utf8.count ?? 0) < 200)   // it is told, and not all of it
    }
}
