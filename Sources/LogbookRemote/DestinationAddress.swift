public import LogbookHTTP

/// Destinations by address, for programs that are told at run time where to send:
/// `clickhouse://db.example.com:8443/logs?user=ingest`, `loki://127.0.0.1:3100?job=checkout`, `https://example.com/in`.
///
/// | Address | Path | Parameters |
/// |---|---|---|
/// | `collector://host` | | |
/// | `elasticsearch://host/index` | the index | `service`, `user` |
/// | `loki://host` | | each is a label; `tenant` and `user` are not |
/// | `otlp://host` | | `service`, `user`; each other is a fact about the resource |
/// | `splunk://host` | | `source`, `index`, `host` |
/// | `datadog://site` | | `service`, `host`, `tags` |
/// | `clickhouse://host/table` | the table | `user`; each other is a setting |
/// | `loggly://tag` | | |
/// | `logstash://host/path` | the input's | `service`, `user` |
/// | `http://host/path`, `https://…` | the receiver's, with its parameters | |
///
/// The connection is TLS unless the host is this machine; `loki+http://host` and `loki+https://127.0.0.1` say otherwise.
/// ``CurlTransport/shared``, which the `logbook` tool uses, speaks plain HTTP to this machine only; in code,
/// `CurlTransport(allowsPlainHTTP: true)` reaches others.
public enum DestinationAddress {
    public static let kinds = [
        "collector", "elasticsearch", "loki", "otlp", "splunk", "datadog", "clickhouse", "loggly", "logstash", "http", "https",
    ]

    /// - Parameter token: A bearer token; an API key for Elasticsearch and Datadog; a password where the address names a user, and
    ///   for ClickHouse; Loggly's and Splunk's own token.
    public static func destination(_ address: String, token: Secret? = nil) throws(DestinationAddressError) -> any LogDestination {
        let parts = try Parts(address)
        let authorization = authorization(parts, token)
        switch parts.kind {
        case "collector": return .collector(url: parts.url, token: token) as CollectorDestination
        case "elasticsearch":
            let index = parts.path.isEmpty ? "logs-logbook-default" : parts.path
            guard isName(index, beside: "._-"), index == index.lowercased() else {
                throw parts.invalid("an index has lower-case letters, digits, . _ and -")
            }
            return .elasticsearch(url: parts.url, index: index, authorization: authorization, service: parts["service"])
                as ElasticsearchDestination
        case "loki":
            let labels = parts.others(but: ["tenant", "user"])
            guard labels.keys.allSatisfy({ isName($0, beside: "_") && $0 != "level" }), !labels.isEmpty else {
                throw parts.invalid("name labels as in ?job=checkout, with letters, digits and _; level is set by itself")
            }
            return .loki(url: parts.url, labels: labels, tenant: parts["tenant"], authorization: authorization) as LokiDestination
        case "otlp":
            return .otlp(
                url: parts.url, service: parts["service"] ?? "logbook", resource: parts.others(but: ["service", "user"]),
                authorization: authorization) as OTLPDestination
        case "splunk":
            guard let token else { throw parts.invalid("a token is needed") }
            return .splunk(
                url: parts.url, token: token, source: parts["source"] ?? "logbook", host: parts["host"], index: parts["index"])
                as SplunkDestination
        case "datadog":
            guard let token else { throw parts.invalid("a token is needed, which is the API key") }
            let service = parts["service"] ?? "logbook", tags = parts["tags"].map { $0.split(separator: ",").map(String.init) } ?? []
            if parts.isPlain {
                return DatadogDestination(
                    url: parts.url + "/api/v2/logs", apiKey: token, service: service, host: parts["host"], tags: tags)
            }
            return .datadog(apiKey: token, site: parts.host, service: service, host: parts["host"], tags: tags) as DatadogDestination
        case "clickhouse":
            let table = parts.path.isEmpty ? "logs" : parts.path
            guard isName(table, beside: "_.") else { throw parts.invalid("a table has letters, digits and _, with one dot at most") }
            return .clickHouse(
                url: parts.url, table: table, user: parts["user"], password: token, settings: parts.others(but: ["user"]))
                as ClickHouseDestination
        case "loggly":
            guard let token else { throw parts.invalid("a token is needed") }
            return .loggly(token: token, tags: [parts.host]) as LogglyDestination
        case "logstash":
            return .logstash(
                url: parts.url + (parts.path.isEmpty ? "" : "/" + parts.path), authorization: authorization,
                service: parts["service"]) as LogstashDestination
        case "http", "https": return .http(url: address, headers: authorization.headers) as HTTPDestination
        default: throw .unknownKind(parts.kind)
        }
    }

