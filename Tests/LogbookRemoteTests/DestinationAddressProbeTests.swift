import LogbookCore
import LogbookHTTP
import LogbookRemote
import Testing

/// What a receiver is asked before anything is sent to it, and what its answer means.
@Suite struct DestinationAddressProbeTests {
    private func probe(_ address: String, token: Secret? = "tok") throws -> DestinationAddress.Probe {
        try DestinationAddress.probe(address, token: token) { DestinationAddressTests.keys[$0] }
    }

    private func standing(_ address: String, _ status: Int, _ body: String) throws -> DestinationAddress.Probe.Standing {
        try probe(address).standing(on: HTTPResponse(status: status, body: Array(body.utf8)))
    }

    @Test("a receiver of one's own is asked by the scheme of its address, wherever it is", arguments: [
        ("http://logs.example.com/in", "http://logs.example.com/"), ("https://127.0.0.1:8443/in", "https://127.0.0.1:8443/"),
        ("http://127.0.0.1:80/in", "http://127.0.0.1:80/"),
    ])
    func theSchemeOfTheAddress(address: String, url: String) throws {
        #expect(try DestinationAddress.probe(address).request.url == url)
    }

    @Test("every kind is asked something that stores nothing, with the token where there is such a question", arguments: [
        ("collector://h", "GET https://h/v1/stats", "Bearer tok"), ("elasticsearch://h", "GET https://h/", "ApiKey tok"),
        ("loki://h:3100?job=a", "GET https://h:3100/loki/api/v1/labels", "Bearer tok"),
        ("loki://h?job=a&user=u", "GET https://h/loki/api/v1/labels", "Basic dTp0b2s="),
        ("otlp://h:4318", "POST https://h:4318/v1/logs", "Bearer tok"),
        ("splunk://h:8088", "POST https://h:8088/services/collector/event", "Splunk tok"),
        ("logstash://h:8080/in?service=s", "POST https://h:8080/in", "Bearer tok"),
        ("logstash://h:8080?user=u", "POST https://h:8080", "Basic dTp0b2s="), ("https://h/in?a=b", "GET https://h/", nil),
        ("loggly://web", "GET https://logs-01.loggly.com/", nil),
        ("collector://h/logbook/", "GET https://h/logbook/v1/stats", "Bearer tok"),
        ("loki://h/a?job=a", "GET https://h/a/loki/api/v1/labels", "Bearer tok"),
        ("otlp://h/otlp", "POST https://h/otlp/v1/logs", "Bearer tok"),
        ("splunk://h/hec", "POST https://h/hec/services/collector/event", "Splunk tok"),
    ] as [(String, String, String?)])
    func everyKindIsAsked(address: String, question: String, authorization: String?) throws {
        let probe = try probe(address), request = probe.request
        #expect("\(request.method) \(request.url)" == question)
        let sent = request.headers.first { $0.name == "Authorization" }
        #expect(sent?.value == authorization)
        // Logstash makes an event of anything but an array of none.
        let isLogstash = address.hasPrefix("logstash")
        #expect(String(decoding: request.body, as: UTF8.self) == (isLogstash ? "[]" : "") && request.stream == nil)
        #expect(request.headers.contains(HTTPHeader("Content-Type", "application/json")) == isLogstash)
        #expect(probe.asksForToken == (authorization != nil) && !probe.asksForKeys)
    }

    @Test func headersOfTheKindGoAlong() throws {
        #expect(try probe("loki://h?job=a&tenant=t").request.headers.contains(HTTPHeader("X-Scope-OrgID", "t")))
        #expect(try probe("otlp://h").request.headers.contains(HTTPHeader("Content-Type", "application/x-protobuf")))
        let datadog = try probe("datadog://datadoghq.eu").request
        #expect(datadog.method == "GET" && datadog.url == "https://api.datadoghq.eu/api/v1/validate")
        #expect(datadog.headers == [HTTPHeader("DD-API-KEY", "tok")])
        #expect(try probe("datadog://127.0.0.1:8126").request.url == "http://127.0.0.1:8126/api/v1/validate")
        #expect(try probe("datadog+https://localhost:8126").request.url == "https://localhost:8126/api/v1/validate")
    }

