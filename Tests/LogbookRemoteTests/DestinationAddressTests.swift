import LogbookCore
import LogbookDelivery
import LogbookHTTP
import LogbookRemote
import Testing

@Suite struct DestinationAddressTests {
    func request(_ address: String, token: Secret? = "tok") throws -> HTTPRequest {
        let destination = try DestinationAddress.destination(address, token: token)
        return try destination.request(for: Sample.parcel(of: destination))
    }

    @Test(arguments: [
        ("collector://logs.example.com", "https://logs.example.com/v1/logs"),
        ("collector://127.0.0.1:8090", "http://127.0.0.1:8090/v1/logs"),
        ("collector+https://localhost:8090", "https://localhost:8090/v1/logs"),
        ("collector+http://intern:80", "http://intern:80/v1/logs"),
        ("loki://[::1]:3100?job=a", "http://[::1]:3100/loki/api/v1/push"),
        ("LOKI://h:3100?job=a%20b&tenant=t", "https://h:3100/loki/api/v1/push"),
        ("otlp://h:4318?service=s&host.name=n", "https://h:4318/v1/logs"),
        ("splunk://h:8088?source=s", "https://h:8088/services/collector/event"),
        ("datadog://datadoghq.eu?service=s&tags=a:b,c", "https://http-intake.logs.datadoghq.eu/api/v2/logs"),
        ("datadog://127.0.0.1:8126", "http://127.0.0.1:8126/api/v2/logs"),
        ("datadog+https://127.0.0.1:8126", "https://127.0.0.1:8126/api/v2/logs"),
        ("loggly://web", "https://logs-01.loggly.com/bulk/tok/tag/web/"),
        ("logstash://h:8080/in", "https://h:8080/in"), ("https://h/in?a=b", "https://h/in?a=b"),
        ("https://h/in?flag&=x&user=u&c=%41", "https://h/in?flag&=x&user=u&c=%41"), ("http://127.0.0.1?flag", "http://127.0.0.1?flag"),
        ("http://127.0.0.1:1/in", "http://127.0.0.1:1/in"),
        ("collector://h/logbook/", "https://h/logbook/v1/logs"), ("loki://h/a/b?job=a", "https://h/a/b/loki/api/v1/push"),
        ("otlp://h/otlp", "https://h/otlp/v1/logs"), ("splunk://h:8088/hec", "https://h:8088/hec/services/collector/event"),
        ("datadog://datadoghq.eu/", "https://http-intake.logs.datadoghq.eu/api/v2/logs"),
        ("loggly://web/", "https://logs-01.loggly.com/bulk/tok/tag/web/"),
    ])
    func addressesNameReceivers(address: String, url: String) throws {
        #expect(try request(address).url == url)
    }

    @Test func pathsAndParametersSayMore() throws {
        #expect(try request("elasticsearch://h:9200/my-logs?service=s").url.hasPrefix("https://h:9200/my-logs/_bulk?"))
        #expect(try request("elasticsearch://h:9200").headers.contains(HTTPHeader("Authorization", "ApiKey tok")))
        #expect(try request("elasticsearch://h:9200?user=u").headers.contains(HTTPHeader("Authorization", "Basic dTp0b2s=")))
        let clickHouse = try request("clickhouse://h:8443/app.logs?user=ingest&max_insert_block_size=1000")
        #expect(clickHouse.url.contains("max_insert_block_size=1000") && clickHouse.url.contains("INTO%20app.logs%20"))
        #expect(clickHouse.headers.suffix(2) == [HTTPHeader("X-ClickHouse-User", "ingest"), HTTPHeader("X-ClickHouse-Key", "tok")])
        let loki = try DestinationAddress.destination("loki://h?job=a%20b&env=c")
        #expect(String(decoding: loki.encode(Sample.events), as: UTF8.self).contains(#"{"env":"c","job":"a b","level":"info"}"#))
        #expect(try request("https://h/in").headers.contains(HTTPHeader("Authorization", "Bearer tok")))
    }

    // MARK: Amazon

    static let keys = ["AWS_ACCESS_KEY_ID": "AKIA", "AWS_SECRET_ACCESS_KEY": "tok-secret"]

    func amazonRequest(_ address: String, _ environment: [String: String] = DestinationAddressTests.keys) throws -> HTTPRequest {
        let destination = try DestinationAddress.destination(address, token: nil) { environment[$0] }
        return try destination.request(for: Sample.parcel(of: destination))
    }

    @Test(arguments: [
        ("s3://bucket?region=eu-central-1", "https://bucket.s3.eu-central-1.amazonaws.com/logs/2026/10/24/P.ndjson"),
        ("S3://my.bucket/a/b/?region=us-east-1", "https://s3.us-east-1.amazonaws.com/my.bucket/a/b/2026/10/24/P.ndjson"),
        ("s3://b/a?region=r&endpoint=http://127.0.0.1:5000/", "http://127.0.0.1:5000/b/a/2026/10/24/P.ndjson"),
        ("s3://b/a?region=r&endpoint=https%3A%2F%2Fh", "https://h/b/a/2026/10/24/P.ndjson"),
    ])
    func bucketsHaveAddresses(address: String, url: String) throws {
        let request = try amazonRequest(address)
        #expect(request.url == url)
        #expect(request.signature?.service == "s3" && request.signature?.accessKey == "AKIA")
        #expect(request.signature?.secretKey.revealed == "tok-secret" && request.signature?.sessionToken == nil)
    }

