public import LogbookCore
public import LogbookTransactions

/// Where a collector keeps what it was sent: SQLite on one machine, other engines where one machine is not enough.
///
/// Storing is all or nothing, and may be repeated: what is there already is counted as a duplicate, not stored again. When a
/// call returns, what it stored survives a crash of the machine. Every tenant has ids, keys and names of its own: what one
/// tenant has stored is never a duplicate of what another one sends.
///
/// Every call throws ``ArchiveError/unavailable(reason:)`` when nothing can be said about what became of it: do the same again.
public protocol Archive: Sendable {
    /// Stores what is new. An entry under whose key another one stands is not stored, and counted in the receipt as conflicting: what was
    /// first stays. In ClickHouse that goes for one transaction: under a key of another one an entry is new there.
    ///
    /// Of a transaction's device each fact is kept as it was said first. An entry that comes in a set that says another one, and not only
    /// more of it, has the device of its set when it is read (``EntryRecord/device``), each fact in 256 bytes at most. That is no part of
    /// what an entry says: one that comes again with another device is a duplicate, and what was first stays.
    ///
    /// What belongs to somebody who was erased is not stored, and counted in the receipt: every entry of an
    /// erased transaction, and of an erased user those up to the time of the erasure. Whose a transaction was may be said only then: what
    /// servers and log events have said of it is erased up to that time as well, with this call or soon after. What is said of a
    /// transaction that is known to be somebody else's is not.
    func store(_ parcel: TransactionParcel) async throws(ArchiveError) -> ArchiveReceipt
    /// Stores what is new. What belongs to a transaction as far as it is erased is not stored, and counted in the
    /// receipt.
    func store(_ batch: LogBatch) async throws(ArchiveError) -> ArchiveReceipt
    /// One transaction with its entries in order of time; entries of the same time in the order in which they came.
    /// - Parameter largest: Bytes that it takes in memory at most, about.
    /// - Throws: ``ArchiveError/transactionTooLarge(id:next:)`` for a larger one.
    func transaction(_ id: String, tenant: String, largest: Int) async throws(ArchiveError) -> TransactionRecord?
    /// Some of the transactions that a query names, in the order of ``TransactionCursor``.
    func transactions(_ query: TransactionQuery) async throws(ArchiveError) -> TransactionPage
    /// Removes a user's transactions with their entries and the log events that name them, and leaves marks (``ErasureMark``) by
    /// which they are known when they are sent again. What was interrupted is done when the archive is opened next; what has come since
    /// and is later than `time` stays then.
    /// - Parameter time: Now. Entries of the user up to this time are not stored any more; a user may come back.
    /// - Returns: How many transactions were removed. 0 for a user of whom nothing is there; the mark is left all the same. An empty user
    ///   is nobody: nothing is removed, and no mark is left.
    func erase(user: String, tenant: String, at time: LogTime) async throws(ArchiveError) -> Int
    /// Removes transactions of which nothing was received at `time` or later, no log event either that names them, with their entries,
    /// then log events that were received before, of all tenants; and the names of parcels as old. Except in SQLite's,
    /// a log event that comes while its transaction is being removed may stay without it.
    /// - Parameter limit: Transactions and log events of this call at most, so that storing does not wait for long.
    /// - Returns: How many transactions and log events were removed. Fewer than `limit`: nothing is left to remove.
    func remove(receivedBefore time: LogTime, limit: Int) async throws(ArchiveError) -> Int
    /// The limit with which ``remove(receivedBefore:limit:)`` is best called until nothing is left. 1000 unless an archive says otherwise:
    /// then who stores waits for a moment at a time.
    var removalStep: Int { get }
    /// How many transactions of a page, at most, an export is best read with. 100 unless an archive says otherwise.
    var exportStep: Int { get }
    /// What it holds of one tenant; nil for all together.
    func counts(tenant: String?) async throws(ArchiveError) -> ArchiveCounts
    /// Bytes that each tenant has sent on a day (days since 1970, UTC) to all collectors of this archive, as far as
    /// ``addBytesSent(_:on:)`` was told. None where the archive keeps no account.
    func bytesSent(on day: Int64) async throws(ArchiveError) -> [String: Int]
    /// Adds to that account what came since the last call. What is known of other days may be forgotten.
    func addBytesSent(_ bytes: [String: Int], on day: Int64) async throws(ArchiveError)
    /// Finds out whether storing would work at this moment.
    func checkWritable() async throws(ArchiveError)
    /// Bytes that it can store without taking more of its disk: what was removed may have left room in its files. Asked for while the disk
    /// is short. 0 unless an archive says otherwise.
    func reusableBytes() async throws(ArchiveError) -> Int
    /// Gives back what it has taken of its disk and needs no more, as far as that keeps nobody waiting. Asked for while the disk is short.
    /// Does nothing unless an archive says otherwise.
    func giveBackRoom() async throws(ArchiveError)
    /// Bytes that what is stored takes, about: fewer as soon as something was removed. Asked for every few seconds where it is limited
    /// (``CollectorConfiguration/keepBytes``). Nil where it cannot tell, as unless an archive says otherwise.
    func storedBytes() async throws(ArchiveError) -> Int?
    /// How far to go to come by so many of the oldest: the time at which the last one of them was received, counting entries and log events
    /// that were received at `time` or later, in the order in which they were. What came with it, at the same time, is not counted any
    /// more: there may be many. An archive that tells its ``storedBytes()`` tells this as well.
    /// - Parameter count: 1 or more. Where there are fewer, the time of the latest.
    /// - Returns: Nil where nothing was received then.
    func timeOfOldest(_ count: Int, from time: LogTime) async throws(ArchiveError) -> LogTime?
    /// Lets go of what it holds open; nothing can be stored or asked for afterwards. What was stored is safe without it.
    func close() throws(ArchiveError)
}

extension Archive {
    /// As ``transaction(_:tenant:largest:)``, as large as one may be at all.
    public func transaction(_ id: String, tenant: String) async throws(ArchiveError) -> TransactionRecord? {
        try await transaction(id, tenant: tenant, largest: TransactionPage.maximumBytesOfOne)
    }

    public var removalStep: Int { 1000 }
    public var exportStep: Int { 100 }
    public func close() throws(ArchiveError) {}
    public func reusableBytes() async throws(ArchiveError) -> Int { 0 }
    public func giveBackRoom() async throws(ArchiveError) {}
    public func storedBytes() async throws(ArchiveError) -> Int? { nil }
    public func timeOfOldest(_ count: Int, from time: LogTime) async throws(ArchiveError) -> LogTime? { nil }
    public func bytesSent(on day: Int64) async throws(ArchiveError) -> [String: Int] { [:] }
    public func addBytesSent(_ bytes: [String: Int], on day: Int64) async throws(ArchiveError) {}
}
