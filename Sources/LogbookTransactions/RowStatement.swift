#if Transactions
internal import CLogbookSQLite
package import GRDB

/// A statement that runs once for each of many rows. What it is given goes straight to SQLite, on the connection that GRDB has open:
/// GRDB's own arguments take as long as the row itself. What was bound stays bound for the next row.
///
/// Nobody else may run the same SQL on the connection.
package struct RowStatement {
    private let statement: Statement   // kept, for it owns what follows
    private let pointer: OpaquePointer
    private let connection: OpaquePointer
    private let sql: String

    package init(_ sql: String, _ database: Database) throws {
        guard let connection = database.sqliteConnection else { throw DatabaseError(resultCode: .SQLITE_MISUSE) }
        statement = try database.cachedStatement(sql: sql)
        pointer = statement.sqliteStatement
        self.connection = connection
        self.sql = sql
        sqlite3_reset(pointer)   // one that failed says so a second time
        sqlite3_clear_bindings(pointer)
    }

    /// - Parameter place: From 1.
    package func bind(_ number: Int64?, at place: Int32) throws {
        try check(number.map { sqlite3_bind_int64(pointer, place, $0) } ?? sqlite3_bind_null(pointer, place))
    }

    package func bind(_ number: Int?, at place: Int32) throws { try bind(number.map(Int64.init), at: place) }

    package func bind(_ number: Double, at place: Int32) throws { try check(sqlite3_bind_double(pointer, place, number)) }

    package func bind(_ text: String?, at place: Int32) throws {
        guard let text else { return try check(sqlite3_bind_null(pointer, place)) }
        let isCopied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)   // SQLITE_TRANSIENT
        try check(sqlite3_bind_text64(pointer, place, text, UInt64(text.utf8.count), isCopied, UInt8(SQLITE_UTF8)))
    }

    /// - Parameter texts: Keeps the text for as long as the statement may need it.
    func bind(_ text: String?, at place: Int32, in texts: BoundTexts) throws {
        guard var text else { return try check(sqlite3_bind_null(pointer, place)) }
        guard let kept = text.withUTF8({ texts.add($0) }) else { return try bind(text, at: place) }
        let start = kept.assumingMemoryBound(to: CChar.self).baseAddress
        try check(sqlite3_bind_text64(pointer, place, start, UInt64(kept.count), nil, UInt8(SQLITE_UTF8)))   // SQLITE_STATIC
    }

    /// Nothing is bound any more.
    func forget() { sqlite3_clear_bindings(pointer) }

    /// - Returns: How many rows it has written.
    package func run() throws -> Int {
        let code = sqlite3_step(pointer)
        let failure = code == SQLITE_DONE ? nil : failure()
        sqlite3_reset(pointer)
        if let failure { throw failure }
        return Int(sqlite3_changes(connection))
    }

    /// For a statement that says one number, as `RETURNING id` does.
    /// - Returns: The first column of the first row; nil for NULL, and when there is no row.
    package func integer() throws -> Int64? { try firstRow { integer(at: 0) } ?? nil }

    /// The same for one that says two.
    package func integers() throws -> (Int64?, Int64?) { try firstRow { (integer(at: 0), integer(at: 1)) } ?? (nil, nil) }

    /// - Parameter column: From 0.
    private func integer(at column: Int32) -> Int64? {
        sqlite3_column_type(pointer, column) == SQLITE_NULL ? nil : sqlite3_column_int64(pointer, column)
    }

    /// Runs to the end.
    /// - Parameter read: What is wanted of the first row.
    private func firstRow<Value>(_ read: () -> Value) throws -> Value? {
        var code = sqlite3_step(pointer)
        let value = code == SQLITE_ROW ? read() : nil
        while code == SQLITE_ROW { code = sqlite3_step(pointer) }
        let failure = code == SQLITE_DONE ? nil : failure()
        sqlite3_reset(pointer)
        if let failure { throw failure }
        return value
    }

    private func check(_ code: Int32) throws { if code != SQLITE_OK { throw failure() } }

    private func failure() -> DatabaseError {
        DatabaseError(
            resultCode: ResultCode(rawValue: sqlite3_extended_errcode(connection)), message: String(cString: sqlite3_errmsg(connection)),
            sql: sql)
    }
}
#endif
