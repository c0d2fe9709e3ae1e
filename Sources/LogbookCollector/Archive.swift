public import LogbookCore
public import LogbookTransactions

/// Where a collector keeps what it was sent: SQLite on one machine, other engines where one machine is not enough.
///
/// Storing is all or nothing, and may be repeated: what is there already is counted as a duplicate, not stored again. When a
/// call returns, what it stored survives a crash of the machine.
public protocol Archive: Sendable {
    /// - Throws: ``ArchiveError/unavailable(reason:)``: nothing can be said about what was stored; send the same again.
    func store(_ parcel: TransactionParcel) async throws(ArchiveError) -> ArchiveReceipt
    /// - Throws: ``ArchiveError/unavailable(reason:)``: nothing can be said about what was stored; send the same again.
    func store(_ batch: LogBatch) async throws(ArchiveError) -> ArchiveReceipt
    /// One transaction with its entries in order of time; entries of the same time in the order in which they came.
    func transaction(_ id: String) async throws(ArchiveError) -> TransactionRecord?
    func counts() async throws(ArchiveError) -> ArchiveCounts
    /// Finds out whether storing would work at this moment.
    func checkWritable() async throws(ArchiveError)
}

/// A transaction set as it came in.
public struct TransactionParcel: Sendable, Hashable {
    /// What the sender calls it, the same on every attempt; nil where the sender knows nothing of parcels.
    public var parcel: String?
    public var set: TransactionSet
    public var received: LogTime

    public init(parcel: String?, set: TransactionSet, received: LogTime) {
        self.parcel = parcel
        self.set = set
        self.received = received
    }
}

/// A batch of log events as it came in.
public struct LogBatch: Sendable, Equatable {
    public struct Item: Sendable, Equatable {
        public var event: LogEvent
        /// With the event's sequence the key of the event; nil where the sender gave none.
        public var origin: LogOrigin?

        public init(event: LogEvent, origin: LogOrigin?) {
            self.event = event
            self.origin = origin
        }
    }

    /// What the sender calls it, the same on every attempt; nil where the sender knows nothing of parcels.
    public var parcel: String?
    public var items: [Item]
    public var received: LogTime

    public init(parcel: String?, items: [Item], received: LogTime) {
        self.parcel = parcel
        self.items = items
        self.received = received
    }
}

/// What became of one delivery: every entry or event is one or the other.
public struct ArchiveReceipt: Sendable, Hashable {
    public var accepted: Int
    /// Were stored before.
    public var duplicates: Int

    public init(accepted: Int, duplicates: Int) {
        self.accepted = accepted
        self.duplicates = duplicates
    }
}

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
