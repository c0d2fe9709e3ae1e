internal import LogbookCore
public import LogbookDelivery
internal import LogbookFormat
public import LogbookHTTP

/// Splunk's HTTP Event Collector: `POST <url>/services/collector/event`.
///
/// Splunk answers when it has read the events, not when it has indexed them; with an ``SplunkAcknowledgement`` a parcel is delivered
/// when the indexers have it. Where the token has that switched off it is delivered when Splunk has read it, as without one, which is said
/// once in ``LogDiagnostics``. What arrives twice is stored twice; `fields.event_key` is the same then.
///
/// ```json
/// {"time":1792837760.123456789,"source":"checkout","sourcetype":"_json","event":{"time":…},"fields":{"event_key":"586A…-7-42"}}
/// ```
/// - Note: Source: Splunk documentation, "Format events for HTTP Event Collector", its table of reply codes, and "About HTTP Event
///   Collector Indexer Acknowledgment".
public struct SplunkDestination: LogDestination, Hashable {
    private let url: String
    private let token: Secret
    private let frame: [UInt8]
    private let base: String
    private let acknowledgement: SplunkAcknowledgement?
    private let lack = LackOfAcknowledgement()

    /// - Parameters:
    ///   - url: Where the collector listens, without a path: `https://splunk.example.com:8088`.
    ///   - index: The token's own when it is nil.
    ///   - acknowledgement: For a token with indexer acknowledgement; nil for one without, of which it would change nothing.
    public init(
        url: String, token: Secret, source: String = "logbook", sourceType: String = "_json", host: String? = nil,
        index: String? = nil, acknowledgement: SplunkAcknowledgement? = nil
    ) {
        acknowledgement?.check()
        base = url.withoutTrailingSlashes + "/services/collector"
        self.url = base + "/event"
        self.token = token
        self.acknowledgement = acknowledgement
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
        HTTPRequest(url: url, headers: parcel.contentHeaders + ownHeaders, body: parcel.body, stream: parcel.stream)
    }

    private var ownHeaders: [HTTPHeader] {
        let channel = acknowledgement.map { [HTTPHeader("X-Splunk-Request-Channel", $0.channel)] } ?? []
        return channel + [HTTPHeader("Authorization", "Splunk " + token.revealed)]
    }

    public func verdict(on response: HTTPResponse, for parcel: Parcel) -> DeliveryVerdict {
        let answer = try? JSONValue.parse(response.body)
        guard case .integer(let code)? = answer?["code"] else {
            return response.status == 200 ? .notAcknowledged(response, by: "Splunk") : .refusal(by: response)
        }
        let reason: String
        if case .string(let text)? = answer?["text"] { reason = "\(text) (code \(code))" } else { reason = "code \(code)" }
        switch (response.status, code) {
        case (200, 0):
            guard let acknowledgement else { return .delivered }
            guard case .integer(let id)? = answer?["ackId"] else {
                // It has been read, and would be stored again as often as it is sent.
                lack.sayOnce()
                return .delivered
            }
            return .inquire(inquiry(about: "\(id)", acknowledgement))
        case (_, 1...4), (400, 7), (400, 10...11), (400, 14): return .misconfigured(reason)   // token, index or channel
        case (400, _): return .rejected(reason)
        default: return .refusal(by: response)
        }
    }

    private func inquiry(about id: String, _ acknowledgement: SplunkAcknowledgement) -> DeliveryInquiry {
        DeliveryInquiry(
            name: id,
            request: HTTPRequest(
                url: base + "/ack", headers: [HTTPHeader("Content-Type", "application/json")] + ownHeaders,
                body: Array(#"{"acks":[\#(id)]}"#.utf8)),
            interval: acknowledgement.interval, limit: acknowledgement.limit)
    }

    public func verdict(on response: HTTPResponse, to inquiry: DeliveryInquiry, for parcel: Parcel) -> DeliveryVerdict {
        if response.status == 200, let answers = (try? JSONValue.parse(response.body))?["acks"], case .object = answers {
            return answers[inquiry.name] == .bool(true) ? .delivered : .inquire(inquiry)
        }
        // About the events nothing is said here: only what refuses us ends the waiting.
        switch verdict(on: response, for: parcel) {
        case .misconfigured(let reason): return .misconfigured(reason)
        case .retry(let asked, let reason): return .retry(after: asked, reason)
        default: return .inquire(inquiry)
        }
    }
}

/// That the token acknowledges nothing is said once for all copies of a destination; it makes no difference between two of them.
private final class LackOfAcknowledgement: Sendable, Hashable {
    private let isSaid = Locked(false)

    func sayOnce() {
        let wasSaid = isSaid.withLock { isSaid in
            defer { isSaid = true }
            return isSaid
        }
        if wasSaid { return }
        LogDiagnostics.report(
            "splunk",
            """
            the token acknowledges nothing: parcels count as delivered once they are read; enable indexer acknowledgement for it in Splunk
            """)
    }

    static func == (left: LackOfAcknowledgement, right: LackOfAcknowledgement) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}

extension LogDestination where Self == SplunkDestination {
    /// Splunk's HTTP Event Collector.
    public static func splunk(
        url: String, token: Secret, source: String = "logbook", sourceType: String = "_json", host: String? = nil,
        index: String? = nil, acknowledgement: SplunkAcknowledgement? = nil
    ) -> SplunkDestination {
        SplunkDestination(
            url: url, token: token, source: source, sourceType: sourceType, host: host, index: index,
            acknowledgement: acknowledgement)
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
