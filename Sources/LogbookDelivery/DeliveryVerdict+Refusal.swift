public import LogbookCore
public import LogbookHTTP

extension DeliveryVerdict {
    /// What an answer other than a success commonly means, so that receivers need to say only where they differ: the receiver
    /// refuses us (3xx, 401, 403, 404, 405, 415, 421), will never take the parcel (400, 422), takes less at once (413), or, as
    /// for every other answer, wants to be asked again, at the time it names.
    ///
    /// The reason holds the status and the beginning of the answer's text.
    public static func refusal(by response: HTTPResponse, clock: LogClock = .system) -> DeliveryVerdict {
        let reason = reason(response)
        switch response.status {
        case 300..<400, 401, 403, 404, 405, 415, 421: return .misconfigured(reason)
        case 400, 422: return .rejected(reason)
        case 413: return .tooLarge(reason)
        default: return .retry(after: RetryAfter.asked(by: response, clock: clock), reason)
        }
    }

    /// `503: the archive is busy`
    private static func reason(_ response: HTTPResponse) -> String {
        let text = String(decoding: response.body.prefix(200), as: UTF8.self)
            .split { $0.isWhitespace || $0.unicodeScalars.contains(where: \.mayForge) }
            .joined(separator: " ")
        return text.isEmpty ? "HTTP status \(response.status)" : "HTTP status \(response.status): \(text)"
    }
}
