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

    /// Rows of which some hold more than is kept for a statement, in several statements, and some that are too few for one.
    @Test(arguments: [1, 9, 10, 11, 37]) func rowsThatGoInTogetherHoldEachItsOwnTexts(count: Int) throws {
        let texts = (0..<count).map { number in number % 7 == 3 ? nil : "row \(number) " + String(repeating: "ä", count: number * number * 20) }
        let text = BulkInsert.Text("INSERT INTO t (name, number, kind)", columns: 3, "ON CONFLICT DO NOTHING")
        let queue = try Self.open()
        try queue.write { database in
            try database.execute(sql: "ALTER TABLE t ADD COLUMN kind TEXT")
            for _ in 0..<2 {   // the second time all of them are there, but for those without a name
                let insert = try BulkInsert(text, count: count, database)
                try insert.inEveryRow { try $0.bind("of every row", at: 3) }
                var written = 0
                for (number, text) in texts.enumerated() {
                    try insert[number].bind(text, at: 1)
                    try insert[number].bind(number, at: 2)
                    written += try insert[number].end()
                }
                let stored = try Row.fetchAll(database, sql: "SELECT name, number, kind FROM t ORDER BY id DESC LIMIT \(written)").reversed()
                let expected = written == count ? Array(texts.enumerated()) : texts.enumerated().filter { $0.element == nil }
                #expect(stored.map { $0["name"] as String? } == expected.map(\.element))
                #expect(stored.map { $0["number"] as Int? } == expected.map(\.offset))
                #expect(stored.allSatisfy { $0["kind"] == "of every row" })
            }
            // What was bound is forgotten with what kept it.
            _ = try RowStatement("INSERT INTO t (name, number, kind) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", database).run()
            #expect(try String.fetchOne(database, sql: "SELECT kind FROM t ORDER BY id DESC LIMIT 1") == nil)
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
