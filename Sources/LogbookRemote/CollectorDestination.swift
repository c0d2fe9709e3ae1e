public import LogbookDelivery
internal import LogbookFormat
public import LogbookHTTP

/// A Logbook collector: `POST <url>/v1/logs`.
///
/// A parcel is delivered only when the answer is a success whose JSON names this parcel and accounts for each of its events:
///
/// ```json
/// {"parcel":"586AB00B-F16E-4AE6-8A91-0210264925C7","accepted":998,"duplicates":2,"rejected":0}
/// ```
/// `erased`, where it is there, counts those of transactions that were erased there for good: they are settled like any other.
/// Everything else that looks like success, such as a hotel's login page, is none.
public struct CollectorDestination: LogDestination, LineDestination {
    private let url: String
    private let token: @Sendable () throws -> Secret?

    /// - Parameters:
    ///   - url: Where the collector is, without the path: `https://logs.example.com`.
    ///   - token: Sent as bearer token; nil for a collector that asks for none.
    public init(url: String, token: Secret? = nil) { self.init(url: url, readingToken: { token }) }

    /// - Parameter token: Asked before every request, for a token that changes. Throw when there is none at the moment: everything
    ///   is kept, see ``Courier/reconfigured()``.
    public init(url: String, readingToken token: @escaping @Sendable () throws -> Secret?) {
        self.url = url.withoutTrailingSlashes + "/v1/logs"
        self.token = token
    }

    public func request(for parcel: Parcel) throws -> HTTPRequest {
        var headers = parcel.contentHeaders
        headers.append(HTTPHeader("Logbook-Parcel", parcel.id))
        if let token = try token() { headers.append(HTTPHeader("Authorization", "Bearer " + token.revealed)) }
        return HTTPRequest(method: "POST", url: url, headers: headers, body: parcel.body, stream: parcel.stream)
    }

    public func verdict(on response: HTTPResponse, for parcel: Parcel) -> DeliveryVerdict {
        guard (200..<300).contains(response.status) else { return .refusal(by: response) }
        guard let answer = try? JSONValue.parse(response.body), case .string(parcel.id)? = answer["parcel"],
            let accepted = count(answer["accepted"], upTo: parcel.count),
            let duplicates = count(answer["duplicates"], upTo: parcel.count),
            let rejected = count(answer["rejected"], upTo: parcel.count),
            let erased = count(answer["erased"] ?? JSONValue.integer(0), upTo: parcel.count),
            accepted + duplicates + rejected + erased == parcel.count
        else {
            return .retry(
                after: nil,
                "HTTP status \(response.status) without an acknowledgement of this parcel; is this a Logbook collector?"
            )
        }
        return rejected == 0
            ? .delivered : .deliveredExcept(rejected: rejected, "the collector rejected \(rejected) events")
    }

    private func count(_ value: JSONValue?, upTo limit: Int) -> Int? {
        guard case .integer(let number)? = value, (0...Int64(limit)).contains(number) else { return nil }
        return Int(number)
    }
}

extension LogDestination where Self == CollectorDestination {
    /// A Logbook collector.
    public static func collector(url: String, token: Secret? = nil) -> CollectorDestination {
        CollectorDestination(url: url, token: token)
    }
}
