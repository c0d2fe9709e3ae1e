#if Transactions
public import LogbookCore
public import LogbookDelivery
public import LogbookHTTP

/// Where transactions are kept, and how they reach the remote store.
public struct TransactionLogConfiguration: Sendable {
    /// The SQLite file, and no link to one; it and the folders that are missing are made for this user alone.
    public var storePath: String
    /// What becomes of a second process with the same path.
    public var storeSharing = TransactionStoreSharing.siblings
    /// What the file may hold, in bytes, `1 << 20...`. When it is reached, entries are given up until there is room: those that were set
    /// aside first, then the oldest that are not under way. Each is counted, see ``TransactionStoreCounts/dropped``. The write-ahead log
    /// beside the file takes a few MiB more.
    public var maximumStoreBytes = 256 << 20
    /// How long a call waits for another program that keeps the file locked. Its entry waits in memory then, and until that is stored no
    /// other waits for the program. A thread may wait this long again for each of those that wait for the same lock before it: a delivery,
    /// and the entries of other threads, of which up to 512 wait together. From zero to 24 days; what lies beyond counts as the nearer end.
    public var busyTimeout = Duration.seconds(5)
    /// Where sets are posted to, with the path: `https://logs.example.com/v1/transactions` for a Logbook collector; nil until it is known,
    /// for example after a login.
    public var storeURL: String?
    /// Nil until it is known. Nothing is sent without it.
    public var token: Secret?
    /// `Authorization: <authScheme> <authTokenParameter>="<token>"`, or `Authorization: <authScheme> <token>` without a parameter.
    public var authScheme = "Bearer"
    public var authTokenParameter: String?
    /// What stands before `apptxnset` in the media type, its dot included: a Logbook collector takes no other.
    public var mediaSubtypePrefix = "vnd.logbook."
    /// How sets are written. In 0.0.2, the default, user, variant, ids and offsets are sent, and only an answer that names the parcel
    /// deletes its entries: not the login page of some network, nor whatever a stranger answers. Choose 0.0.1 for an existing server of
    /// PEAppTransaction, which refuses 0.0.2 with 415: then these are not sent, and an answer of 200, 201, 202 or 204 deletes the entries
    /// unless it names another parcel, or is a 200 with a page of HTML. What was sent in the other version and is not acknowledged goes in
    /// that again, unless the receiver answers 415.
    public var wireVersion = TransactionSetVersion.v0_0_2
    /// The charset that the media type names; the body is UTF-8 in any case.
    public var charset = "UTF-8"
    /// The program's version, as its users know it. This, the user and the variant travel in version 0.0.2 only, and are cut to 256
    /// bytes of UTF-8.
    public var appVersion: String?
    /// Who uses the program at its start; see ``TransactionLogProvider/user``.
    public var user: String?
    /// What is tried out on this user; see ``TransactionLogProvider/variant``.
    public var variant: String?
    public var parcelLimits = ParcelLimits()
    /// How long a request may take: 30 seconds and one more for each 8 KiB of its body, unless ``HTTPLimits/total`` is set.
    public var requestLimits = HTTPLimits()
    /// When to deliver, and how patiently. Its `interval` is 20 seconds; nil delivers when asked to, when the token or the
    /// address is set, and after ``deliverAfterEntries``. Change its values one by one: a new `DeliveryPolicy` has no interval.
    public var delivery = DeliveryPolicy(interval: .seconds(20))
    /// When anything may be sent; entries are stored as ever meanwhile. An entry that carries an error has the level
    /// ``LogLevel/warning``, for ``DeliveryConditions/urgentFrom``, and any other ``LogLevel/info``.
    public var conditions = DeliveryConditions.none
    /// Delivers when so many entries have been stored since this was last the reason, `1...`, without waiting for the interval; nil,
    /// the default, does not count. A pause that is running, of ours or asked for by the receiver, is kept.
    public var deliverAfterEntries: Int?
    public var transport: any HTTPTransport = CurlTransport.shared
    public var clock = LogClock.system
    public var randomness = LogRandomness.system
    /// Hears of every operation on the store that failed, once, on the thread that asked for it; and of a damaged file that was
    /// replaced, ``TransactionStoreError/recovered(path:_:)``, also while the provider is being made.
    public var onError: (@Sendable (TransactionStoreError) -> Void)?
    /// Hears what becomes of deliveries, on the thread that delivers.
    public var onDelivery: (@Sendable (TransactionDeliveryEvent) -> Void)?

    public init(storePath: String, storeURL: String? = nil, token: Secret? = nil) {
        self.storePath = storePath
        self.storeURL = storeURL
        self.token = token
    }

    func mediaType(of version: TransactionSetVersion) -> TransactionSetMediaType {
        TransactionSetMediaType(prefix: mediaSubtypePrefix, version: version, charset: charset)
    }
}
#endif
