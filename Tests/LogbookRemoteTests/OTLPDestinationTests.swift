import LogbookCore
import LogbookDelivery
import LogbookHTTP
import LogbookRemote
import LogbookTestKit
import Testing

@Suite struct OTLPDestinationTests {
    let destination = OTLPDestination(
        url: "https://h:4318", service: "checkout", resource: ["host.name": "n1"], encoding: .json, authorization: .bearer("t"))

    @Test func eventsAreRecordsOfOneResource() {
        #expect(Sample.text(destination) == #"""
            {"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"checkout"}},{"key":"host.name","value":{"stringValue":"n1"}}]},"scopeLogs":[{"scope":{"name":"logbook"},"logRecords":[
            {"timeUnixNano":"1792837760123456789","severityNumber":9,"severityText":"info","body":{"stringValue":"cart \"opened\"\n"},"attributes":[{"key":"log.record.uid","value":{"stringValue":"I-7-42"}}]},
            {"timeUnixNano":"1792837759123456789","severityNumber":21,"severityText":"critical","body":{"stringValue":"lost"},"attributes":[{"key":"log.record.uid","value":{"stringValue":"I-7-43"}},{"key":"thread.id","value":{"intValue":"4711"}},{"key":"code.file.path","value":{"stringValue":"Pay.swift"}},{"key":"code.function.name","value":{"stringValue":"pay()"}},{"key":"code.line.number","value":{"intValue":"12"}},{"key":"exception.type","value":{"stringValue":"PayError"}},{"key":"exception.message","value":{"stringValue":"no gateway"}},{"key":"category","value":{"stringValue":"pay"}},{"key":"attempt","value":{"intValue":"2"}},{"key":"trace_id","value":{"stringValue":"0af7651916cd43dd8448eb211c80319c"}},{"key":"flag","value":{"boolValue":true}}],"traceId":"0af7651916cd43dd8448eb211c80319c"}
            ]}]}]}
            """#.split(separator: "\n").joined())
    }

    @Test("48: the beginning of an answer is none, also where it could be read")
    func aCutAnswerIsNone() {
        var response = HTTPResponse(status: 200, headers: [HTTPHeader("Content-Type", "application/x-protobuf")])
        response.isCut = true
        let binary = OTLPDestination(url: "https://h:4318", service: "checkout")
        guard case .retry(nil, _) = binary.verdict(on: response, for: Sample.parcel(of: binary)) else {
            Issue.record("it was taken for an acknowledgement")
            return
        }
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

    @Test("a time before 1970 is none, for the protocol's has no sign", arguments: [Int64.min, -1])
    func aTimeBefore1970IsNone(nanoseconds: Int64) {
        let event = LogEvent(sequence: 1, time: LogTime(nanoseconds: nanoseconds), level: .info, message: "early")
        #expect(Sample.text(destination, [KeyedEvent(event, origin: Sample.origin)]).contains(#"{"timeUnixNano":"0","#))
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
                == .deliveredExcept(rejected: 1, isFinal: true, "too old"))
        #expect(
            destination.verdict(200, #"{"partialSuccess":{"rejectedLogRecords":2}}"#)
                == .deliveredExcept(rejected: 2, isFinal: true, "the receiver rejected 2 records"))
    }

    @Test("what the receiver rejects in an answer of the protocol is never sent again, however much it is", arguments: [20, 100])
    func rejectedRecordsHoldUpNothing(parcelEvents: Int) throws {
        let transport = try expectOldEventsToHoldUpNothing(at: destination, parcelEvents: parcelEvents) { old in
            let text = #"{"partialSuccess":{"rejectedLogRecords":"\#(old)","errorMessage":"too old"}}"#
            return HTTPResponse(status: 200, body: Array(text.utf8))
        }
        #expect(transport.requests.count == 200 / parcelEvents + 1)
    }

    @Test("an answer without a word is one, as Loki, Fluent Bit, VictoriaLogs and OpenObserve give it", arguments: [
        (200, nil), (201, nil), (202, nil), (204, nil), (200, "application/json"), (200, "application/x-protobuf"), (200, "text/plain"),
    ] as [(Int, String?)])
    func anAnswerWithoutAWordIsOne(status: Int, type: String?) {
        let headers = type.map { [HTTPHeader("Content-Type", $0)] } ?? []
        #expect(destination.verdict(status, "", headers: headers) == .delivered)
        #expect(binary.verdict(status, "", headers: headers) == .delivered)
    }

    @Test("an answer is read in the form that it says it has, and one that cannot be read is none")
    func anAnswerIsReadInItsOwnForm() {
        let json = [HTTPHeader("Content-Type", "application/json; charset=utf-8")]
        let protobuf = [HTTPHeader("Content-Type", "application/protobuf")]
        let text = #"{"partialSuccess":{"rejectedLogRecords":"1","errorMessage":"too old"}}"#
        #expect(binary.verdict(201, text, headers: json) == .deliveredExcept(rejected: 1, isFinal: true, "too old"))
        #expect(
            destination.verdict(201, "\n\u{B}\u{8}\u{1}\u{12}\u{7}too old", headers: protobuf)
                == .deliveredExcept(rejected: 1, isFinal: true, "too old"))
        // 60 bytes behind the first byte, which may look like the beginning of a page.
        let long = "\n<\u{8}\u{2}\u{12}8" + String(repeating: "x", count: 56)
        #expect(
            binary.verdict(200, long, headers: protobuf)
                == .deliveredExcept(rejected: 2, isFinal: true, String(repeating: "x", count: 56)))
        let page = [HTTPHeader("Content-Type", "text/html")]
        for answer in [
            binary.verdict(200, "OK"), binary.verdict(200, "{}", headers: protobuf), destination.verdict(200, "OK"),
            destination.verdict(202, "", headers: page), binary.verdict(204, "", headers: page), binary.verdict(201, "<html>"),
            destination.verdict(201, "[]"),
        ] {
            guard case .retry(nil, let reason) = answer else {
                Issue.record("\(answer)")
                continue
            }
            #expect(reason.hasSuffix("without an acknowledgement; is this an OpenTelemetry receiver?"))
        }
    }

    /// `google.rpc.Status`, in which Loki says what is wrong: its message is the second field.
    private static func status(_ text: String) -> [UInt8] {
        let count = text.utf8.count
        return [0x12] + (count < 128 ? [UInt8(count)] : [UInt8(count & 0x7F | 0x80), UInt8(count >> 7)]) + text.utf8
    }

    @Test("what Loki finds too old or too new is told from what is wrong, whatever form its answer has")
    func lokisWordsForTheTimeAreKnown() {
        for text in LokiDestinationTests.untimely {
            let json = #"{"code":3,"message":"\#(text.replacing("\"", with: "\\\""))"}"#
            for body in [Self.status(text), Array(json.utf8), Array(text.utf8)] {
                let verdict = binary.verdict(on: HTTPResponse(status: 400, body: body), for: Sample.parcel(of: binary))
                guard case .outsideTimeRange(let reason) = verdict else {
                    Issue.record("\(verdict)")
                    continue
                }
                #expect(reason.hasPrefix("HTTP status 400: "))
            }
        }
        #expect(binary.verdict(400, "stream has no labels") == .rejected("HTTP status 400: stream has no labels"))
    }

    @Test("after a long outage what Loki finds too old by now is counted, however much it is, and what is not arrives")
    func oldEventsHoldUpNothing() throws {
        _ = try expectOldEventsToHoldUpNothing(at: binary) { old in
            old == 0 ? HTTPResponse(status: 204) : HTTPResponse(status: 400, body: Self.status(LokiDestinationTests.untimely[0]))
        }
    }

    @Test("an answer of Protocol Buffers that is called JSON, as OpenObserve gives it, says what was rejected all the same")
    func anAnswerThatIsCalledJSON() {
        let json = [HTTPHeader("Content-Type", "application/json")]
        let said = "\n\u{B}\u{8}\u{1}\u{12}\u{7}too old", rejected = DeliveryVerdict.deliveredExcept(rejected: 1, isFinal: true, "too old")
        #expect(destination.verdict(200, said, headers: json) == rejected)
        #expect(destination.verdict(200, said) == rejected)
        #expect(binary.verdict(200, said, headers: json) == rejected)
        // 60 bytes behind the first byte, which may look like the beginning of a page.
        let text = String(repeating: "x", count: 56)
        #expect(
            destination.verdict(200, "\n<\u{8}\u{2}\u{12}8" + text, headers: json)
                == .deliveredExcept(rejected: 2, isFinal: true, text))
        for none in ["OK", "\n<html>", "\u{12}\u{0}", "\n\u{B}\u{8}", "\n\u{0} "] {
            guard case .retry(nil, _) = destination.verdict(200, none, headers: json) else {
                Issue.record("\(destination.verdict(200, none, headers: json))")
                continue
            }
        }
    }

    // MARK: Protocol Buffers

    let binary = OTLPDestination(url: "https://h:4318", service: "s")

    /// The bytes are those of OpenTelemetry's own types for Python (opentelemetry-proto, deterministic).
    @Test func aRecordIsWrittenAsOpenTelemetryWritesIt() {
        let event = LogEvent(
            sequence: 1, time: Sample.time, level: .error, message: "m",
            metadata: [
                "n": -2, "d": 1.5, "b": true, "l": [1, "a"], "o": ["k": false], "z": nil,
                "trace_id": "0af7651916cd43dd8448eb211c80319c", "span_id": "00f067aa0ba902b7",
            ])
        let bytes = binary.encode([KeyedEvent(event, origin: Sample.origin)])
        let text = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(text == """
            0a9b020a150a130a0c736572766963652e6e616d6512030a01731281020a090a076c6f67626f6f6b12f3010915cd10a87170e11810111a056572726f\
            722a030a016d32190a0e6c6f672e7265636f72642e75696412070a05492d372d3132100a016e120b18feffffffffffffffff01320e0a016412092100\
            0000000000f83f32070a01621202100132100a016c120b2a090a0218010a030a016132100a016f120b32090a070a016b1202100032050a017a120032\
            2e0a0874726163655f696412220a203061663736353139313663643433646438343438656232313163383033313963321d0a077370616e5f69641212\
            0a10303066303637616130626139303262374a100af7651916cd43dd8448eb211c80319c520800f067aa0ba902b7
            """)
        #expect(binary.contentType == "application/x-protobuf")
    }

    @Test func binaryAnswersAreRead() {
        func verdict(_ body: [UInt8], type: String? = "application/x-protobuf") -> DeliveryVerdict {
            let headers = type.map { [HTTPHeader("Content-Type", $0)] } ?? []
            return binary.verdict(
                on: HTTPResponse(status: 200, headers: headers, body: body), for: Sample.parcel(of: binary))
        }
        #expect(verdict([]) == .delivered)
        #expect(verdict([0x0A, 0x00]) == .delivered)
        #expect(verdict([0x0A, 0x0B, 0x08, 0x03, 0x12, 0x07] + "too old".utf8) == .deliveredExcept(rejected: 3, isFinal: true, "too old"))
        for answer in [verdict([], type: "text/html"), verdict([0x0A, 0x0B, 0x08]), verdict(Array("<html>".utf8))] {
            guard case .retry(nil, _) = answer else {
                Issue.record("\(answer)")
                continue
            }
        }
    }
}
