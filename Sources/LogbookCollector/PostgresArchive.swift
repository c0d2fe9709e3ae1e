#if Collector
    internal import LogbookCore
    internal import LogbookTransactions

    /// An archive in a PostgreSQL database, for several collectors at the same time: the tables of the schema `logbook`, made when
    /// there are none.
    ///
    /// A parcel is one transaction of the database. It is stored once the server has committed with `synchronous_commit`, so it
    /// survives a crash of the server's machine. When the connection breaks during the commit, nobody knows whether it was stored:
    /// the sender is told to send again, and what was stored is then a duplicate.
    public final class PostgresArchive: Archive {
        let pool: PostgresPool
        let clock: LogClock
        /// Days that have no partition of their own, and why not.
        let unmade = Locked(UnmadeDays())
        /// How long the making of a partition may take.
        let dayLimit: Duration
        /// Of erasures that could not be finished, at the start or when they were asked for.
        let removal: DeferredWork
        /// Says something to whoever runs the collector.
        let report: @Sendable (String) -> Void

        /// Connects and brings the tables up to date, blocking the calling thread for ten seconds at most where nobody answers. Tables of
        /// an earlier version take longer: what is stored is read for it, and another collector that does that is waited for, an hour at
        /// most.
        /// - Parameter uri: As libpq takes it: `postgres://user@host:5432/database`. A password is better kept in `PGPASSWORD` or
        ///   `~/.pgpass`, where it is not among the process's arguments.
        /// - Throws: ``ArchiveError/invalidAddress(_:)``, ``ArchiveError/cannotReach(address:reason:)``,
        ///   ``ArchiveError/newerSchema(path:found:supported:)``, and ``ArchiveError/unavailable(reason:)`` where the tables could not be
        ///   brought up to date because of others who use them.
        public convenience init(_ uri: String) throws(ArchiveError) { try self.init(uri, clock: .system) }

        /// - Parameters:
        ///   - removalDelay: After which what could not be removed at the start, or by an erasure that has failed, is tried again.
        ///   - migrationLimit: How long another collector is waited for that brings the tables to a newer version.
        init(
            _ uri: String, clock: LogClock, dayLimit: Duration = PostgresArchive.dayLimit, removalDelay: Duration = .seconds(60),
            migrationLimit: Duration = PostgresArchive.migrationLimit,
            report: @escaping @Sendable (String) -> Void = { LogDiagnostics.report("collector", $0) }
        ) throws(ArchiveError) {
            self.clock = clock
            self.dayLimit = dayLimit
            removal = DeferredWork(after: removalDelay)
            self.report = report
            let address = try PostgresAddress(uri)
            pool = PostgresPool(address)
            let migration: Migration
            do throws(ArchiveError) {
                migration = try pool.runAndWait { connection throws(PostgresFailure) -> Migration in
                    try PostgresArchive.migrate(connection, within: migrationLimit, report: report)
                }
            } catch {
                pool.close()
                guard case .unavailable(let reason) = error else { throw error }
                throw .cannotReach(address: address.description, reason: reason)
            }
            switch migration {
            case .found(let version) where version > Self.schemaVersion:
                pool.close()
                throw .newerSchema(path: address.description, found: version, supported: Self.schemaVersion)
            case .found: break
            case .hindered(let reason):
                pool.close()
                throw .unavailable(reason: "\(address): \(reason)")
            }
            // What cannot be removed keeps nobody from storing.
            do throws(ArchiveError) { try pool.runAndWait(Self.finishErasures) } catch {
                reportUnfinished(error)
                finishErasuresSoon()
            }
        }

        /// Lets the connections go; nothing can be stored or asked for afterwards.
        public func close() { pool.close() }

        /// Changes a row and takes it back: a server that only reads, or has no room, refuses.
        public func checkWritable() async throws(ArchiveError) {
            try await pool.run { connection throws(PostgresFailure) in
                try connection.execute("BEGIN")
                do throws(PostgresFailure) {
                    try connection.execute("UPDATE schema_version SET version = version")
                    try connection.execute("ROLLBACK")
                } catch {
                    _ = try? connection.execute("ROLLBACK")
                    throw error
                }
            }
        }

        /// The moment of so many microseconds since 1970, exactly: PostgreSQL multiplies intervals in floating point, which whole
        /// seconds survive and microseconds of the year 2262 would not.
        static func time(_ microseconds: String) -> String {
            "timestamptz 'epoch' + (\(microseconds)::bigint / 1000000) * interval '1 second' + (\(microseconds)::bigint % 1000000) * interval '1 microsecond'"
        }

        /// A moment as microseconds since 1970, exactly.
        static func microseconds(_ time: String) -> String { "(extract(epoch FROM \(time)) * 1000000)::bigint" }
    }
#endif
