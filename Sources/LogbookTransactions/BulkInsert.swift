#if Transactions
package import GRDB

/// An INSERT that puts in as many rows as there are with as few statements as may be: what a statement begins and ends with takes longer
/// than a row.
package struct BulkInsert {
    /// The statement's text, for one row and for as many as go in at once.
    package struct Text: Sendable {
        /// What any SQLite takes.
        private static let maximumColumns = 999
        let columns: Int32
        /// The most rows first, one last.
        fileprivate let statements: [(rows: Int, sql: String)]

        /// - Parameters:
        ///   - head: `INSERT INTO t (a, b)`.
        ///   - columns: How many that names, `1...99`.
        ///   - tail: What stands behind the values, such as `ON CONFLICT DO NOTHING`.
        package init(_ head: String, columns: Int, _ tail: String = "") {
            let row = "(" + Array(repeating: "?", count: columns).joined(separator: ", ") + ")"
            self.columns = Int32(columns)
            statements = [min(50, Self.maximumColumns / columns), 10, 1].map { rows in
                (rows, "\(head) VALUES \(Array(repeating: row, count: rows).joined(separator: ", ")) \(tail)")
            }
        }
    }

    /// One row of a statement: whatever is bound to one is bound to each, besides what ``inEveryRow(_:)`` has bound.
    package struct Row {
        fileprivate let statement: RowStatement
        fileprivate let before: Int32
        /// Of its statement: with it all rows of that are written.
        package let isLast: Bool
        /// Of this row alone; nil for texts that stay.
        fileprivate let texts: BoundTexts?

        /// - Parameter column: From 1.
        package func bind(_ number: Int64?, at column: Int32) throws { try statement.bind(number, at: before + column) }
        package func bind(_ number: Int?, at column: Int32) throws { try statement.bind(number, at: before + column) }
        package func bind(_ number: Double, at column: Int32) throws { try statement.bind(number, at: before + column) }
        package func bind(_ text: String?, at column: Int32) throws {
            if let texts { try statement.bind(text, at: before + column, in: texts) } else { try statement.bind(text, at: before + column) }
        }

        /// Runs the statement when this is the last row of it.
        /// - Returns: How many rows were written now.
        package func end() throws -> Int {
            guard isLast else { return 0 }
            defer { texts?.removeAll() }
            return try statement.run()
        }
    }

    /// Rows that go in with the same statement.
    private struct Part {
        let statement: RowStatement
        /// With one run of it.
        let rows: Int
        /// How many rows came before.
        let first: Int
    }

    private let parts: [Part]
    private let texts: BoundTexts
    private let columns: Int32

    /// - Parameter count: How many rows come, neither more nor fewer.
    package init(_ text: Text, count: Int, _ database: Database) throws {
        var parts: [Part] = [], first = 0
        for (rows, sql) in text.statements where count - first >= rows {
            parts.append(Part(statement: try RowStatement(sql, database), rows: rows, first: first))
            first = count - (count - first) % rows
        }
        self.parts = parts
        texts = BoundTexts(of: parts.map(\.statement))
        columns = text.columns
    }

    /// Every row, for what is the same in all of them.
    package func inEveryRow(_ body: (Row) throws -> Void) throws {
        for part in parts { for row in 0..<part.rows { try body(self.row(row, of: part, texts: nil)) } }
    }

    /// - Parameter place: How many rows came before.
    package subscript(place: Int) -> Row {
        var part = parts.count - 1
        while parts[part].first > place { part -= 1 }
        return row((place - parts[part].first) % parts[part].rows, of: parts[part], texts: texts)
    }

    private func row(_ row: Int, of part: Part, texts: BoundTexts?) -> Row {
        Row(statement: part.statement, before: Int32(row) * columns, isLast: row == part.rows - 1, texts: texts)
    }
}
#endif
