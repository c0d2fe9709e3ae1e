#if Collector
    internal import GRDB
    internal import LogbookCore

    extension SQLiteArchive {
        /// Bytes of the write-ahead log that SQLite does not cut off when it begins anew. It does that with a commit, when all of it is in
        /// the file and nobody reads it any more: until then it grows.
        static let maximumLogBytes = 4 << 20

        /// Pages of the file that hold nothing any more: SQLite keeps them, and uses them before the file grows. Nobody who reads is waited
        /// for, nor a file that is written anew.
        public func reusableBytes() async throws(ArchiveError) -> Int {
            do {
                return try await writeAtOnce { database in
                    let pages = try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0
                    return try pages * (Int.fetchOne(database, sql: "PRAGMA page_size") ?? 0)
                }
            } catch {
                throw error as? ArchiveError ?? .unavailable(reason: "\(error)")
            }
        }

        /// Empties a write-ahead log that somebody's reading has made long, where that is over. Nobody is waited for, and the file may not
        /// need more of the disk for it than is free.
        public func giveBackRoom() async throws(ArchiveError) {
            guard fileBytes("-wal") > Self.maximumLogBytes else { return }
            do {
                try await writeAtOnce { [self] database in
                    let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
                    let size = try pages * (Int.fetchOne(database, sql: "PRAGMA page_size") ?? 0)
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

        private func fileBytes(_ suffix: String) -> Int { (try? SystemFileSystem().status(at: path + suffix).bytes) ?? 0 }
    }
#endif
