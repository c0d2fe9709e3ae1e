#if Transactions
internal import LogbookCore
internal import LogbookDelivery
internal import LogbookHTTP

/// Between the store and the courier: makes parcels of stored entries, requests of parcels, and sense of the answers.
///
/// A parcel goes to the address that was in force when it was taken from the store. So after a logout, which deletes and then
/// sets another address, nothing of the old user can reach the new address, and nothing of the new user the old one.
final class TransactionDelivery: ParcelSource, Destination {
    struct Address: Equatable {
        var url: String?
        var token: Secret?
    }

    private struct State {
        var address: Address
        var generation = 0
        /// Where the parcel in flight goes, and the store that it is of.
        var inFlight = Address()
        var source: TransactionStore
        var latestPending = 0
    }

    private let lanes: StoreLanes
    private let configuration: TransactionLogConfiguration
    private let state: Locked<State>

    init(lanes: StoreLanes, configuration: TransactionLogConfiguration) {
        self.lanes = lanes
        self.configuration = configuration
        state = Locked(State(address: Address(url: configuration.storeURL, token: configuration.token), source: lanes.own))
    }

    var address: Address { state.withLock { $0.address } }

    func change(_ change: (inout Address) -> Void) {
        state.withLock { state in
            change(&state.address)
            state.generation += 1
        }
    }

    /// What has to be set before anything can be sent.
    func checkAddress() throws(TransactionDeliveryError) {
        let address = address
        if address.url == nil { throw .noStoreURL }
        if address.token == nil { throw .noToken }
    }

    // MARK: Parcels

    func nextParcel() throws -> Parcel? {
        while true {
            let (address, generation) = state.withLock { ($0.address, $0.generation) }
            guard address.url != nil, address.token != nil else { return nil }
            let found = try reporting { () throws(TransactionStoreError) in
                try lanes.nextParcel { store throws(TransactionStoreError) in
                    try store.nextParcel(
                        configuration.wireVersion, limits: configuration.parcelLimits, now: configuration.clock.now(),
                        randomness: configuration.randomness)
                }
            }
            let isInForce = state.withLock { state in
                if state.generation == generation {
                    state.inFlight = address
                    if let found { state.source = found.store }
                }
                return state.generation == generation
            }
            if isInForce { return found.map { encoded($0.parcel) } }
        }
    }

    /// The store that the parcel in flight is of.
    private var store: TransactionStore { state.withLock { $0.source } }

    private func encoded(_ parcel: StoredParcel) -> Parcel {
        var type = configuration.mediaType
        type.versionText = parcel.version.rawValue
        return Parcel(
            id: parcel.id, body: parcel.set.encode(parcel.version), contentType: type.description,
            count: parcel.set.entryCount, sealed: parcel.sealed)
    }

    func settle(_ parcel: Parcel, as fate: ParcelFate) throws {
        switch fate {
        case .delivered:
            let transactions = try reporting { () throws(TransactionStoreError) in try store.settleDelivered(parcel.id) }
            if let transactions {
                configuration.onDelivery?(.delivered(transactions: transactions, entries: parcel.count))
            }
        case .rejected(let reason):
            try reporting { () throws(TransactionStoreError) in try store.settleRejected(parcel.id, because: reason) }
        }
    }

    func split(_ parcel: Parcel) throws -> Bool {
        try reporting { () throws(TransactionStoreError) in
            try store.split(parcel.id, now: configuration.clock.now(), randomness: configuration.randomness)
        }
    }

    /// When the store cannot be read, what it held when it could.
    var pendingCount: Int {
        guard let count = try? lanes.pendingCount() else { return state.withLock { $0.latestPending } }
        state.withLock { $0.latestPending = count }
        return count
    }

    /// Nil also when the store cannot be read.
    var oldestPending: LogTime? { try? lanes.oldestPending() }

    /// Counts what waits for the sake of ``pendingCount``, to which a store that cannot be read may look empty.
    /// - Throws: Why it cannot be counted.
    func countPending() throws(TransactionStoreError) {
        let count = try reporting { () throws(TransactionStoreError) in try lanes.pendingCount() }
        state.withLock { $0.latestPending = count }
    }

    private func reporting<Result>(
        _ body: () throws(TransactionStoreError) -> Result
    ) throws(TransactionStoreError) -> Result {
        do {
            return try body()
        } catch {
            configuration.onError?(error)
            throw error
        }
    }

    // MARK: Requests

    func request(for parcel: Parcel) throws -> HTTPRequest {
        let address = state.withLock { $0.inFlight }
        guard let url = address.url, let token = address.token else {
            throw HTTPFailure.invalidRequest("no token or no address is set")
        }
        let essence = TransactionSetMediaType(parcel.contentType)?.essence ?? configuration.mediaType.essence
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
            let isOriginal = TransactionSetMediaType(parcel.contentType)?.version == .v0_0_1
            guard let id = response.header(Self.parcelHeader) else {
                if isOriginal {
                    if response.status != 200 || !response.holdsPage { return .delivered }
                    return .retry(after: nil, "not acknowledged: HTTP status 200 with a page of HTML, as of somebody else")
                }
                return .retry(
                    after: nil, "not acknowledged: HTTP status \(response.status) without \(Self.parcelHeader), as of somebody else")
            }
            return id == parcel.id ? .delivered : .retry(after: nil, "HTTP status \(response.status) for another parcel")
        case 401: refuseToken()
        case 415: if let verdict = unsealed(parcel, unreadBy: response) { return verdict }
        default: break
        }
        return .refusal(by: response, clock: configuration.clock)
    }

    /// The receiver does not read the form of the parcel. Where another one is set by now, its entries go in that.
    /// - Returns: Nil where the form is the one that is set, or the store cannot do it.
    private func unsealed(_ parcel: Parcel, unreadBy response: HTTPResponse) -> DeliveryVerdict? {
        guard let version = TransactionSetMediaType(parcel.contentType)?.version, version != configuration.wireVersion,
            (try? reporting({ () throws(TransactionStoreError) in try store.unseal(version) })) != nil
        else { return nil }
        return .retry(
            after: nil,
            "HTTP status \(response.status): the receiver does not read version \(version.rawValue); "
                + "what was in it goes in version \(configuration.wireVersion.rawValue)")
    }

    /// Forgets the token that was sent, unless there is another by now.
    private func refuseToken() {
        let isForgotten = state.withLock { state in
            guard state.address == state.inFlight else { return false }
            state.address.token = nil
            state.generation += 1
            return true
        }
        if isForgotten { configuration.onDelivery?(.authenticationRequired) }
    }

    /// What the courier says, in the words of those who watch transactions. While nothing can be delivered, what others have left is not
    /// kept from those who need its place.
    func note(_ event: CourierEvent) {
        switch event {
        case .willRetry, .misconfigured: lanes.letGo()
        case .attempting, .delivered, .split, .rejected: break
        }
        guard let onDelivery = configuration.onDelivery else { return }
        switch event {
        case .attempting, .delivered, .split, .misconfigured(_, _, status: 401): break   // said before, or of no interest
        case .willRetry(_, let pause, _, let status, let isAsked) where isAsked || status == 503:
            onDelivery(.serverBusy(until: isAsked ? configuration.clock.now().adding(pause) : nil))
        case .willRetry(_, _, let reason, _, _), .misconfigured(_, let reason, _):
            onDelivery(.failed(reason: reason))
        case .rejected(_, let count, let reason):
            onDelivery(.setAside(entries: count, reason: reason))
        }
    }
}
#endif
