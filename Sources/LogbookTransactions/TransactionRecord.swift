/// One transaction with its entries, as it is stored and sent.
public struct TransactionRecord: Sendable, Hashable {
    /// `TXN<usecase>-<UUID>` from our clients; any text from others.
    public var id: String
    public var usecase: Int
    /// Hardware model of the device; nil where nobody said it. The same goes for the system and its version.
    public var deviceMake: String?
    public var deviceOS: String?
    public var deviceOSVersion: String?
    /// In the order in which they were logged.
    public var entries: [EntryRecord]

    public init(
        id: String, usecase: Int, deviceMake: String? = nil, deviceOS: String? = nil, deviceOSVersion: String? = nil,
        entries: [EntryRecord] = []
    ) {
        self.id = id
        self.usecase = usecase
        self.deviceMake = deviceMake
        self.deviceOS = deviceOS
        self.deviceOSVersion = deviceOSVersion
        self.entries = entries
    }
}
