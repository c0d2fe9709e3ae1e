import LogbookCore
import LogbookDelivery
import LogbookHTTP
import LogbookRemote
import LogbookTestKit
import Testing

/// Plain HTTP, Splunk, Datadog, Loggly and Logstash: exact bytes, and what their answers mean.
@Suite struct PlainDestinationsTests {
    let plain = [Sample.events[0]]

    @Test func plainHTTPHasLinesOrAnArray() {
        #expect(Sample.text(.http(url: "https://h"), plain) == Sample.plainLine + "\n")
        #expect(Sample.text(.http(url: "https://h", body: .jsonArray), plain) == "[" + Sample.plainLine + "]")
        let two = Sample.text(.http(url: "https://h", body: .jsonArray))
        #expect(two.hasPrefix("[{") && two.contains("},{") && two.hasSuffix("}]"))
        #expect(HTTPDestination.http(url: "https://h", body: .jsonArray).contentType == "application/json")
    }

    @Test("plain HTTP goes as gzip, unless its receiver reads none", arguments: [true, false])
    func plainHTTPGoesAsGzip(takesGzip: Bool) throws {
        let transport = ScriptedTransport(.status(204))
        let provider = RemoteLogProvider(
            to: .http(url: "http://127.0.0.1:1", takesGzip: takesGzip), origin: Sample.origin, transport: transport)
        provider.log(Sample.plain)
        try provider.flush(by: .seconds(30))
        let request = try #require(transport.requests.first)
        #expect(request.headers.contains { $0.name == "Content-Encoding" } == takesGzip)
        let beginning: [UInt8] = takesGzip ? [0x1F, 0x8B] : [UInt8(ascii: "{")]
        #expect(request.body.starts(with: beginning))
    }

    @Test("any 2xx acknowledges, also with a text that is called HTML or XML; a 200 with a page does not", arguments: [
        (200, "", nil), (200, "OK", "text/html"), (201, "<html>thanks</html>", "text/html"), (200, "<ok/>", "application/xml"), (299, "", nil),
    ] as [(Int, String, String?)])
    func whatAcknowledgesPlainHTTP(status: Int, body: String, type: String?) {
        let http = HTTPDestination(url: "https://h"), headers = type.map { [HTTPHeader("Content-Type", $0)] } ?? []
        #expect(http.verdict(status, body, headers: headers) == .delivered)
        let page = http.verdict(200, "\n<!DOCTYPE html>" + body, headers: [HTTPHeader("Content-Type", "text/html")])
        #expect(page == .retry(after: nil, "HTTP status 200 without an acknowledgement; is this the receiver?"))
    }

    @Test func splunkHasOneObjectAfterTheOther() {
        let splunk = SplunkDestination(url: "https://h:8088", token: "t", source: "checkout", host: "n1", index: "main")
        let frame = #"{"time":1792837760.123456789,"host":"n1","source":"checkout","sourcetype":"_json","index":"main","event":"#
        #expect(Sample.text(splunk, plain) == frame + Sample.plainLine + #","fields":{"event_key":"I-7-42"}}"#)
        #expect(Sample.text(splunk).contains(#""I-7-42"}}{"time":1792837759.123456789"#))
        let request = splunk.request(for: Sample.parcel(of: splunk))
        #expect(request.url == "https://h:8088/services/collector/event")
        #expect(request.headers.last == HTTPHeader("Authorization", "Splunk t"))
    }

