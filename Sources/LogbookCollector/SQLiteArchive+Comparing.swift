#if Collector
    internal import GRDB
    internal import LogbookCore
    internal import LogbookTransactions

    extension SQLiteArchive {
        /// Looks at what stands under the keys of entries that found something there.
        struct Comparison {
            private let statement: RowStatement

            /// As ``EntryContent/saysTheSame(as:)``, and of the same transaction.
            private static let otherUnderKey = """
                SELECT 1 FROM entries WHERE origin = ?1 AND epoch = ?2 AND sequence = ?3
                  AND NOT (transaction_id = ?4 AND event = ?5 AND error_code IS ?6 AND error_description IS ?7
                    AND (time = ?8 OR (time BETWEEN ?9 AND ?9 + 999999 AND (time = ?9 OR ?8 = ?9))))
                """

            init(_ database: Database) throws { statement = try RowStatement(Self.otherUnderKey, database) }

            /// Whether another entry stands under the key.
            /// - Parameter transaction: The number of the entry's own.
            func finds(anotherThan entry: EntryRecord, under key: RowKey, of transaction: Int64?) throws -> Bool {
                let time = entry.time.microseconds
                try statement.bind(key.origin, at: 1)
                try statement.bind(key.epoch, at: 2)
                try statement.bind(key.sequence, at: 3)
                try statement.bind(transaction, at: 4)
                try statement.bind(entry.event, at: 5)
                try statement.bind(entry.errorCode, at: 6)
                try statement.bind(entry.errorDescription?.storable, at: 7)
                try statement.bind(time, at: 8)
                try statement.bind(EntryContent.second(of: time), at: 9)
                return try statement.integer() != nil
            }
        }
    }
#endif
