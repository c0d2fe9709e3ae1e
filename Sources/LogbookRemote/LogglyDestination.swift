public import LogbookDelivery
internal import LogbookFormat
public import LogbookHTTP

/// Loggly: `POST https://logs-01.loggly.com/bulk/<token>/tag/<tags>/`, one event per line.
///
/// Loggly takes 5 MB at once and cuts an event after 1 MB. Its answer says that it has the events, not that they are indexed;
/// what arrives twice is stored twice.
/// - Note: Source: documentation.solarwinds.com, Loggly, "HTTP/S bulk endpoint".
public struct LogglyDestination: LogDestination, LineDestination, Hashable {
    private let token: Secret
    private let tags: [String]
    private let host: String

    /// - Parameters:
    ///   - token: Part of the address, and printed nowhere.
    ///   - host: Where Loggly is, without a path.
    public init(token: Secret, tags: [String] = [], host: String = "https://logs-01.loggly.com") {
        self.token = token
        self.tags = tags
        self.host = host.withoutTrailingSlashes
    }

    /// It takes five million, and was seen to refuse exactly as many.
    private static let maximumBytes = 4_900_000

    public var contentType: String { "text/plain" }
    public var takesGzip: Bool { false }
    public var limits: DestinationLimits { DestinationLimits(bytes: Self.maximumBytes) }

    public func request(for parcel: Parcel) -> HTTPRequest {
        let tag = tags.isEmpty ? "" : "tag/" + tags.map(\.percentEncoded).joined(separator: ",") + "/"
        return HTTPRequest(
            url: host + "/bulk/" + token.revealed.percentEncoded + "/" + tag, headers: parcel.contentHeaders, body: parcel.body,
            stream: parcel.stream)
    }

    public func verdict(on response: HTTPResponse, for parcel: Parcel) -> DeliveryVerdict {
        guard response.status == 200 else {
            // The token is in the address, which an answer may repeat.
            return DeliveryVerdict.refusal(by: response).masking([token.revealed, token.revealed.percentEncoded])
        }
        guard let answer = try? JSONValue.parse(response.body), answer["response"] == .string("ok") else {
            return .notAcknowledged(response, by: "Loggly")
        }
        return .delivered
    }
}

extension LogDestination where Self == LogglyDestination {
    /// Loggly.
    public static func loggly(token: Secret, tags: [String] = []) -> LogglyDestination {
        LogglyDestination(token: token, tags: tags)
    }
}
