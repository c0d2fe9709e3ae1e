#if Collector
    internal import GRDB
    public import LogbookCore

    extension SQLiteArchive {
        /// Bytes of the write-ahead log that SQLite does not cut off when it begins anew. It does that with a commit, when all of it is in
        /// the file and nobody reads it any more: until then it grows.
        static let maximumLogBytes = 4 << 20

        /// Pages of the file that hold nothing any more: SQLite keeps them, and uses them before the file grows. Nobody who reads is waited
        /// for, nor a file that is written anew.
        public func reusableBytes() async throws(ArchiveError) -> Int {
            do {
                return try await writeAtOnce { try Self.bytes(of: .freePages, $0) }
            } catch {
                throw error as? ArchiveError ?? .unavailable(reason: "\(error)")
            }
        }

        /// The file's pages that hold something, also those that are only in the write-ahead log yet. What is removed makes this smaller,
        /// and not the file: its free pages are used again before it grows. An erasure makes it as small as what it holds.
        public func storedBytes() async throws(ArchiveError) -> Int? {
            try await readInTurn { try Self.bytes(of: .allPages, $0) - Self.bytes(of: .freePages, $0) }
        }

        /// By parcels, the names of which are removed with what they brought: each knows when something new of it
        /// came last, and how much was new.
        public func timeOfOldest(_ count: Int, from time: LogTime) async throws(ArchiveError) -> LogTime? {
            try await readInTurn { database in
                let parcels = try Row.fetchAll(
                    database, sql: "SELECT received, items FROM parcels WHERE received >= ? ORDER BY received LIMIT ?",
                    arguments: [time.microseconds, count])
                var received: Int64?, found = 0
                for parcel in parcels where found < count {
                    let items: Int = parcel[1]
                    received = parcel[0]
                    found += max(1, items)
                }
                return received.map { LogTime(microseconds: $0) }
            }
        }

        /// Empties a write-ahead log that somebody's reading has made long, where that is over. Nobody is waited for, and the file may not
        /// need more of the disk for it than is free.
        public func giveBackRoom() async throws(ArchiveError) {
            guard fileBytes("-wal") > Self.maximumLogBytes else { return }
            do {
                try await writeAtOnce { [self] database in
                    let size = try Self.bytes(of: .allPages, database)
                    if let free = FreeSpace.bytes(at: path), size - fileBytes("") > free { return }
                    let patience = try Int.fetchOne(database, sql: "PRAGMA busy_timeout") ?? 0
                    try database.execute(sql: "PRAGMA busy_timeout = 0")
                    defer { try? database.execute(sql: "PRAGMA busy_timeout = \(patience)") }
                    do { _ = try database.checkpoint(.truncate) } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {}
                }
            } catch {
                throw error as? ArchiveError ?? .unavailable(reason: "\(error)")
            }
        }

        /// Pages of a file, by the pragma that counts them.
        enum Pages: String {
            case allPages = "page_count"
            case freePages = "freelist_count"
        }

        static func bytes(of pages: Pages, _ database: Database) throws -> Int {
            let count = try Int.fetchOne(database, sql: "PRAGMA \(pages.rawValue)") ?? 0
            return try count * (Int.fetchOne(database, sql: "PRAGMA page_size") ?? 0)
        }

        private func fileBytes(_ suffix: String) -> Int { (try? SystemFileSystem().status(at: path + suffix).bytes) ?? 0 }
    }
#endif
