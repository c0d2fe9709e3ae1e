internal import BenchSupport
internal import CSQLite

/// SQLite's C interface with statements that are prepared once: as fast as a program of C is.
public final class DirectDatabase {
    private var connection: OpaquePointer?
    private var statements: [OpaquePointer?] = []

    /// - Parameters:
    ///   - setup: Pragmas and tables.
    ///   - statements: Named by their place afterwards.
    public init(_ path: String, setup: String, statements: [String]) throws {
        guard sqlite3_open(path, &connection) == SQLITE_OK else { throw BenchError("\(path) cannot be made") }
        guard sqlite3_exec(connection, setup, nil, nil, nil) == SQLITE_OK else { throw failure() }
        for sql in statements {
            var statement: OpaquePointer?
            guard sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil) == SQLITE_OK else {
                throw failure()
            }
            self.statements.append(statement)
        }
    }

    deinit {
        for statement in statements { sqlite3_finalize(statement) }
        sqlite3_close(connection)
    }

    public func bind(_ statement: Int, _ place: Int32, _ text: String) {
        sqlite3_bind_text(statements[statement], place, text, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
    }

    public func bind(_ statement: Int, _ place: Int32, _ number: Int64) { sqlite3_bind_int64(statements[statement], place, number) }
    public func bind(_ statement: Int, _ place: Int32, _ number: Double) { sqlite3_bind_double(statements[statement], place, number) }
    public func bindNull(_ statement: Int, _ place: Int32) { sqlite3_bind_null(statements[statement], place) }

    public func run(_ statement: Int) throws {
        guard sqlite3_step(statements[statement]) == SQLITE_DONE else { throw failure() }
        sqlite3_reset(statements[statement])
    }

    public var latestID: Int64 { sqlite3_last_insert_rowid(connection) }

    private func failure() -> BenchError { BenchError(String(cString: sqlite3_errmsg(connection))) }
}
