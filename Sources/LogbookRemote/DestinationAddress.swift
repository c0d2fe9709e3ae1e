internal import LogbookCore
public import LogbookHTTP

/// Destinations by address, for programs that are told at run time where to send:
/// `clickhouse://db.example.com:8443/logs?user=ingest`, `loki://127.0.0.1:3100?job=checkout`, `https://example.com/in`.
///
/// | Address | Path | Parameters |
/// |---|---|---|
/// | `collector://host` | what stands before its own, behind a proxy | |
/// | `elasticsearch://host/index` | the index | `service`, `user` |
/// | `loki://host` | likewise | each is a label; `tenant` and `user` are not |
/// | `otlp://host` | likewise | `service`, `user`; each other is a fact about the resource |
/// | `splunk://host` | likewise | `source`, `index`, `host` |
/// | `datadog://site` | | `service`, `host`, `tags` |
/// | `clickhouse://host/table` | the table | `user`; each other is a setting |
/// | `loggly://tag` | | |
/// | `logstash://host/path` | the input's | `service`, `user` |
/// | `s3://bucket/prefix` | the objects' folder, `logs` where there is none | `region`, `endpoint` |
/// | `cloudwatch://group/stream` | the stream is what stands behind the last slash | `region`, `endpoint` |
/// | `http://host/path`, `https://…` | the receiver's, with its parameters as they stand | |
///
/// A group of CloudWatch keeps its slashes: `cloudwatch:///aws/lambda/checkout/till-7?region=eu-central-1` is the stream `till-7` of the
/// group `/aws/lambda/checkout`. A slash in a stream's name is written `%2F`. For both of Amazon's kinds the keys stand in the environment,
/// as `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, and where they are temporary `AWS_SESSION_TOKEN`; an `endpoint`, such as
/// `http://127.0.0.1:5000`, is that of another service than Amazon's.
///
/// Another parameter than these is refused. A `datadog://` of this machine, or one that is spoken to in plain HTTP, is an intake of your
/// own and no site.
///
/// The connection is TLS unless the host is this machine; `loki+http://host` and `loki+https://127.0.0.1` say otherwise.
/// ``CurlTransport/shared``, which the `logbook` tool uses, speaks plain HTTP to this machine only; in code,
/// `CurlTransport(allowsPlainHTTP: true)` reaches others.
public enum DestinationAddress {
    public static let kinds = [
        "collector", "elasticsearch", "loki", "otlp", "splunk", "datadog", "clickhouse", "loggly", "logstash", "s3", "cloudwatch", "http",
        "https",
    ]

    /// - Parameter token: A bearer token; an API key for Elasticsearch and Datadog; a password where the address names a user, and
    ///   for ClickHouse; Loggly's and Splunk's own token. Not for Amazon's kinds.
    public static func destination(_ address: String, token: Secret? = nil) throws(DestinationAddressError) -> any LogDestination {
        try destination(address, token: token, environment: LogEnvironment.variable(named:))
    }

