#if Transactions
import GRDB
import LogbookTransactions
import Testing

@Suite struct RowStatementTests {
    private static func open() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT UNIQUE, number INTEGER)") }
        return queue
    }

    @Test func whatIsBoundIsWhatIsStored() throws {
        let texts: [String?] = ["", "a", "with\0in it", "Größe 🙂", String(repeating: "ä", count: 5000), nil]
        try Self.open().write { database in
            let insert = try RowStatement("INSERT INTO t (name, number) VALUES (?, ?)", database)
            for (number, text) in texts.enumerated() {
                try insert.bind(text, at: 1)
                try insert.bind(number == 1 ? nil : number, at: 2)
                #expect(try insert.run() == 1)
            }
            let stored = try Row.fetchAll(database, sql: "SELECT hex(name) AS name, name IS NULL AS missing, number FROM t ORDER BY id")
            let hexadecimal = texts.map { ($0 ?? "").utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined() }
            #expect(stored.map { $0["name"] } == hexadecimal)
            #expect(stored.map { $0["missing"] } == texts.map { $0 == nil })
            #expect(stored.map { $0["number"] as Int? } == [0, nil, 2, 3, 4, 5])
        }
    }

    @Test func aNumberIsReturnedAndItsAbsenceToo() throws {
        try Self.open().write { database in
            let sql = "INSERT INTO t (name, number) VALUES (?, ?) ON CONFLICT DO UPDATE SET number = excluded.number RETURNING number"
            let insert = try RowStatement(sql, database)
            try insert.bind("a", at: 1)
            for number: Int64? in [.max, 0, nil, -1] {
                try insert.bind(number, at: 2)
                #expect(try insert.integer() == number)
            }
            #expect(try RowStatement("SELECT id FROM t WHERE name = 'b'", database).integer() == nil)
            // Run to its end, though the first row is all that is asked for.
            #expect(try RowStatement("INSERT INTO t (name) VALUES ('c'), ('d') RETURNING id", database).integer() == 2)
            #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM t") == 3)
        }
    }

    @Test func aFailureIsThrownOnceAndSaysWhich() throws {
        try Self.open().write { database in
            let sql = "INSERT INTO t (name) VALUES (?)"
            let insert = try RowStatement(sql, database)
            try insert.bind("a", at: 1)
            #expect(try insert.run() == 1)
            for _ in 0..<2 {
                #expect { try insert.integer() } throws: {
                    ($0 as? DatabaseError)?.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE && ($0 as? DatabaseError)?.sql == sql
                }
            }
            let again = try RowStatement(sql, database)
            try again.bind("b", at: 1)
            #expect(try again.integer() == nil)
            #expect(throws: DatabaseError.self) { try again.bind("c", at: 2) }
            #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM t") == 2)
        }
    }
}
#endif
