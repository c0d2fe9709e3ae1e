public import LogbookCore
public import LogbookHTTP

/// Frozen bytes to deliver. What was sealed once is sent again unchanged, under the same id, until its fate is known.
public struct Parcel: Sendable, Hashable {
    /// Stable over retries and restarts.
    public let id: String
    public let body: [UInt8]
    /// Sent instead of ``body`` where the body is too large to hold. A destination passes it on, or refuses the parcel.
    public let stream: HTTPBodyStream?
    public let contentType: String
    /// `gzip`, or nil for none.
    public let contentEncoding: String?
    /// Events or entries inside.
    public let count: Int
    /// When it was sealed.
    public let sealed: LogTime

    public init(
        id: String, body: [UInt8], stream: HTTPBodyStream? = nil, contentType: String, contentEncoding: String? = nil,
        count: Int, sealed: LogTime
    ) {
        self.id = id
        self.body = body
        self.stream = stream
        self.contentType = contentType
        self.contentEncoding = contentEncoding
        self.count = count
        self.sealed = sealed
    }
}

/// Where parcels come from: memory, a spool, rolled files, the transaction store. Called by one courier, on its thread; only
/// ``pendingCount``, ``pendingCount(by:)`` and ``oldestPending`` are asked for on any thread.
public protocol ParcelSource: Sendable {
    /// The oldest parcel whose fate is not known; the same one, with the same bytes, until it is settled.
    func nextParcel() throws -> Parcel?
    /// Learns the fate of the parcel. Throw, and the courier settles it again before it does anything else.
    func settle(_ parcel: Parcel, as fate: ParcelFate) throws
    /// Learns that the receiver has the parcel, but for `rejected` of its entries that it will never take. A source that keeps
    /// no account of single entries leaves this to the default, which settles the parcel as delivered.
    func settle(_ parcel: Parcel, rejecting rejected: Int, because reason: String) throws
    /// Learns what the receiver said about each entry, and replaces the parcel by one of the entries that are to be sent again,
    /// if there are any.
    /// - Returns: False, as by default, when this source cannot take parcels apart. The courier then sends the whole parcel
    ///   again, where an entry is to be sent again.
    func settle(_ parcel: Parcel, entries: EntryFates) throws -> Bool
    /// The receiver refuses something in the parcel: replaces it by smaller ones with ids of their own.
    /// - Parameter parcel: At least two entries.
    /// - Returns: False when this source cannot; the parcel is then settled as rejected.
    func split(_ parcel: Parcel) throws -> Bool
    /// The same of a parcel that the receiver finds too large. By default that is ``split(_:)``; a source that makes the parcels behind it
    /// smaller as well, so that they are not refused in turn, learns it here.
    func splitTooLarge(_ parcel: Parcel) throws -> Bool
    /// Some entries of a parcel in a form that a person can read, to keep with the dead letters; nil, as by default, when this
    /// source cannot take parcels apart. The parcel has not been settled yet.
    func excerpt(of parcel: Parcel, entries: Set<Int>) -> Parcel?
    /// After ``nextParcel()`` gave none: how long until there may be one without the courier being woken, such as when a
    /// batch is old enough to be sealed. Nil, the default, for never.
    var nextParcelIsDue: Duration? { get }
    /// Events or entries that wait, parcels not yet sealed included.
    var pendingCount: Int { get }
    /// The same for who waits no longer than until a deadline: where it cannot be counted by then, what it was when it last could be. By
    /// default ``pendingCount``, for a source that counts at once.
    func pendingCount(by deadline: LogDeadline) -> Int
    /// Since when the oldest of them waits; nil when none does, or, as by default, when this source does not know.
    var oldestPending: LogTime? { get }
    /// Why some of what waits cannot be read for now, in words; it keeps nothing else from going. Asked for when there is no other parcel.
    var unreadable: String? { get }
    /// Events or entries that have come in front of what waited already, since this was last asked for: who waits for that waits for these
    /// as well. More than there are only make that wait longer. Asked only while somebody waits, before he is told how much there is.
    /// None, as by default, where the oldest goes first.
    func takeArrivals() -> Int
    /// The parcel that was asked for last is not sent for now, as the conditions do not hold: what only a delivery needs may be let go of.
    /// The parcel is asked for again before it is sent. By default this does nothing.
    func letGo()
}

