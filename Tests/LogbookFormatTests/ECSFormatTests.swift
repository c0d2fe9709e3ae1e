import LogbookCore
import LogbookFormat
import Testing

@Suite struct ECSFormatTests {
    @Test func aLineFollowsTheSpecificationOfECSLogging() throws {
        let event = LogEvent(
            sequence: 7, time: LogTime(nanoseconds: 0), level: .warning, message: "m",
            metadata: ["a.b": 1, "a_b": 2, "a*b": "x", "": true, "list": [1, ["k": "v"]]], thread: 4711,
            source: LogSource(fileNamed: "Checkout/Cart.swift", functionNamed: "pay()", line: 12),
            error: LogErrorDetails(type: "PaymentError", description: "refused"))
        #expect(
            ECSFormat(service: "till").string(for: event)
                == #"{"@timestamp":"1970-01-01T00:00:00.000000000Z","log.level":"warning","message":"m","ecs.version":"8.11.0","#
                + #""event":{"sequence":7,"dataset":"till.log"},"service":{"name":"till"},"process":{"thread":{"id":4711}},"#
                + #""log":{"origin":{"file":{"name":"Checkout/Cart.swift","line":12},"function":"pay()"}},"#
                + #""error":{"type":"PaymentError","message":"refused"},"#
                + #""labels":{"a_b_2":1,"a_b":2,"a_b_3":"x","_":true,"list":"[1,{\"k\":\"v\"}]"}}"# + "\n")
        #expect(ECSFormat().string(for: event).contains("\"ecs.version\":\"\(ECSFormat.version)\""))
    }

    @Test func aTransactionIsFoundByItsIDAndKeptWhole() throws {
        let event = LogEvent(
            sequence: 1, time: LogTime(nanoseconds: 0), level: .info, message: "",
            transaction: TransactionEntry(
                transactionID: "TXN1-A", usecase: 1, kind: .happened(7), errorCode: -1, errorDescription: "no",
                device: DeviceFacts(make: "m", os: "o", osVersion: "1")))
        let line = ECSFormat().string(for: event)
        #expect(line.contains(#""transaction":{"id":"TXN1-A"},"logbook":{"transaction":{"id":"TXN1-A","usecase":1,"event":7,"#))
        #expect(try ECSFormat().event(from: line) == event)
    }

    @Test func fieldsMayBeDottedOrNested() throws {
        let read = try ECSFormat().event(
            from: #"{"message":"hi","log":{"level":"WARN "},"@timestamp":"2015-02-06T05:59:27.1Z","log.origin":{"file.name":"A.java"},"#
                + #""log.origin.file.line":42,"tags":["x"],"error.type":"E"}"#)
        #expect(read.level == .warning)
        #expect(read.source == LogSource(fileNamed: "A.java", line: 42))
        #expect(read.error == LogErrorDetails(type: "E", description: ""))
    }

    @Test func fieldsThatAreNotOursBecomeMetadata() throws {
        let read = try ECSFormat().event(
            from: #"{"@timestamp":"2015-02-06T05:59:27.1Z","log":{"level":"ERROR","logger":"shop.Till"},"message":"hi","ecs.version":"1.6.0","#
                + #""service":{"name":"till"},"event.dataset":"other.log","transaction.id":"a1","error":{"type":"E","stack_trace":"at A"},"#
                + #""user.id":"u1","labels":{"user.id":"label"},"host":{"ip":["::1"]}}"#)
        #expect(read.level == .error && read.error == LogErrorDetails(type: "E", description: ""))
        let expected: LogMetadata = [
            "user.id": "label", "log": ["logger": "shop.Till"], "service": ["name": "till"], "event.dataset": "other.log",
            "transaction.id": "a1", "error": ["stack_trace": "at A"], "user.id_2": "u1", "host": ["ip": ["::1"]],
        ]
        #expect(read.metadata == expected)
    }

    @Test func aLineOfOursHasNoOtherFields() throws {
        let event = LogEvent(
            sequence: 7, time: LogTime(nanoseconds: 0), level: .warning, message: "m", metadata: ["gateway": "north"], thread: 4711,
            source: LogSource(fileNamed: "Checkout/Cart.swift", functionNamed: "pay()", line: 12),
            error: LogErrorDetails(type: "PaymentError", description: "refused"))
        #expect(try ECSFormat(service: "till").event(from: ECSFormat(service: "till").string(for: event)) == event)
    }

    @Test(arguments: [
        ("[]", "no valid JSON: the line must be an object"),
        ("{}", "@timestamp must be a time after ISO 8601 with an offset, as a string"),
        (#"{"@timestamp":"2015-02-06T05:59:27Z","message":""}"#, "log.level must be one of verbose, debug, info, notice, warning, error, critical"),
        (#"{"@timestamp":"2015-02-06T05:59:27Z","log.level":"info"}"#, "message must be a string"),
        (#"{"@timestamp":"2015-02-06T05:59:27Z","log.level":"info","message":"","event":{"sequence":"x"}}"#,
         "event.sequence must be a whole number of at least 0"),
        (#"{"@timestamp":"2015-02-06T05:59:27Z","log.level":"info","message":"","logbook":{"transaction":{"id":"x"}}}"#,
         "logbook.transaction.usecase must be a whole number"),
    ])
    func namesTheFieldThatIsWrong(line: String, description: String) {
        let failure = #expect(throws: LogLineError.self) { try ECSFormat().event(from: line) }
        #expect(failure?.description == description)
    }

    /// Of such texts it takes Unicode minutes to say whether two are equal.
    @Test func textsOfManyMarksAreToldApartByTheirBytes() throws {
        let marks = "a" + String(repeating: "\u{301}", count: 100_000) + String(repeating: "\u{316}", count: 100_000)
        func line(level: String = "info") -> String {
            #"{"@timestamp":"2015-02-06T05:59:27Z","log.level":"\#(level)","message":"","log":{"\#(marks)":1},"\#(marks)":2,"\#(marks)x":3,"#
                + #""event":{"sequence":1,"dataset":"\#(marks)x"},"service":{"name":"\#(marks)"},"labels":{"\#(marks)":4}}"#
        }
        let event = try ECSFormat().event(from: line())
        #expect(event.metadata.map(\.value) == [4, ["\(marks)": 1], 2, 3, ["dataset": .string(marks + "x")], ["name": .string(marks)]])
        #expect(event.metadata.map(\.key).last == "service" && event.metadata[marks + "_2"] == 2)
        #expect(throws: LogLineError.self) { try ECSFormat().event(from: line(level: marks)) }
        let written = ECSFormat(limits: .highest).string(for: LogEvent(
            sequence: 1, time: LogTime(nanoseconds: 0), level: .info, message: "",
            metadata: LogMetadata([(marks + ".", 1), (marks + "_", 2)])))
        #expect(try ECSFormat().event(from: written).metadata.map(\.value) == [1, 2])
    }

    @Test func anyNumberOfKeysThatBecomeTheSameAreNumberedInTurn() throws {
        let metadata = LogMetadata((0..<200).map { number in
            (String((0..<8).map { number >> $0 & 1 == 0 ? "." : "*" }), LogValue.integer(Int64(number)))
        })
        let event = LogEvent(sequence: 1, time: LogTime(nanoseconds: 0), level: .info, message: "", metadata: metadata)
        let read = try ECSFormat().event(from: ECSFormat().string(for: event))
        #expect(read.metadata.map(\.key) == ["________"] + (2...200).map { "_________\($0)" })
        #expect(read.metadata.map(\.value) == metadata.map(\.value))
    }
}
