import LogbookCore
import LogbookFormat
import Testing

@Suite struct LogfmtFormatTests {
    let event = LogEvent(
        sequence: 7, time: LogTime(nanoseconds: 0), level: .warning, message: "payment took 812 ms",
        metadata: [
            "gateway": "north", "attempt": 2, "code": "2", "ok": true, "none": nil, "share": 0.5, "list": [1, "two"],
            "looks": "[1]", "level": "mine", "fields.x": "y", "two words": "", "": "empty",
        ],
        thread: 4711, source: LogSource(fileNamed: "Checkout/Cart.swift", functionNamed: "pay()", line: 12),
        error: LogErrorDetails(type: "PaymentError", description: "refused"))

    let line =
        #"time=1970-01-01T00:00:00.000000000Z level=warning msg="payment took 812 ms" seq=7 thread=4711 file=Checkout/Cart.swift"#
        + #" line=12 func="pay()" error.type=PaymentError error.message=refused gateway=north attempt=2 code="2" ok=true none=null"#
        + #" share=0.5 list="[1,\"two\"]" looks="\u005b1]" fields.level=mine fields.fields.x=y two\u{20}words="" \u{}=empty"#

    @Test func aLineIsKeysAndValues() throws {
        #expect(LogfmtFormat().string(for: event) == line + "\n")
        #expect(try LogfmtFormat().event(from: line) == event)
    }

    @Test func readsWhatOthersWrote() throws {
        let read = try LogfmtFormat().event(from: "msg=hi   level=WARN  time=2015-02-06T05:59:27+01:00 flag empty= url=http://x/?a=b")
        #expect(read.level == .warning)
        #expect(read.message == "hi")
        #expect(read.metadata == ["flag": nil, "empty": "", "url": "http://x/?a=b"])
    }

    @Test(arguments: [
        ("level=info msg=x", "time must be given"),
        ("time=now level=info msg=x", "time must be a time after ISO 8601 with an offset"),
        ("time=2015-02-06T05:59:27Z level=loud msg=x", "level must be one of verbose, debug, info, notice, warning, error, critical"),
        ("time=2015-02-06T05:59:27Z level=info", "msg must be given"),
        ("time=2015-02-06T05:59:27Z level=info msg=x msg=y", "msg must be given once"),
        ("time=2015-02-06T05:59:27Z level=info msg=x seq=-1", "seq must be a whole number of at least 0"),
        ("time=2015-02-06T05:59:27Z level=info msg=x file=a line=5000000000", "line must be a whole number from 0 to 4294967295"),
        ("time=2015-02-06T05:59:27Z level=info msg=x error.type=E", "error.message must be given"),
        ("time=2015-02-06T05:59:27Z level=info msg=x transaction.usecase=1", "transaction.id must be given together with transaction.usecase"),
        ("time=2015-02-06T05:59:27Z level=info msg=x =5", "a key was expected at byte 43"),
        ("time=2015-02-06T05:59:27Z level=info msg=\"x\"y", "a space or the end of the line after a value was expected at byte 44"),
        ("time=2015-02-06T05:59:27Z level=info msg=\"x", "no valid JSON: a string that never ends at byte 41"),
    ])
    func namesWhatIsWrong(line: String, description: String) {
        let failure = #expect(throws: LogLineError.self) { try LogfmtFormat().event(from: line) }
        #expect(failure?.description == description)
    }

    /// Of such texts it takes Unicode minutes to say whether two are equal.
    @Test func keysOfManyMarksAreToldApartByTheirBytes() throws {
        let marks = "a" + String(repeating: "\u{301}", count: 400_000) + String(repeating: "\u{316}", count: 400_000)
        let event = try LogfmtFormat().event(from: "time=2026-11-21T09:29:20Z level=info msg=hi \(marks)=1 \(marks)x=2 \(marks)=3")
        #expect(event.metadata.map(\.value) == [3, 2])
    }
}
