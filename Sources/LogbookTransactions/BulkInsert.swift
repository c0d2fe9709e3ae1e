#if Transactions
package import GRDB

/// An INSERT that puts in as many rows as there are with as few statements as may be: what a statement begins and ends with takes longer
/// than a row.
package struct BulkInsert {
    /// The statement's text, for one row and for as many as go in at once.
    package struct Text: Sendable {
        static let rowsAtOnce = 10
        let columns: Int32
        fileprivate let one: String
        fileprivate let many: String

        /// - Parameters:
        ///   - head: `INSERT INTO t (a, b)`.
        ///   - columns: How many that names.
        ///   - tail: What stands behind the values, such as `ON CONFLICT DO NOTHING`.
        package init(_ head: String, columns: Int, _ tail: String) {
            let row = "(" + Array(repeating: "?", count: columns).joined(separator: ", ") + ")"
            self.columns = Int32(columns)
            one = "\(head) VALUES \(row) \(tail)"
            many = "\(head) VALUES \(Array(repeating: row, count: Self.rowsAtOnce).joined(separator: ", ")) \(tail)"
        }
    }

    /// One row of a statement: whatever is bound to one is bound to each, besides what ``inEveryRow(_:)`` has bound.
    package struct Row {
        fileprivate let statement: RowStatement
        fileprivate let before: Int32
        fileprivate let isLast: Bool
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

    private let one: RowStatement
    private let many: RowStatement?
    private let texts: BoundTexts
    private let columns: Int32
    /// How many rows go in with others.
    private let together: Int

    /// - Parameter count: How many rows come, neither more nor fewer.
    package init(_ text: Text, count: Int, _ database: Database) throws {
        together = count / Text.rowsAtOnce * Text.rowsAtOnce
        one = try RowStatement(text.one, database)
        many = together == 0 ? nil : try RowStatement(text.many, database)
        texts = BoundTexts(of: [one] + (many.map { [$0] } ?? []))
        columns = text.columns
    }

    /// Every row, for what is the same in all of them.
    package func inEveryRow(_ body: (Row) throws -> Void) throws {
        try body(Row(statement: one, before: 0, isLast: true, texts: nil))
        guard let many else { return }
        for row in 0..<Text.rowsAtOnce { try body(Row(statement: many, before: Int32(row) * columns, isLast: false, texts: nil)) }
    }

    /// - Parameter place: How many rows came before.
    package subscript(place: Int) -> Row {
        guard let many, place < together else { return Row(statement: one, before: 0, isLast: true, texts: texts) }
        let row = place % Text.rowsAtOnce
        return Row(statement: many, before: Int32(row) * columns, isLast: row == Text.rowsAtOnce - 1, texts: texts)
    }
}
#endif
