#if Transactions
internal import GRDB
internal import LogbookCore

/// Inserts rows of `txn_log`, many with one statement as long as there are many: what a statement begins and ends with takes longer
/// than a row.
struct EntryInsert {
    private static let rowsAtOnce = 20
    private static let columns: Int32 = 8
    private static let ofMany = sql(rows: rowsAtOnce)
    private static let ofOne = sql(rows: 1)

    private let many: RowStatement?
    private let one: RowStatement
    /// How many rows go in together.
    private let together: Int

    /// - Parameter count: How many will be added.
    init(_ count: Int, epoch: Int64, _ db: Database) throws {
        together = count / Self.rowsAtOnce * Self.rowsAtOnce
        many = together == 0 ? nil : try RowStatement(Self.ofMany, db)
        one = try RowStatement(Self.ofOne, db)
        if let many { for row in 0..<Self.rowsAtOnce { try many.bind(epoch, at: Int32(row) * Self.columns + 7) } }
        try one.bind(epoch, at: 7)
    }

    /// - Parameter place: How many were added before.
    func add(
        _ place: Int, of transaction: Int64, _ number: Int, _ entry: TransactionEntry, at time: LogTime, offset: Int64?, key: Int64
    ) throws {
        let row = place < together ? place % Self.rowsAtOnce : 0
        let statement = (place < together ? many : nil) ?? one, before = Int32(row) * Self.columns
        try statement.bind(transaction, at: before + 1)
        try statement.bind(time.storedSeconds, at: before + 2)
        try statement.bind(number, at: before + 3)
        try statement.bind(entry.errorCode, at: before + 4)
        try statement.bind(entry.errorDescription?.withoutNUL, at: before + 5)
        try statement.bind(offset, at: before + 6)
        try statement.bind(key, at: before + 8)
        if place >= together || row == Self.rowsAtOnce - 1 { _ = try statement.run() }
    }

    private static func sql(rows: Int) -> String {
        """
        INSERT INTO txn_log (txn_id, timestamp, usecase_event, in_ctx_err_code, in_ctx_err_desc, offset, epoch, sequence)
        VALUES \(Array(repeating: "(?, ?, ?, ?, ?, ?, ?, ?)", count: rows).joined(separator: ", "))
        ON CONFLICT (epoch, sequence) DO NOTHING
        """
    }
}
#endif
