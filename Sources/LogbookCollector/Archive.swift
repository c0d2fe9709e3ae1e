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