    static func authorization(_ parts: Parts, _ token: Secret?) -> Authorization {
        guard let token else { return .none }
        if let user = parts["user"], parts.kind != "http", parts.kind != "https" { return .basic(user: user, password: token) }
        return parts.kind == "elasticsearch" ? .apiKey(token) : .bearer(token)
    }

    private static func isName(_ text: String, beside others: String) -> Bool {
        guard let first = text.utf8.first, !(0x30...0x39).contains(first) || others.contains("-") else { return false }
        return text.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte) || others.utf8.contains(byte)
        }
    }

    struct Parts {
        let kind: String
        /// With the port.
        let host: String
        let path: String
        let isPlain: Bool
        private let parameters: [(key: String, value: String)]

        init(_ address: String) throws(DestinationAddressError) {
            guard let separator = address.firstRange(of: "://"), address.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
                throw .unreadable
            }
            let words = address[..<separator.lowerBound].lowercased().split(separator: "+", omittingEmptySubsequences: false)
            guard let kind = words.first, words.count <= 2, ["http", "https", nil].contains(words.dropFirst().first.map(String.init)) else {
                throw .unreadable
            }
            self.kind = String(kind)
            if !DestinationAddress.kinds.contains(self.kind) { throw .unknownKind(self.kind) }
            let rest = address[separator.upperBound...]
            let place = rest.prefix { $0 != "?" }
            host = String(place.prefix { $0 != "/" })
            path = String(place.drop { $0 != "/" }.drop { $0 == "/" })
            guard !host.isEmpty else { throw .unreadable }
            guard !host.contains("@") else { throw .invalid(kind: self.kind, reason: "no user stands before the host; say ?user=name") }
            let name = host.hasPrefix("[") ? host.prefix { $0 != "]" } + "]" : host.prefix { $0 != ":" }
            let isThisMachine = name == "localhost" || name == "[::1]" || name.hasPrefix("127.")
            isPlain = words.dropFirst().first.map { $0 == "http" } ?? isThisMachine
            var parameters: [(String, String)] = []
            for word in rest.dropFirst(place.count + 1).split(separator: "&") {
                let halves = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard halves.count == 2, let key = Self.decoded(halves[0]), let value = Self.decoded(halves[1]), !key.isEmpty else {
                    throw .invalid(kind: self.kind, reason: "parameters should look like ?job=checkout&environment=production")
                }
                parameters.append((key, value))
            }
            self.parameters = parameters
        }

        var url: String { (isPlain ? "http://" : "https://") + host }

        subscript(key: String) -> String? { parameters.last { $0.key == key }?.value }

        func others(but known: Set<String>) -> [String: String] {
            Dictionary(parameters.filter { !known.contains($0.key) }.map { ($0.key, $0.value) }) { $1 }
        }

        func invalid(_ reason: String) -> DestinationAddressError { .invalid(kind: kind, reason: reason) }

        /// `%20` and its like; nil for what is cut off or no UTF-8.
        private static func decoded(_ text: Substring) -> String? {
            var bytes: [UInt8] = [], rest = Array(text.utf8)[...]
            while let byte = rest.popFirst() {
                if byte != UInt8(ascii: "%") {
                    bytes.append(byte)
                    continue
                }
                guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { return nil }
                bytes.append(value)
                rest = rest.dropFirst(2)
            }
            return String(validating: bytes, as: UTF8.self)
        }
    }
}
