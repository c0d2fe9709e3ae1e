import LogbookCore
import LogbookDelivery
import LogbookHTTP
import LogbookRemote
import Testing

@Suite struct OTLPDestinationTests {
    let destination = OTLPDestination(
        url: "https://h:4318", service: "checkout", resource: ["host.name": "n1"], authorization: .bearer("t"))

    @Test func eventsAreRecordsOfOneResource() {
        #expect(Sample.text(destination) == #"""
            {"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"checkout"}},{"key":"host.name","value":{"stringValue":"n1"}}]},"scopeLogs":[{"scope":{"name":"logbook"},"logRecords":[
            {"timeUnixNano":"1792837760123456789","severityNumber":9,"severityText":"info","body":{"stringValue":"cart \"opened\"\n"},"attributes":[{"key":"log.record.uid","value":{"stringValue":"I-7-42"}}]},
            {"timeUnixNano":"1792837759123456789","severityNumber":21,"severityText":"critical","body":{"stringValue":"lost"},"attributes":[{"key":"log.record.uid","value":{"stringValue":"I-7-43"}},{"key":"thread.id","value":{"intValue":"4711"}},{"key":"code.file.path","value":{"stringValue":"Pay.swift"}},{"key":"code.function.name","value":{"stringValue":"pay()"}},{"key":"code.line.number","value":{"intValue":"12"}},{"key":"exception.type","value":{"stringValue":"PayError"}},{"key":"exception.message","value":{"stringValue":"no gateway"}},{"key":"category","value":{"stringValue":"pay"}},{"key":"attempt","value":{"intValue":"2"}},{"key":"trace_id","value":{"stringValue":"0af7651916cd43dd8448eb211c80319c"}},{"key":"flag","value":{"boolValue":true}}],"traceId":"0af7651916cd43dd8448eb211c80319c"}
            ]}]}]}
            """#.split(separator: "\n").joined())
    }

    @Test func everyKindOfValueHasItsForm() {
        let event = LogEvent(
            sequence: 1, time: Sample.time, level: .debug, message: "",
            metadata: [
                "null": nil, "double": 1.5, "nan": .double(.nan), "big": .unsigned(.max), "list": [1, "a"], "object": ["k": false],
                "log.record.uid": "mine", "span_id": "0000000000000000",
            ])
        let text = Sample.text(destination, [KeyedEvent(event, origin: Sample.origin)])
        for part in [
            #"{"key":"null","value":{}}"#, #"{"key":"double","value":{"doubleValue":1.5}}"#,
            #"{"key":"nan","value":{"doubleValue":"NaN"}}"#, #"{"key":"big","value":{"stringValue":"18446744073709551615"}}"#,
            #"{"key":"list","value":{"arrayValue":{"values":[{"intValue":"1"},{"stringValue":"a"}]}}}"#,
            #"{"key":"object","value":{"kvlistValue":{"values":[{"key":"k","value":{"boolValue":false}}]}}}"#,
            #"{"key":"metadata.log.record.uid","value":{"stringValue":"mine"}}"#,
        ] { #expect(text.contains(part), "\(part)") }
        #expect(!text.contains(#""spanId""#))   // zero is no id
    }

    @Test func levelsHaveTheProtocolsNumbers() {
        let numbers = LogLevel.allCases.map { level in
            let text = Sample.text(destination, [KeyedEvent(.numbered(1, level), origin: Sample.origin)])
            return text.split(separator: #""severityNumber":"#)[1].prefix { $0 != "," }
        }
        #expect(numbers == ["1", "5", "9", "10", "13", "17", "21"])
    }

    @Test func whatTheReceiverRejectedIsCounted() {
        #expect(destination.verdict(200, "{}") == .delivered)
        #expect(destination.verdict(200, #"{"partialSuccess":{}}"#) == .delivered)
        #expect(destination.verdict(200, #"{"partialSuccess":{"rejectedLogRecords":"0","errorMessage":"a warning"}}"#) == .delivered)
        #expect(
            destination.verdict(200, #"{"partialSuccess":{"rejectedLogRecords":"1","errorMessage":"too old"}}"#)
                == .deliveredExcept(rejected: 1, "too old"))
        #expect(
            destination.verdict(200, #"{"partialSuccess":{"rejectedLogRecords":2}}"#)
                == .deliveredExcept(rejected: 2, "the receiver rejected 2 records"))
        guard case .retry(nil, _) = destination.verdict(200, "") else {
            Issue.record("an empty answer was taken for success")
            return
        }
    }
}
