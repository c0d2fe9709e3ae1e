#if Collector
    internal import LogbookCore
    internal import LogbookFormat
    internal import LogbookTransactions

    /// What an entry is known by in ClickHouse: a transaction and a key. A query for several names the transactions and the keys apart, so
    /// it also finds what nobody asks for: the key of one entry in the transaction of another.
    struct EntryPlace: Hashable {
        /// The bytes of its id: texts that only look alike are two to an archive.
        let transaction: [UInt8]
        /// Of the key.
        let digest: String

        init(_ entry: AdmittedSet.Entry) { (transaction, digest) = (Array(entry.transaction.utf8), entry.digest) }

        /// - Parameter row: With the columns `transaction` and `digest`.
        init?(row: JSONValue) {
            guard let digest = row.text("digest") else { return nil }
            (transaction, self.digest) = (row.bytes("transaction"), digest)
        }
    }

    extension ClickHouseArchive {
        /// Of the entries of a set, those under whose keys something else stands. Under a key that stands in another transaction an entry
        /// is a new one here.
        /// - Parameter fresh: Those of them that are not there yet, each key of a transaction once.
        func conflicts(
            among entries: [AdmittedSet.Entry], beside fresh: [AdmittedSet.Entry], tenant: String
        ) async throws(ClickHouseFailure) -> [ArchiveReceipt.Conflict] {
            if fresh.count == entries.count { return [] }
            var standing: [EntryPlace: EntryContent] = [:]
            for entry in fresh where entry.record.key != nil { standing[EntryPlace(entry)] = EntryContent(entry.record) }
            let known = entries.filter { $0.record.key != nil && standing[EntryPlace($0)] == nil }
            for piece in known.pieces(of: Self.keysAtATime) {
                // As an answer would have it: merging may not have removed doubles yet.
                let rows = try await client.rows(
                    """
                    SELECT transaction, digest, time, event, error_code, lower(hex(SHA256(error_description))) AS description FROM (
                      SELECT transaction, digest, time, event, error_code, error_description, precedence FROM \(name(Self.entries))
                      WHERE tenant = \(tenant.clickHouseLiteral) AND transaction IN \(piece.map(\.transaction).clickHouseList)
                        AND digest IN \(piece.map(\.digest).clickHouseList)
                      ORDER BY precedence DESC LIMIT 1 BY transaction, digest)
                    """)
                for row in rows {
                    guard let place = EntryPlace(row: row), standing[place] == nil, let time = row.integer("time"),
                        let event = row.integer("event")
                    else { continue }
                    standing[place] = EntryContent(
                        time: time, event: event, errorCode: row.integer("error_code"), description: row.text("description"))
                }
            }
            return entries.compactMap { entry in
                guard let content = standing[EntryPlace(entry)], !content.saysTheSame(as: EntryContent(entry.record)) else { return nil }
                return ArchiveReceipt.Conflict(entry.record, in: entry.transaction)
            }
        }
    }
#endif
