#if Collector
    internal import CLogbookSQLite
    internal import GRDB
    public import LogbookCore

    /// An archive in one SQLite file: a write-ahead log, one writing connection, and `synchronous=FULL`, so that what was stored
    /// survives a crash of the machine. Other processes may read the file at any time.
    public final class SQLiteArchive: Archive {
        private let file: ArchiveFile
        private let pool: DatabasePool
        var path: String { pool.path }
        private let commits: SharedCommit
        private let clock: LogClock
        /// The latest failure of a write, and when it was; nil when a write has worked since.
        private let latestFailure = Locked<(error: ArchiveError, uptime: UInt64)?>(nil)
        /// Whether the file may hold bytes of what was removed; known on the writing connection.
        let remains: Locked<Bool>
        /// How many erasures write the file anew, or are about to.
        let rewritings = Locked(0)

        /// How long a failed write counts against the archive while no other has worked: what does not fit on a full disk may be
        /// followed by something small that does.
        static let failureCounts = Duration.seconds(30)

        /// - Parameters:
        ///   - path: Made when there is none, readable by this user alone; its folder must exist. It may be a link to the file.
        ///   - busyTimeout: How long to wait for another process that has the file locked.
        public init(
            path: String, busyTimeout: Duration = .seconds(5), clock: LogClock = .system
        ) throws(ArchiveError) {
            self.clock = clock
            let file = try ArchiveFile(path, supported: Self.schemaVersion), path = file.path
            self.file = file
            var configuration = Configuration()
            configuration.label = "logbook-archive"
            configuration.busyMode = .timeout(Double(busyTimeout.wholeNanoseconds) / 1e9)
            configuration.prepareDatabase { database in
                _ = logbook_sqlite_defend(database.sqliteConnection)
                try database.execute(
                    sql: """
                        PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA secure_delete = ON;
                        PRAGMA journal_size_limit = \(Self.maximumLogBytes)
                        """)
            }
            do {
                pool = try DatabasePool(path: path, configuration: configuration)
                remains = Locked(
                    try pool.writeWithoutTransaction { database in
                        try database.execute(sql: "PRAGMA synchronous = FULL")  // a pool sets NORMAL
                        try Self.upgrade(database, path: path, free: FreeSpace.bytes(at: path))
                        return try !Self.finishErasures(database, path: path)
                    })
            } catch let error as ArchiveError {
                throw error
            } catch {
                throw .cannotOpen(path: path, reason: "\(error)")
            }
            commits = SharedCommit(pool)
        }

        /// Brings everything into the one file and lets it go, so that it can be opened again; nothing can be stored or asked for
        /// afterwards. Any number of times.
        public func close() throws(ArchiveError) {
            do { try pool.close() } catch { throw .unavailable(reason: "\(error)") }
            file.letGo()
        }

        /// Takes the lock that a write needs. A write that failed is believed for half a minute; after that a small one is tried. While the
        /// file is written anew, which may take minutes, it says so at once.
        public func checkWritable() async throws(ArchiveError) {
            var isTried = false
            if let failure = latestFailure.withLock({ $0 }) {
                let age = Int64(clamping: clock.monotonicNanoseconds() - failure.uptime)
                if age < Self.failureCounts.wholeNanoseconds { throw failure.error }
                isTried = true
            }
            try await noting { [isTried] in
                try await self.writeAtOnce { database in
                    try database.inTransaction(.immediate) {
                        if isTried { try database.execute(sql: "PRAGMA user_version = \(Self.schemaVersion)") }
                        return .commit
                    }
                }
            }
        }

        // MARK: Access

        /// On the writing connection, without a transaction around it.
        func writeAnew(_ body: @escaping @Sendable (Database) throws -> Void) async throws(ArchiveError) {
            do { try await pool.writeWithoutTransaction(body) } catch { throw .unavailable(reason: "\(error)") }
        }

        /// The same, for what must not wait until the file is written anew.
        func writeAtOnce<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
                // Within the lock, so that it has its place before whoever has not yet said so.
                rewritings.withLock { count in
                    if count > 0 { return continuation.resume(throwing: ArchiveError.beingWrittenAnew) }
                    pool.asyncWriteWithoutTransaction { database in continuation.resume(with: Result { try body(database) }) }
                }
            }
        }

        /// `BEGIN IMMEDIATE … COMMIT` on the writing connection.
        func write<Result: Sendable>(
            _ body: @escaping @Sendable (Database) throws -> Result
        ) async throws(ArchiveError) -> Result {
            try await noting { try await self.pool.write(body) }
        }

        /// The same, in one commit with those who call this at the same time.
        func writeTogether<Result: Sendable>(
            _ body: @escaping @Sendable (Database) throws -> Result
        ) async throws(ArchiveError) -> Result {
            try await noting { try await self.commits.run(body) }
        }

        /// Keeps in mind how the latest write went.
        private func noting<Result: Sendable>(_ write: () async throws -> Result) async throws(ArchiveError) -> Result {
            do throws(ArchiveError) {
                if try file.checkIsInPlace() { remains.withLock { $0 = true } }   // another process may have removed something
                let result = try await committed(write)
                latestFailure.withLock { $0 = nil }
                return result
            } catch {
                let now = clock.monotonicNanoseconds()
                if error != .beingWrittenAnew { latestFailure.withLock { $0 = (error, now) } }
                throw error
            }
        }

        private func committed<Result: Sendable>(_ write: () async throws -> Result) async throws(ArchiveError) -> Result {
            do { return try await write() } catch { throw error as? ArchiveError ?? .unavailable(reason: "\(error)") }
        }

        /// Reads on the writing connection, in turn with those who write. What the collector itself must know is asked for here: the others
        /// may all be with those who read slowly.
        func readInTurn<Result: Sendable>(
            _ body: @escaping @Sendable (Database) throws -> Result
        ) async throws(ArchiveError) -> Result {
            try await committed { try await self.pool.writeWithoutTransaction(body) }
        }

        func read<Result: Sendable>(
            _ body: @escaping @Sendable (Database) throws -> Result
        ) async throws(ArchiveError) -> Result {
            do { return try await pool.read(body) } catch { throw error as? ArchiveError ?? .unavailable(reason: "\(error)") }
        }
    }
#endif