    @Test("44: Splunk's codes say more than its status", arguments: [
        (200, 0, "delivered"), (401, 2, "misconfigured"), (401, 3, "misconfigured"), (403, 1, "misconfigured"),
        (403, 4, "misconfigured"), (400, 7, "misconfigured"), (400, 10, "misconfigured"), (400, 5, "rejected"), (400, 6, "rejected"),
        (400, 12, "rejected"), (503, 9, "retry"), (500, 8, "retry"), (200, 9, "retry"),
    ])
    func splunksCodes(status: Int, code: Int, verdict: String) {
        let splunk = SplunkDestination(url: "https://h:8088", token: "t")
        let answer = splunk.verdict(status, #"{"text":"said","code":\#(code)}"#)
        #expect("\(answer)".hasPrefix(verdict))
    }

    @Test func datadogHasAnArrayWithItsOwnNames() {
        let datadog = DatadogDestination(apiKey: "k", site: "datadoghq.eu", service: "checkout", host: "n1", tags: ["env:test", "team:pay"])
        #expect(Sample.text(datadog, plain) == #"[{"message":"cart \"opened\"\n","status":"info","timestamp":1792837760123,"ddsource":"swift","service":"checkout","hostname":"n1","ddtags":"env:test,team:pay","logbook":{"key":"I-7-42","event":"# + Sample.plainLine + "}}]")
        let request = datadog.request(for: Sample.parcel(of: datadog))
        #expect(request.url == "https://http-intake.logs.datadoghq.eu/api/v2/logs")
        #expect(request.headers.last == HTTPHeader("DD-API-KEY", "k"))
        #expect(datadog.limits == DestinationLimits(events: 1000, bytes: 5_000_000))
        #expect(datadog.verdict(202, "{}") == .delivered)
        #expect(datadog.verdict(403, "").isMisconfigured)
    }

    @Test("48: who takes Datadog's place says 200 or 201, and a page is not Datadog's")
    func whoTakesDatadogsPlace() {
        let datadog = DatadogDestination(url: "http://vector:8282/api/v2/logs", apiKey: "k", service: "checkout")
        for status in 200...202 {
            #expect(datadog.verdict(status) == .delivered)
            let page = datadog.verdict(status, "<html>hotel</html>")
            #expect(page == .retry(after: nil, "HTTP status \(status) without an acknowledgement; is this Datadog?"))
        }
    }

    @Test func logglyHasLinesAndItsTokenInTheAddress() {
        let loggly = LogglyDestination(token: "a/b", tags: ["x y", "z"])
        #expect(Sample.text(loggly, plain) == Sample.plainLine + "\n")
        let request = loggly.request(for: Sample.parcel(of: loggly))
        #expect(request.url == "https://logs-01.loggly.com/bulk/a%2Fb/tag/x%20y,z/")
        #expect(request.headers == [HTTPHeader("Content-Type", "text/plain")])
        #expect(loggly.verdict(200, #"{"response" : "ok"}"#) == .delivered)
        #expect(!loggly.takesGzip)
        #expect(loggly.limits.bytes < 5_000_000)   // it was seen to refuse exactly as many
    }

    @Test func logstashHasAnArrayWithKeys() {
        let logstash = LogstashDestination(url: "https://h:8080", service: "checkout")
        #expect(Sample.text(logstash, plain) == #"[{"event_key":"I-7-42","@timestamp":"2026-10-24T10:29:20.123456789Z","log.level":"info","message":"cart \"opened\"\n","ecs.version":"8.11.0","event":{"sequence":42,"dataset":"checkout.log"},"service":{"name":"checkout"}}]"#)
        #expect(logstash.verdict(200, "ok", headers: [HTTPHeader("Content-Type", "text/plain")]) == .delivered)
        for status in [200, 201, 202, 204] { #expect(logstash.verdict(status) == .delivered) }   // its `response_code`
    }

    @Test("48: a page is not Logstash's, by its type or by how it begins", arguments: [
        ("<html>hotel</html>", nil), ("\r\n\t <!DOCTYPE html>", "text/plain"), ("Welcome", "Text/HTML; charset=utf-8"),
        ("", "text/html"),
    ] as [(String, String?)])
    func aPageIsNotLogstashs(body: String, type: String?) {
        let logstash = LogstashDestination(url: "https://h:8080")
        let verdict = logstash.verdict(200, body, headers: type.map { [HTTPHeader("Content-Type", $0)] } ?? [])
        #expect(verdict == .retry(after: nil, "HTTP status 200 without an acknowledgement; is this Logstash?"))
    }
}

extension DeliveryVerdict {
    var isMisconfigured: Bool { if case .misconfigured = self { true } else { false } }
}
