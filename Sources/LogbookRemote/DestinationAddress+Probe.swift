package import LogbookHTTP

extension DestinationAddress {
    /// A question that a receiver answers without storing anything.
    package struct Probe: Sendable {
        package let request: HTTPRequest
        /// Whether the answer says something about the token.
        package let asksForToken: Bool
    }

    /// - Throws: As ``destination(_:token:)`` does.
    package static func probe(_ address: String, token: Secret? = nil) throws(DestinationAddressError) -> Probe {
        _ = try destination(address, token: token)
        let parts = try Parts(address)
        func question(_ path: String, _ headers: [HTTPHeader] = [], asksForToken: Bool) -> Probe {
            Probe(request: HTTPRequest(method: "GET", url: parts.url + path, headers: headers), asksForToken: asksForToken)
        }
        let headers = authorization(parts, token).headers
        switch parts.kind {
        case "collector": return question("/v1/stats", headers, asksForToken: true)
        case "elasticsearch": return question("/", headers, asksForToken: true)
        case "clickhouse":
            var headers: [HTTPHeader] = []
            if let user = parts["user"] { headers.append(HTTPHeader("X-ClickHouse-User", user)) }
            if let token { headers.append(HTTPHeader("X-ClickHouse-Key", token.revealed)) }
            return question("/?query=SELECT%201", headers, asksForToken: true)
        case "loki": return question("/ready", asksForToken: false)
        case "splunk": return question("/services/collector/health", asksForToken: false)
        case "datadog" where !parts.isPlain:
            return Probe(request: HTTPRequest(method: "GET", url: "https://http-intake.logs.\(parts.host)/"), asksForToken: false)
        case "loggly": return Probe(request: HTTPRequest(method: "GET", url: "https://logs-01.loggly.com/"), asksForToken: false)
        default: return question("/", asksForToken: false)
        }
    }
}