    /// - Parameter environment: The value of a variable; nil when it is not set.
    package static func destination(
        _ address: String, token: Secret?, environment: (String) -> String?
    ) throws(DestinationAddressError) -> any LogDestination {
        let parts = try Parts(address)
        try checkParameters(of: parts)
        let authorization = authorization(parts, token)
        switch parts.kind {
        case "collector": return .collector(url: parts.base, token: token) as CollectorDestination
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
            return .loki(url: parts.base, labels: labels, tenant: parts["tenant"], authorization: authorization) as LokiDestination
        case "otlp":
            return .otlp(
                url: parts.base, service: parts["service"] ?? "logbook", resource: parts.others(but: ["service", "user"]),
                authorization: authorization) as OTLPDestination
        case "splunk":
            guard let token else { throw parts.invalid("a token is needed") }
            return .splunk(
                url: parts.base, token: token, source: parts["source"] ?? "logbook", host: parts["host"], index: parts["index"])
                as SplunkDestination
        case "datadog":
            guard let token else { throw parts.invalid("a token is needed, which is the API key") }
            guard parts.path.isEmpty else { throw parts.invalid("no path stands behind the site") }
            let service = parts["service"] ?? "logbook", tags = parts["tags"].map { $0.split(separator: ",").map(String.init) } ?? []
            if parts.isOwnIntake {
                return DatadogDestination(
                    url: parts.url + "/api/v2/logs", apiKey: token, service: service, host: parts["host"], tags: tags)
            }
            return .datadog(apiKey: token, site: parts.host, service: service, host: parts["host"], tags: tags) as DatadogDestination
        case "clickhouse":
            let table = parts.path.isEmpty ? "logs" : parts.path
            guard isName(table, beside: "_."), ClickHouseDestination.isTable(table) else {
                throw parts.invalid("a table has letters, digits and _, with one dot at most, between the database and the table")
            }
            return .clickHouse(
                url: parts.url, table: table, user: parts["user"], password: token, settings: parts.others(but: ["user"]))
                as ClickHouseDestination
        case "loggly":
            guard let token else { throw parts.invalid("a token is needed") }
            guard parts.path.isEmpty else { throw parts.invalid("no path stands behind the tag") }
            return .loggly(token: token, tags: [parts.host]) as LogglyDestination
        case "logstash":
            return .logstash(url: parts.base, authorization: authorization, service: parts["service"]) as LogstashDestination
        case "s3": return try s3(parts, environment)
        case "cloudwatch": return try cloudWatch(parts, environment)
        case "http", "https": return .http(url: address, headers: authorization.headers) as HTTPDestination
        default: throw .unknownKind(parts.kind)
        }
    }

    /// What is given and means nothing is most often a word that was misspelt, and would be missed where it is looked for.
    private static func checkParameters(of parts: Parts) throws(DestinationAddressError) {
        let known: [String]
        switch parts.kind {
        case "collector", "loggly": known = []
        case "elasticsearch", "logstash": known = ["service", "user"]
        case "splunk": known = ["source", "index", "host"]
        case "datadog": known = ["service", "host", "tags"]
        case "s3", "cloudwatch": known = ["region", "endpoint"]
        default: return   // each is a label, a fact or a setting, or goes as it stands
        }
        guard let other = parts.others(but: Set(known)).keys.min() else { return }
        throw parts.invalid(
            "there is no parameter \(other); " + (known.isEmpty ? "it takes none" : "there are " + known.joined(separator: ", ")))
    }

    /// Whether an address names a Logbook collector.
    package static func isCollector(_ address: String) -> Bool { (try? Parts(address))?.kind == "collector" }

    static func s3(_ parts: Parts, _ environment: (String) -> String?) throws(DestinationAddressError) -> S3Destination {
        let prefix = parts.path.isEmpty ? "logs" : parts.path
        guard isName(parts.host, beside: "-._"), isName(prefix, beside: "-._~/") else {
            throw parts.invalid("bucket and prefix have letters, digits, - . and _, as in s3://bucket/logs/shop")
        }
        let account = try account(parts, environment)
        return S3Destination(
            bucket: parts.host, region: account.region, prefix: prefix, credentials: account.credentials, endpoint: account.endpoint)
    }