    @Test func amazonIsAskedWithASignature() throws {
        let bucket = try probe("s3://b/a?region=r").request
        #expect(bucket.method == "GET" && bucket.url == "https://b.s3.r.amazonaws.com/?list-type=2&max-keys=1" && bucket.body.isEmpty)
        #expect(
            bucket.headers == [
                HTTPHeader("x-amz-content-sha256", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ])
        #expect(bucket.signature?.service == "s3" && bucket.signature?.region == "r")
        #expect(try probe("s3://b?region=r&endpoint=http://127.0.0.1:1").request.url == "http://127.0.0.1:1/b/?list-type=2&max-keys=1")

        let stream = try probe("cloudwatch:///g/s?region=r").request
        #expect(stream.method == "POST" && stream.url == "https://logs.r.amazonaws.com/" && stream.signature?.service == "logs")
        #expect(String(decoding: stream.body, as: UTF8.self) == #"{"logGroupName":"/g","logStreamNamePrefix":"s","limit":1}"#)
        #expect(stream.headers.contains(HTTPHeader("X-Amz-Target", "Logs_20140328.DescribeLogStreams")))
        #expect(stream.headers.contains(HTTPHeader("Content-Type", "application/x-amz-json-1.1")))
        for address in ["s3://b?region=r", "cloudwatch://g/s?region=r"] { #expect(try probe(address, token: nil).asksForKeys) }
    }

    @Test(arguments: [
        ("loki://h?job=a", 200, "", .taken), ("loki://h?job=a", 401, "no", .refused), ("loki://h?job=a", 403, "", .mayNotRead),
        ("loki://h?job=a", 401, #"{"error":"authentication error: invalid scope requested"}"#, .mayNotRead),
        ("loki://h?job=a", 404, "", .notTried), ("loki://h?job=a", 503, "", .notTried),
        ("otlp://h", 200, "", .taken), ("otlp://h", 401, "", .refused), ("otlp://h", 403, "", .refused), ("otlp://h", 400, "", .notTried),
        ("datadog://h", 200, #"{"valid":true}"#, .taken), ("datadog://h", 403, #"{"errors":["Forbidden"]}"#, .refused),
        ("datadog://h", 200, "<html>", .notTried), ("datadog://h", 404, "", .notTried),
        ("splunk://h", 400, #"{"text":"No data","code":5}"#, .taken), ("splunk://h", 400, #"{"text":"Data channel is missing","code":10}"#, .taken),
        ("splunk://h", 403, #"{"text":"Invalid token","code":4}"#, .refused), ("splunk://h", 403, #"{"text":"Token disabled","code":1}"#, .refused),
        ("splunk://h", 503, #"{"text":"Server is busy","code":9}"#, .notTried), ("splunk://h", 403, "<html>", .notTried),
        ("https://h", 200, "", .notTried), ("https://h", 401, "", .notTried),
        ("logstash://h", 200, "ok", .taken), ("logstash://h", 401, "", .refused), ("logstash://h", 429, "", .notTried),
    ] as [(String, Int, String, DestinationAddress.Probe.Standing)])
    func answersTellOfTheToken(address: String, status: Int, body: String, expected: DestinationAddress.Probe.Standing) throws {
        #expect(try standing(address, status, body) == expected)
    }

    @Test(arguments: [
        ("s3://b?region=r", 200, "<ListBucketResult/>", .taken), ("s3://b?region=r", 403, "<Error><Code>AccessDenied</Code></Error>", .mayNotRead),
        ("s3://b?region=r", 403, "<Error><Code>SignatureDoesNotMatch</Code></Error>", .refused),
        ("s3://b?region=r", 403, "<Error><Code>InvalidAccessKeyId</Code></Error>", .refused),
        ("s3://b?region=r", 404, "<Error><Code>NoSuchBucket</Code></Error>", .missing("bucket")), ("s3://b?region=r", 503, "", .notTried),
        ("cloudwatch://g/s?region=r", 200, #"{"logStreams":[{"logStreamName":"s"}]}"#, .taken),
        ("cloudwatch://g/s?region=r", 200, #"{"logStreams":[{"logStreamName":"s2"}]}"#, .missing("log stream")),
        ("cloudwatch://g/s?region=r", 400, #"{"__type":"ResourceNotFoundException"}"#, .missing("log group")),
        ("cloudwatch://g/s?region=r", 400, #"{"__type":"AccessDeniedException"}"#, .mayNotRead),
        ("cloudwatch://g/s?region=r", 400, #"{"__type":"UnrecognizedClientException"}"#, .refused),
        ("cloudwatch://g/s?region=r", 200, "<html>", .notTried),
    ] as [(String, Int, String, DestinationAddress.Probe.Standing)])
    func answersTellOfTheKeys(address: String, status: Int, body: String, expected: DestinationAddress.Probe.Standing) throws {
        #expect(try standing(address, status, body) == expected)
    }
}
