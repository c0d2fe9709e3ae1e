internal import LogbookCore
public import LogbookDelivery
internal import LogbookFormat
public import LogbookHTTP

/// Datadog's log intake: `POST https://http-intake.logs.<site>/api/v2/logs`.
///
/// Datadog cuts a log after 1 MB and does not take one that is older than 18 hours; it says neither. What arrives twice is stored
/// twice, with the same `logbook.key`.
///
/// ```json
/// [{"message":"cart opened","status":"info","timestamp":1792837760123,"ddsource":"swift","service":"checkout",
///   "logbook":{"key":"586A…-7-42","event":{"time":…}}}]
/// ```
/// - Note: Source: docs.datadoghq.com, "Send logs" (v2).
public struct DatadogDestination: LogDestination, Hashable {
    private let url: String
    private let apiKey: Secret
    private let frame: [UInt8]

    /// - Parameters:
    ///   - site: `datadoghq.com`, `datadoghq.eu`, `us5.datadoghq.com`.
    ///   - tags: `env:production`, `team:pay`.
    public init(apiKey: Secret, site: String = "datadoghq.com", service: String, host: String? = nil, tags: [String] = []) {
        self.init(url: "https://http-intake.logs.\(site)/api/v2/logs", apiKey: apiKey, service: service, host: host, tags: tags)
    }

    /// - Parameter url: Of an intake of your own, such as a proxy, with its path.
    public init(url: String, apiKey: Secret, service: String, host: String? = nil, tags: [String] = []) {
        self.url = url
        self.apiKey = apiKey
        var frame = Array(#","ddsource":"swift","service":"#.utf8)
        frame.append(jsonString: service)
        for (key, value) in [("hostname", host), ("ddtags", tags.isEmpty ? nil : tags.joined(separator: ","))] {
            guard let value else { continue }
            frame += #","\#(key)":"#.utf8
            frame.append(jsonString: value)
        }
        self.frame = frame
    }

    public var contentType: String { "application/json" }
    public var limits: DestinationLimits { DestinationLimits(events: 1000, bytes: 5_000_000) }

    public func encode(_ events: [KeyedEvent]) -> [UInt8] {
        JSONArray.encode(events) { event, bytes in
            bytes += #"{"message":"#.utf8
            bytes.append(jsonString: event.event.message)
            bytes += #","status":"\#(Self.status(event.event.level))","timestamp":\#(event.event.time.nanoseconds / 1_000_000)"#.utf8
            bytes += frame
            bytes += #","logbook":{"key":"#.utf8
            bytes.append(jsonString: event.key)
            bytes += #","event":"#.utf8
            JSONLines.appendObject(event, to: &bytes)
            bytes += "}}".utf8
        }
    }

    private static func status(_ level: LogLevel) -> String {
        switch level {
        case .verbose, .debug: "debug"
        case .info: "info"
        case .notice: "notice"
        case .warning: "warning"
        case .error: "error"
        case .critical: "critical"
        }
    }

    public func request(for parcel: Parcel) -> HTTPRequest {
        HTTPRequest(
            url: url, headers: parcel.contentHeaders + [HTTPHeader("DD-API-KEY", apiKey.revealed)], body: parcel.body,
            stream: parcel.stream)
    }

    /// Datadog says 202, and who takes what is meant for it, such as Vector, says 200; but a page is somebody else's.
    public func verdict(on response: HTTPResponse, for parcel: Parcel) -> DeliveryVerdict {
        switch response.status {
        case 200...202 where !response.isPage: .delivered
        case 200..<300: .notAcknowledged(response, by: "Datadog")
        default: .refusal(by: response)
        }
    }
}

extension LogDestination where Self == DatadogDestination {
    /// Datadog.
    public static func datadog(
        apiKey: Secret, site: String = "datadoghq.com", service: String, host: String? = nil, tags: [String] = []
    ) -> DatadogDestination { DatadogDestination(apiKey: apiKey, site: site, service: service, host: host, tags: tags) }
}