    static func cloudWatch(_ parts: Parts, _ environment: (String) -> String?) throws(DestinationAddressError) -> CloudWatchDestination {
        guard let slash = parts.place.lastIndex(of: "/"), let group = Parts.decoded(parts.place[..<slash]),
            let stream = Parts.decoded(parts.place[parts.place.index(after: slash)...]), isName(group, beside: "_-/.#"),
            !stream.isEmpty, stream.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x3A && $0 != 0x2A && $0 != 0x7F })
        else {
            throw parts.invalid("name group and stream as in cloudwatch://shop/till-7, or cloudwatch:///aws/lambda/shop/till-7")
        }
        let account = try account(parts, environment)
        return CloudWatchDestination(
            group: group, stream: stream, region: account.region, credentials: account.credentials, endpoint: account.endpoint)
    }

    /// Which part of Amazon, or who plays it, and the keys.
    private static func account(
        _ parts: Parts, _ environment: (String) -> String?
    ) throws(DestinationAddressError) -> (region: String, endpoint: String?, credentials: AWSCredentials) {
        guard let region = parts["region"], isName(region, beside: "-") else {
            throw parts.invalid("name the region as in ?region=eu-central-1")
        }
        let endpoint = parts["endpoint"]
        if let endpoint, !endpoint.hasPrefix("https://"), !endpoint.hasPrefix("http://") {
            throw parts.invalid("an endpoint begins with https:// or http://")
        }
        func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
        let names = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]
        guard let accessKey = value(names[0]), let secretKey = value(names[1]) else {
            let missing = names.filter { value($0) == nil }
            throw parts.invalid("the environment has no " + missing.joined(separator: " and no "))
        }
        let credentials = AWSCredentials(
            accessKey: accessKey, secretKey: Secret(secretKey), sessionToken: value("AWS_SESSION_TOKEN").map { Secret($0) })
        return (region, endpoint, credentials)
    }

    static func authorization(_ parts: Parts, _ token: Secret?) -> Authorization {
        guard let token else { return .none }
        if let user = parts["user"] { return .basic(user: user, password: token) }
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
        /// Host and path as they were written.
        let place: String
        let isPlain: Bool
        private let isThisMachine: Bool
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
            self.place = String(place)
            guard !host.isEmpty || kind == "cloudwatch" else { throw .unreadable }   // a group may begin with a slash
            guard !host.contains("@") else {
                throw .invalid(kind: self.kind, reason: "no user stands before the host; \(Self.remedy(forUserOf: self.kind))")
            }
            let name = host.hasPrefix("[") ? host.prefix { $0 != "]" } + "]" : host.prefix { $0 != ":" }
            isThisMachine = name == "localhost" || name == "[::1]" || name.hasPrefix("127.")
            // A receiver of one's own has its scheme for a kind.
            let scheme = ["http", "https"].contains(self.kind) ? words.first : words.dropFirst().first
            isPlain = scheme.map { $0 == "http" } ?? isThisMachine
            var parameters: [(String, String)] = []
            // A receiver of one's own may have its parameters in any form: they go as they stand.
            for word in ["http", "https"].contains(self.kind) ? [] : rest.dropFirst(place.count + 1).split(separator: "&") {
                let halves = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard halves.count == 2, let key = Self.decoded(halves[0]), let value = Self.decoded(halves[1]), !key.isEmpty else {
                    throw .invalid(kind: self.kind, reason: "parameters should look like ?job=checkout&environment=production")
                }
                parameters.append((key, value))
            }
            self.parameters = parameters
        }

        private static func remedy(forUserOf kind: String) -> String {
            switch kind {
            case "elasticsearch", "loki", "otlp", "clickhouse", "logstash": "say ?user=name"
            case "s3", "cloudwatch": "the keys stand in the environment"
            default: "this kind takes a token"
            }
        }

        var url: String { (isPlain ? "http://" : "https://") + host }
        /// Of Datadog: whether the host takes what is meant for it, and is none of its sites.
        var isOwnIntake: Bool { isPlain || isThisMachine }
        /// With the path.
        var base: String { path.isEmpty ? url : url + "/" + path }

        subscript(key: String) -> String? { parameters.last { $0.key == key }?.value }

        func others(but known: Set<String>) -> [String: String] {
            Dictionary(parameters.filter { !known.contains($0.key) }.map { ($0.key, $0.value) }) { $1 }
        }

        func invalid(_ reason: String) -> DestinationAddressError { .invalid(kind: kind, reason: reason) }

        /// `%20` and its like; nil for what is cut off, has other digits, or is no UTF-8.
        static func decoded(_ text: Substring) -> String? { text.percentDecoded() }
    }
}
