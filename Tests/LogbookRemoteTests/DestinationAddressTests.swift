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
        ("loggly://web", "https://logs-01.loggly.com/bulk/tok/tag/web/"),
        ("logstash://h:8080/in", "https://h:8080/in"), ("https://h/in?a=b", "https://h/in?a=b"),
        ("http://127.0.0.1:1/in", "http://127.0.0.1:1/in"),
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

    @Test(arguments: [
        "", "h", "loki:h", "ftp://h", "gelf://h", "loki://", "loki://user:pass@h?job=a", "loki://h", "loki://h?level=a", "loki://h?job",
        "loki://h?job=%zz", "loki+tls://h?job=a", "elasticsearch://h/UPPER", "clickhouse://h/a;b", "loki://h\n?job=a", "loki+http+http://h?job=a",
    ])
    func whatNamesNoneIsSaid(address: String) {
        #expect(throws: DestinationAddressError.self) { try DestinationAddress.destination(address, token: "tok-secret") }
    }

    @Test func aMissingTokenIsSaid() {
        for address in ["splunk://h", "datadog://h", "loggly://h"] {
            #expect(throws: DestinationAddressError.self) { try DestinationAddress.destination(address) }
        }
    }
}