    @Test(arguments: [
        ("cloudwatch://shop/till-7", "shop", "till-7"), ("cloudwatch://shop/prod/till-7", "shop/prod", "till-7"),
        ("cloudwatch:///aws/lambda/shop/till-7", "/aws/lambda/shop", "till-7"), ("cloudwatch://%2Fshop/till-7", "/shop", "till-7"),
        ("cloudwatch:///aws/lambda/shop/2026%2F11%2F21%2F[$LATEST]a@b", "/aws/lambda/shop", "2026/11/21/[$LATEST]a@b"),
    ])
    func logStreamsHaveAddresses(address: String, group: String, stream: String) throws {
        let place = "?region=eu-central-1"
        #expect(try amazonRequest(address + place).url == "https://logs.eu-central-1.amazonaws.com/")
        #expect(try amazonRequest(address + place + "&endpoint=http://127.0.0.1:5000").url == "http://127.0.0.1:5000/")
        let destination = try DestinationAddress.destination(address + place, token: nil) { Self.keys[$0] }
        let expected = CloudWatchDestination(
            group: group, stream: stream, region: "eu-central-1", credentials: AWSCredentials(accessKey: "AKIA", secretKey: "tok-secret"))
        #expect((destination as? CloudWatchDestination) == expected)
    }

    @Test func theKeysStandInTheEnvironment() throws {
        let address = "s3://b?region=r"
        let temporary = try amazonRequest(address, Self.keys.merging(["AWS_SESSION_TOKEN": "tok-session"]) { $1 })
        #expect(temporary.signature?.sessionToken?.revealed == "tok-session")
        #expect(try amazonRequest(address, Self.keys.merging(["AWS_SESSION_TOKEN": ""]) { $1 }).signature?.sessionToken == nil)
        let incomplete: [([String: String], String)] = [
            ([:], "AWS_ACCESS_KEY_ID and no AWS_SECRET_ACCESS_KEY"), (["AWS_ACCESS_KEY_ID": "AKIA"], "AWS_SECRET_ACCESS_KEY"),
            (["AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "tok-secret"], "AWS_ACCESS_KEY_ID"),
        ]
        for (environment, missing) in incomplete {
            #expect(throws: DestinationAddressError.invalid(kind: "s3", reason: "the environment has no \(missing)")) {
                try amazonRequest(address, environment)
            }
        }
    }

    @Test(arguments: [
        "s3://b", "s3://b?region=", "s3://b?region=eu%20central", "s3://b:9000?region=r", "s3://b/a%2Fb?region=r", "s3://b/a b?region=r",
        "s3:///a?region=r", "s3://b?region=r&endpoint=h:5000", "cloudwatch://g/s", "cloudwatch://g?region=r", "cloudwatch://g/?region=r",
        "cloudwatch:///s?region=r", "cloudwatch://g/a:b?region=r", "cloudwatch://g/a*?region=r", "cloudwatch://g%20h/s?region=r",
        "cloudwatch://g/%zz?region=r",
    ])
    func whatNamesNothingOfAmazonsIsSaid(address: String) {
        #expect(throws: DestinationAddressError.self) { try amazonRequest(address) }
    }

    @Test(arguments: [
        "", "h", "loki:h", "ftp://h", "gelf://h", "loki://", "loki://user:pass@h?job=a", "loki://h", "loki://h?level=a", "loki://h?job",
        "loki://h?job=%zz", "loki://h?job=50%+free", "loki+tls://h?job=a", "elasticsearch://h/UPPER", "clickhouse://h/a;b", "loki://h\n?job=a",
        "loki+http+http://h?job=a",
        "datadog://datadoghq.eu/x", "datadog://127.0.0.1:8126/x", "loggly://web/x", "clickhouse://h/a.b.c", "clickhouse://h/.logs",
        "clickhouse://h/app.",
    ])
    func whatNamesNoneIsSaid(address: String) {
        #expect(throws: DestinationAddressError.self) { try DestinationAddress.destination(address, token: "tok-secret") }
    }

    @Test("a parameter that means nothing is refused, and named without its value", arguments: [
        ("collector://h", "token", "it takes none"), ("loggly://web", "tags", "it takes none"),
        ("elasticsearch://h/logs", "pipeline", "there are service, user"), ("logstash://h/in", "key", "there are service, user"),
        ("splunk://h", "sourcetype", "there are source, index, host"),
        ("datadog://datadoghq.eu", "servce", "there are service, host, tags"),
        ("s3://b?region=r", "class", "there are region, endpoint"), ("cloudwatch://g/s?region=r", "profile", "there are region, endpoint"),
    ])
    func parametersThatMeanNothing(address: String, parameter: String, others: String) throws {
        let given = address + (address.contains("?") ? "&" : "?") + "\(parameter)=hush", kind = String(address.prefix { $0 != ":" })
        #expect(throws: DestinationAddressError.invalid(kind: kind, reason: "there is no parameter \(parameter); \(others)")) {
            try DestinationAddress.destination(given, token: "tok-secret") { Self.keys[$0] }
        }
        _ = try DestinationAddress.destination(address, token: "tok-secret") { Self.keys[$0] }
    }

    @Test(arguments: [
        ("loki", "say ?user=name"), ("clickhouse", "say ?user=name"), ("https", "this kind takes a token"),
        ("collector", "this kind takes a token"), ("splunk", "this kind takes a token"), ("s3", "the keys stand in the environment"),
    ])
    func whatHelpsInsteadOfAUserIsSaid(kind: String, remedy: String) {
        let reason = "no user stands before the host; " + remedy
        #expect(throws: DestinationAddressError.invalid(kind: kind, reason: reason)) {
            try DestinationAddress.destination("\(kind)://user@h/a", token: "tok-secret")
        }
    }

    @Test func aMissingTokenIsSaid() {
        for address in ["splunk://h", "datadog://h", "loggly://h"] {
            #expect(throws: DestinationAddressError.self) { try DestinationAddress.destination(address) }
        }
    }
}
