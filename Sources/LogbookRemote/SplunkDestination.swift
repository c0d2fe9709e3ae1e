internal import LogbookCore
public import LogbookDelivery
internal import LogbookFormat
public import LogbookHTTP

/// Splunk's HTTP Event Collector: `POST <url>/services/collector/event`.
///
/// Splunk answers when it has read the events, not when it has indexed them, and stores what arrives twice twice; `fields.event_key`
/// is the same then.
///
/// ```json
/// {"time":1792837760.123456789,"source":"checkout","sourcetype":"_json","event":{"time":…},"fields":{"event_key":"586A…-7-42"}}
/// ```
/// - Note: Source: Splunk documentation, "Format events for HTTP Event Collector" and its table of reply codes.
public struct SplunkDestination: LogDestination, Hashable {
    private let url: String
    private let token: Secret
    private let frame: [UInt8]

    /// - Parameters:
    ///   - url: Where the collector listens, without a path: `https://splunk.example.com:8088`.
    ///   - index: The token's own when it is nil.
    public init(
        url: String, token: Secret, source: String = "logbook", sourceType: String = "_json", host: String? = nil,
        index: String? = nil
    ) {
        self.url = url.withoutTrailingSlashes + "/services/collector/event"
        self.token = token
        var frame: [UInt8] = []
        for (key, value) in [("host", host), ("source", source), ("sourcetype", sourceType), ("index", index)] {
            guard let value else { continue }
            frame += #","\#(key)":"#.utf8
            frame.append(jsonString: value)
        }
        self.frame = frame
    }

    public var contentType: String { "application/json" }
    public var limits: DestinationLimits { DestinationLimits(bytes: 1 << 20) }

    public func encode(_ events: [KeyedEvent]) -> [UInt8] {
        var bytes: [UInt8] = []
        for event in events {
            bytes += #"{"time":\#(event.event.time.decimalSeconds)"#.utf8
            bytes += frame
            bytes += #","event":"#.utf8
            JSONLines.appendObject(event, to: &bytes)
            bytes += #","fields":{"event_key":"#.utf8
            bytes.append(jsonString: event.key)
            bytes += "}}".utf8
        }
        return bytes
    }

    public func request(for parcel: Parcel) -> HTTPRequest {
        HTTPRequest(
            url: url, headers: parcel.contentHeaders + [HTTPHeader("Authorization", "Splunk " + token.revealed)],
            body: parcel.body)
    }

    public func verdict(on response: HTTPResponse, for parcel: Parcel) -> DeliveryVerdict {
        let answer = try? JSONValue.parse(response.body)
        guard case .integer(let code)? = answer?["code"] else {
            return response.status == 200 ? .notAcknowledged(response, by: "Splunk") : .refusal(by: response)
        }
        let reason: String
        if case .string(let text)? = answer?["text"] { reason = "\(text) (code \(code))" } else { reason = "code \(code)" }
        switch (response.status, code) {
        case (200, 0): return .delivered
        case (_, 1...4), (400, 7), (400, 10...11): return .misconfigured(reason)   // token, index or channel
        case (400, _): return .rejected(reason)
        default: return .refusal(by: response)
        }
    }
}

extension LogDestination where Self == SplunkDestination {
    /// Splunk's HTTP Event Collector.
    public static func splunk(
        url: String, token: Secret, source: String = "logbook", sourceType: String = "_json", host: String? = nil,
        index: String? = nil
    ) -> SplunkDestination {
        SplunkDestination(url: url, token: token, source: source, sourceType: sourceType, host: host, index: index)
    }
}

extension LogTime {
    /// `1792837760.123456789`, as a number of JSON.
    var decimalSeconds: String {
        let second = wholeSeconds, digits = String(nanosecondOfSecond)
        if second < 0 { return String(seconds) }   // before 1970, where nobody counts nanoseconds
        return "\(second)." + String(repeating: "0", count: 9 - digits.count) + digits
    }
}
