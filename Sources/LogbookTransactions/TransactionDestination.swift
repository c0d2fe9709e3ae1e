#if Transactions
internal import LogbookCore
internal import LogbookDelivery
internal import LogbookHTTP

/// Makes requests of parcels for one address, and sense of its answers.
struct TransactionDestination: Destination {
    let delivery: TransactionDelivery
    let address: TransactionDelivery.Address

    private var configuration: TransactionLogConfiguration { delivery.configuration }

    func request(for parcel: Parcel) throws -> HTTPRequest {
        guard let url = address.url, let token = address.token else {
            throw HTTPFailure.invalidRequest("no token or no address is set")
        }
        let essence = configuration.mediaType(of: delivery.version(of: parcel)).essence
        return HTTPRequest(
            url: url,
            headers: [
                HTTPHeader("Accept", "\(essence);q=1.0"),
                HTTPHeader("Accept-Language", "en-US"),
                HTTPHeader("Accept-Charset", configuration.charset),
                HTTPHeader("Authorization", authorization(token)),
                HTTPHeader("Content-Type", parcel.contentType),
                HTTPHeader(Self.parcelHeader, parcel.id),
            ],
            body: parcel.body, limits: configuration.requestLimits)
    }

    private static let parcelHeader = "Logbook-Parcel"

    private func authorization(_ token: Secret) -> String {
        guard let parameter = configuration.authTokenParameter else { return "\(configuration.authScheme) \(token.revealed)" }
        var quoted = ""
        for character in token.revealed.unicodeScalars {
            if character == "\"" || character == "\\" { quoted.unicodeScalars.append("\\") }
            quoted.unicodeScalars.append(character)
        }
        return "\(configuration.authScheme) \(parameter)=\"\(quoted)\""
    }

    // MARK: Answers

    /// Only the four statuses of the original mean that the receiver has it. A receiver that knows parcels repeats the id, and
    /// then it must be ours: an answer to another request acknowledges nothing. Receivers of version 0.0.2 know parcels; the login
    /// page of some hotel's network does not, and answers 200 as well. Those of version 0.0.1 may answer with anything or nothing,
    /// so there the status has to do, but for a 200 that holds a page of HTML.
    func verdict(on response: HTTPResponse, for parcel: Parcel) -> DeliveryVerdict {
        switch response.status {
        case 200, 201, 202, 204:
            let isOriginal = delivery.version(of: parcel) == .v0_0_1
            guard let id = response.header(Self.parcelHeader) else {
                if isOriginal {
                    if response.status != 200 || !response.holdsPage { return .delivered }
                    return .retry(after: nil, "not acknowledged: HTTP status 200 with a page of HTML, as of somebody else")
                }
                return .retry(
                    after: nil, "not acknowledged: HTTP status \(response.status) without \(Self.parcelHeader), as of somebody else")
            }
            return id == parcel.id ? .delivered : .retry(after: nil, "HTTP status \(response.status) for another parcel")
        case 401: delivery.refuseToken(of: address)
        case 415: return verdict(onUnread: parcel, response)
        default: break
        }
        return .refusal(by: response, clock: configuration.clock)
    }

    /// The receiver does not read the form of the parcel. Where another one is set by now, its entries go in that, unless the store cannot
    /// do it; otherwise the reason says which one may be read.
    private func verdict(onUnread parcel: Parcel, _ response: HTTPResponse) -> DeliveryVerdict {
        let version = delivery.version(of: parcel), refusal = DeliveryVerdict.refusal(by: response, clock: configuration.clock)
        if version != configuration.wireVersion {
            guard delivery.unseal(version) else { return refusal }
            return .retry(
                after: nil,
                "HTTP status \(response.status): the receiver does not read version \(version.rawValue); "
                    + "what was in it goes in version \(configuration.wireVersion.rawValue)")
        }
        guard version == .v0_0_2, case .misconfigured(let reason) = refusal else { return refusal }
        return .misconfigured(
            "\(reason); it does not read version \(version.rawValue): set wireVersion to .v0_0_1 for servers of PEAppTransaction")
    }
}
#endif
