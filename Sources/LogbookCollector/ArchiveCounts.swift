/// What an archive holds.
public struct ArchiveCounts: Sendable, Hashable {
    public var transactions: Int
    public var entries: Int
    public var logEvents: Int
    public var parcels: Int

    public init(transactions: Int, entries: Int, logEvents: Int, parcels: Int) {
        self.transactions = transactions
        self.entries = entries
        self.logEvents = logEvents
        self.parcels = parcels
    }
}
