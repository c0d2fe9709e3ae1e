#if Collector
    internal import LogbookCore
    internal import LogbookTransactions

    extension PostgresArchive {
        /// What comparing may take: who stores waits for it, and it reads all that a transaction has from the time of its first entry here
        /// to that of its last.
        static let longestComparison = Duration.seconds(1)

        /// Of entries that found something under their keys, those under whose keys something else stands. None where it takes longer than
        /// `limit`: then they count as duplicates, and nobody waits the longer for them the more there is.
        static func conflicts(
            among entries: [AdmittedSet.Entry], of tenant: String, within limit: Duration = longestComparison,
            _ connection: PostgresConnection
        ) throws(PostgresFailure) -> [ArchiveReceipt.Conflict] {
            let keyed = entries.filter { $0.record.key != nil }
            if keyed.isEmpty { return [] }
            let deadline = LogDeadline.after(limit)
            try connection.execute("SAVEPOINT comparing")
            try limitStatements(to: deadline, connection)
            var found: [String: (transaction: String, content: EntryContent)]?
            do throws(PostgresFailure) {
                found = try Self.stored(keyed, of: tenant, by: deadline, connection)
            } catch {
                guard case .refused("57014", _) = error else { throw error }
            }
            try leaveComparing(connection)
            guard let stored = found else { return [] }
            return keyed.compactMap { entry in
                // What is not found there stands in another transaction, or at another time.
                if let found = stored[entry.digest], found.transaction.isSameText(as: entry.transaction),
                    found.content.saysTheSame(as: EntryContent(entry.record))
                {
                    return nil
                }
                return ArchiveReceipt.Conflict(entry.record, in: entry.transaction)
            }
        }

        private static func limitStatements(to deadline: LogDeadline, _ connection: PostgresConnection) throws(PostgresFailure) {
            let milliseconds = max(1, (deadline.remaining ?? .zero).wholeNanoseconds / 1_000_000)   // 0 would be no limit
            try connection.execute("SET LOCAL statement_timeout = \(milliseconds)")
        }

        /// Nothing was written, and the limit goes as well. It holds for this until then, and where it was over already, PostgreSQL may
        /// have no time for it: then it is asked again.
        private static func leaveComparing(_ connection: PostgresConnection) throws(PostgresFailure) {
            var isLate = 0
            while true {
                do throws(PostgresFailure) {
                    try connection.execute("ROLLBACK TO SAVEPOINT comparing")
                    return
                } catch {
                    isLate += 1
                    guard case .refused("57014", _) = error, isLate < 5 else { throw error }
                }
            }
        }

        /// From when to when something of a transaction is looked for, in microseconds since 1970.
        private struct Period {
            let transaction: String
            var start: Int64
            /// Behind it.
            var end: Int64
        }

        /// What stands under the keys of entries in their own transactions, about at their own times; by the digests of the keys. Nil where
        /// that was not found out until the deadline.
        private static func stored(
            _ entries: [AdmittedSet.Entry], of tenant: String, by deadline: LogDeadline, _ connection: PostgresConnection
        ) throws(PostgresFailure) -> [String: (transaction: String, content: EntryContent)]? {
            var periods: [[UInt8]: Period] = [:]   // by the bytes of the ids: texts that only look alike are two to an archive
            for entry in entries {
                let second = EntryContent.second(of: entry.record.time.microseconds), end = second + EntryContent.microsecondsOfSecond
                var period = periods[Array(entry.transaction.utf8)] ?? Period(transaction: entry.transaction, start: second, end: end)
                period.start = min(period.start, second)
                period.end = max(period.end, end)
                periods[Array(entry.transaction.utf8)] = period
            }
            let start = periods.values.map(\.start).min() ?? 0, end = periods.values.map(\.end).max() ?? 0
            let rows = Self.rows(
                periods.values.map { period in
                    var row = ArchiveRow()
                    row.add("guid", period.transaction)
                    row.add("start_us", period.start)
                    row.add("end_us", period.end)
                    return row
                })
            let digests = Self.array(of: Set(entries.map(\.digest)))
            var found: [String: (transaction: String, content: EntryContent)] = [:]
            let windows = try Self.windows(
                of: .entries, from: LogTime(microseconds: start).postgresText, to: LogTime(microseconds: end).postgresText, connection)
            for window in windows {
                if deadline.hasPassed { return nil }
                try limitStatements(to: deadline, connection)
                let some = try connection.execute(entriesUnderKeys, [tenant, rows, window.start, window.end, digests]).rows
                for row in some {
                    guard let digest = row[0], let transaction = row[1], let time = row[2].flatMap({ Int64($0) }),
                        let event = row[3].flatMap({ Int64($0) })
                    else { continue }
                    let content = EntryContent(time: time, event: event, errorCode: row[4].flatMap { Int64($0) }, description: row[5])
                    found[digest] = (transaction, content)
                }
            }
            return found
        }

        /// `$1` tenant, `$2` periods, `$3` and `$4` a window, `$5` digests.
        ///
        /// For each transaction apart: so an index leads to what it has at that time. What all of them have is joined to the digests once,
        /// by a hash: `= ANY` compares each with each before PostgreSQL 14, and a join for each transaction may go through all digests
        /// every time.
        static let entriesUnderKeys = """
            SELECT encode(e.digest, 'hex'), r.guid, \(microseconds("e.time")), e.event, e.error_code,
              encode(sha256(convert_to(e.error_description, 'UTF8')), 'hex')
            FROM jsonb_to_recordset($2::jsonb) AS r (guid text, start_us bigint, end_us bigint)
              JOIN transactions t ON t.tenant = $1 AND t.guid = r.guid
              CROSS JOIN LATERAL (
                SELECT * FROM entries e WHERE e.transaction = t.id
                  AND e.time >= \(time("r.start_us")) AND e.time < \(time("r.end_us"))
                  AND e.time >= $3::timestamptz AND e.time < $4::timestamptz OFFSET 0) AS e
              JOIN unnest($5::bytea[]) AS known (digest) ON known.digest = e.digest
            """

        /// As an array of `bytea`.
        static func array(of digests: some Sequence<String>) -> String {
            "{" + digests.map { #""\\x\#($0)""# }.joined(separator: ",") + "}"
        }
    }
#endif
