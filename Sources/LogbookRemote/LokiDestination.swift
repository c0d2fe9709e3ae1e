internal import LogbookCore
public import LogbookDelivery
internal import LogbookFormat
public import LogbookHTTP

/// Grafana Loki: `POST <url>/loki/api/v1/push`.
///
/// Events of one level are one stream, in order of time. A line is the event as JSON with its key in it; Loki stores a line that
/// has the same time and text once, so what arrives twice is stored once.
///
/// ```json
/// {"streams":[{"stream":{"job":"checkout","level":"info"},"values":[["1792837760123456789","{\"time\":…}"]]}]}
/// ```
/// - Note: Source: grafana.com, "Loki HTTP API"; grafana/loki, "Request validation and rate limits".
public struct LokiDestination: LogDestination, Hashable {
    private let url: String
    private let labels: [Label]
    private let tenant: String?
    private let authorization: Authorization

    private struct Label: Hashable {
        let name: String
        let value: String
    }

    /// - Parameters:
    ///   - url: Where Loki is, without a path: `https://logs.example.com`.
    ///   - labels: Few and constant: the program, the environment, the machine. `level` is added. A name is a letter or `_`, then
    ///     letters, digits and `_`, and not `level`; another ends the program. Loki takes 15.
    ///   - tenant: Sent as `X-Scope-OrgID`.
    public init(
        url: String, labels: [String: String], tenant: String? = nil, authorization: Authorization = .none
    ) {
        requireValid(labels.keys.allSatisfy(Self.isName), "LokiDestination: a label's name is a letter or _, then letters, digits and _")
        requireValid(labels["level"] == nil, "LokiDestination: the label level is set by the destination")
        self.url = url.withoutTrailingSlashes + "/loki/api/v1/push"
        self.labels = labels.map { Label(name: $0, value: $1) }.sorted { $0.name < $1.name }
        self.tenant = tenant
        self.authorization = authorization
    }

    private static func isName(_ name: String) -> Bool {
        guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return false }
        return name.utf8.allSatisfy {
            (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F
        }
    }

    public var contentType: String { "application/json" }
    public var limits: DestinationLimits { DestinationLimits(bytes: 4 << 20) }

    public func encode(_ events: [KeyedEvent]) -> [UInt8] {
        var bytes = Array(#"{"streams":["#.utf8)
        var isFirst = true
        for level in LogLevel.allCases {
            let stream = events.enumerated().filter { $0.element.event.level == level }
                .sorted { ($0.element.event.time, $0.offset) < ($1.element.event.time, $1.offset) }
            if stream.isEmpty { continue }
            if !isFirst { bytes.append(0x2C) }
            isFirst = false
            append(stream.map(\.element), level, to: &bytes)
        }
        return bytes + "]}".utf8
    }

    private func append(_ stream: [KeyedEvent], _ level: LogLevel, to bytes: inout [UInt8]) {
        bytes += #"{"stream":{"#.utf8
        for label in labels {
            bytes.append(jsonString: label.name)
            bytes.append(0x3A)
            bytes.append(jsonString: label.value)
            bytes.append(0x2C)
        }
        bytes += #""level":"\#(level.name)"},"values":["#.utf8
        for (index, event) in stream.enumerated() {
            if index > 0 { bytes.append(0x2C) }
            var line: [UInt8] = []
            JSONLines.appendObject(event, to: &line)
            bytes += #"["\#(event.event.time.nanoseconds)","#.utf8
            bytes.append(jsonString: String(decoding: line, as: UTF8.self))
            bytes.append(0x5D)
        }
        bytes += "]}".utf8
    }

    public func request(for parcel: Parcel) -> HTTPRequest {
        let tenant = tenant.map { [HTTPHeader("X-Scope-OrgID", $0)] } ?? []
        return HTTPRequest(
            url: url, headers: parcel.contentHeaders + tenant + authorization.headers, body: parcel.body, stream: parcel.stream)
    }

    /// 204 alone is Loki's success. What it finds too old or too new for a stream is refused entry by entry, as after a long outage.
    public func verdict(on response: HTTPResponse, for parcel: Parcel) -> DeliveryVerdict {
        switch response.status {
        case 204: .delivered
        case 200..<300: .notAcknowledged(response, by: "Loki")
        default: .lokisRefusal(by: response)
        }
    }
}

extension DeliveryVerdict {
    /// What an answer of Loki other than a success means: an entry may be refused for its time alone. Also over OTLP, where the same words
    /// stand in a message of Protocol Buffers.
    static func lokisRefusal(by response: HTTPResponse) -> DeliveryVerdict {
        guard case .rejected(let reason) = refusal(by: response) else { return refusal(by: response) }
        let text = String(decoding: response.body.prefix(64 << 10), as: UTF8.self)
        return untimely.contains { text.contains($0) } ? .outsideTimeRange(reason) : .rejected(reason)
    }

    /// What Loki says of such entries.
    private static var untimely: [String] { ["entry too far behind", "has timestamp too old", "has timestamp too new"] }
}

extension LogDestination where Self == LokiDestination {
    /// Grafana Loki.
    public static func loki(
        url: String, labels: [String: String], tenant: String? = nil, authorization: Authorization = .none
    ) -> LokiDestination { LokiDestination(url: url, labels: labels, tenant: tenant, authorization: authorization) }
}
