/// One transaction with its entries, as it is stored and sent.
public struct TransactionRecord: Sendable, Hashable {
    /// `TXN<usecase>-<UUID>` from our clients; any text from others.
    public var id: String
    public var usecase: Int
    /// Hardware model of the device; nil where nobody said it. The same goes for the system and its version.
    public var deviceMake: String?
    public var deviceOS: String?
    public var deviceOSVersion: String?
    /// Who used the program when the transaction began; nil before a login. This and the four that follow travel in version 0.0.2 only, and
    /// are nil in what comes from others than the session in which the transaction began.
    public var user: String?
    /// What the program tried out on this user when the transaction began: `B`, `checkout=short`.
    public var variant: String?
    public var appVersion: String?
    /// One run of the program, in which the transaction began; `offset` of its entries counts from its beginning.
    public var session: String?
    /// One store on one device; the same as in the keys of the client's own entries.
    public var installation: String?
    /// In the order in which they were logged.
    public var entries: [EntryRecord]

    public init(
        id: String, usecase: Int, deviceMake: String? = nil, deviceOS: String? = nil, deviceOSVersion: String? = nil,
        user: String? = nil, variant: String? = nil, appVersion: String? = nil, session: String? = nil,
        installation: String? = nil, entries: [EntryRecord] = []
    ) {
        self.id = id
        self.usecase = usecase
        self.deviceMake = deviceMake
        self.deviceOS = deviceOS
        self.deviceOSVersion = deviceOSVersion
        self.user = user
        self.variant = variant
        self.appVersion = appVersion
        self.session = session
        self.installation = installation
        self.entries = entries
    }
}