extension ParcelSource {
    public func settle(_ parcel: Parcel, rejecting rejected: Int, because reason: String) throws {
        try settle(parcel, as: .delivered)
    }
    public func settle(_ parcel: Parcel, entries: EntryFates) throws -> Bool { false }
    public func split(_ parcel: Parcel) throws -> Bool { false }
    public func splitTooLarge(_ parcel: Parcel) throws -> Bool { try split(parcel) }
    public func excerpt(of parcel: Parcel, entries: Set<Int>) -> Parcel? { nil }
    public var nextParcelIsDue: Duration? { nil }
    public func pendingCount(by deadline: LogDeadline) -> Int { pendingCount }
    public var oldestPending: LogTime? { nil }
    public var unreadable: String? { nil }
    public func takeArrivals() -> Int { 0 }
    public func letGo() {}
}

/// How a parcel's way ends.
public enum ParcelFate: Sendable, Hashable {
    /// The receiver has it for good.
    case delivered
    /// The receiver will never take it; the reason in words.
    case rejected(String)
}

/// How a parcel becomes a request for one kind of receiver, and what its answer means.
public protocol Destination: Sendable {
    /// - Throws: ``HTTPFailure`` when something is missing that the receiver needs, such as a token, or for a parcel with a
    ///   ``Parcel/stream`` that cannot be passed on: the parcel is kept.
    func request(for parcel: Parcel) throws -> HTTPRequest
    /// A body of more than the request's ``HTTPLimits/responseBodyBytes`` is cut there. Where the body says what was stored, a destination
    /// should take one that cannot be read whole for no acknowledgement.
    func verdict(on response: HTTPResponse, for parcel: Parcel) -> DeliveryVerdict
    /// What the answer to a question means that ``verdict(on:for:)`` has asked for with ``DeliveryVerdict/inquire(_:)``. Whatever
    /// leaves it open is asked again, so the default, which judges as the first answer, is for destinations that ask nothing.
    func verdict(on response: HTTPResponse, to inquiry: DeliveryInquiry, for parcel: Parcel) -> DeliveryVerdict
}

extension Destination {
    public func verdict(on response: HTTPResponse, to inquiry: DeliveryInquiry, for parcel: Parcel) -> DeliveryVerdict {
        verdict(on: response, for: parcel)
    }
}

/// What an answer means for the parcel.
public enum DeliveryVerdict: Sendable, Hashable {
    case delivered
    /// The receiver has all of it for good, but for so many entries that it will never take; why, in words.
    ///
    /// `isFinal` is for a receiver that means those entries and not us: it takes none of such a time, or its protocol wants nothing
    /// sent again that was refused like this. However many are refused in a row, it is not taken to refuse everything.
    case deliveredExcept(rejected: Int, isFinal: Bool = false, String)
    /// The receiver has answered for each entry. Those it may take later go again, alone, after a pause; `after` is the pause it
    /// asked for, nil leaves it to the courier's backoff.
    case partly(EntryFates, after: Duration?)
    /// The receiver has read it and will say later whether it has kept it.
    case inquire(DeliveryInquiry)
    /// Not now. `after` is what the receiver asked for; nil leaves it to the courier's backoff.
    case retry(after: Duration?, String)
    /// The receiver refuses us, not the parcel: wrong token, wrong address. Everything is kept until the configuration changes.
    case misconfigured(String)
    /// More than the receiver takes in one request: smaller parcels may pass.
    case tooLarge(String)
    /// The receiver will never take this parcel as it is. One entry in it may be at fault: a source that can split it does so,
    /// again and again, until that entry is alone; the others are delivered.
    case rejected(String)
    /// The receiver takes no entry of such a time: too old for it, or too new. Split like one that is ``rejected(_:)``, but an entry that
    /// is left alone says nothing of the next: however many are refused in a row, the receiver is not taken to refuse everything.
    case outsideTimeRange(String)
}
