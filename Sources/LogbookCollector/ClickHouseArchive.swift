#if Collector
    internal import LogbookCore
    internal import LogbookFormat
    public import LogbookHTTP
    internal import LogbookTransactions

    /// An archive in ClickHouse, for what outgrows one machine: tables that begin with `logbook_`, made when there are none. With a
    /// cluster, the rows are spread over its shards by the transaction's id, and each shard keeps them on all its replicas: it
    /// stores and answers while each shard has a replica that does.
    ///
    /// ClickHouse has neither transactions nor unique keys, so this archive promises less than the others:
    /// - A parcel whose storing was interrupted is there in part until it is sent again. Then the rest is added.
    /// - Every key is stored once, and answers show it once. How many entries were new is found by asking for their keys before; when
    ///   two collectors store the same parcel at the same moment, both may count them as accepted.
    /// - What is stored survives `kill -9` of a server. A crash of its machine may take what the kernel had not written yet, unless
    ///   there is a replica elsewhere. Replicas copy from each other in their own time: what one alone has is not seen while it is
    ///   down, and is there when it comes back.
    /// - An erasure does not find what only a replica has that is down; ask for it again when that is back.
    /// - A set that says only later whose a transaction was does not wait until what was there of it is gone: that takes about a minute,
    ///   and is tried again until it is done. What was known of the transaction beside its entries stays.
    public final class ClickHouseArchive: Archive {
        let client: ClickHouseClient
        let clock: LogClock
        /// The latest arrival's number.
        private let arrivals = Locked<UInt64>(0)
        /// The latest day of which something was sent to this collector.
        let latestDay = Locked<Int64?>(nil)
        /// Of what was sent on earlier days.
        let tidying: DeferredWork
        /// Of what is noted.
        let removal: DeferredWork
        /// Says something to whoever runs the collector.
        let report: @Sendable (String) -> Void

        /// Connects and makes the tables, blocking the calling thread until then.
        /// - Parameters:
        ///   - url: `clickhouse://user@host:8123/database`. With `?cluster=name` it names every server of that cluster, with commas
        ///     between them: they are tried in their order, and must have the database and the macros `shard` and `replica`.
        ///     `secure=1` speaks HTTPS, `insecure=1` lets plain HTTP go to other machines.
        ///   - password: Instead of one in the URL, which others may see among the process's arguments.
        /// - Throws: ``ArchiveError/invalidAddress(_:)``, ``ArchiveError/cannotReach(address:reason:)``,
        ///   ``ArchiveError/newerSchema(path:found:supported:)``.
        public convenience init(_ url: String, password: Secret? = nil) throws(ArchiveError) {
            var address = try ClickHouseAddress(url)
            address.password = password ?? address.password
            try self.init(address, transport: CurlTransport(allowsPlainHTTP: address.allowsPlainHTTP))
        }

        /// - Parameter removalDelay: How long what is noted for removal waits for more.
        init(
            _ address: ClickHouseAddress, transport: any HTTPTransport, clock: LogClock = .system, removalDelay: Duration = .seconds(60),
            report: @escaping @Sendable (String) -> Void = { LogDiagnostics.report("collector", $0) }
        ) throws(ArchiveError) {
            removal = DeferredWork(after: removalDelay)
            tidying = DeferredWork(after: removalDelay)
            self.report = report
            client = ClickHouseClient(address, transport: transport)
            self.clock = clock
            let outcome = Monitor<Result<(version: Int, noted: Int), ClickHouseFailure>?>(nil)
            let client = client
            Task {
                let result: Result<(version: Int, noted: Int), ClickHouseFailure>
                do throws(ClickHouseFailure) {
                    let found = try await Self.migrate(client)
                    // A shard that is down keeps nobody from starting.
                    result = .success((found, (try? await Self.notedCount(client)) ?? 0))
                } catch {
                    result = .failure(error)
                }
                outcome.withLock { access in
                    access.value = result
                    access.broadcast()
                }
            }
            let result = outcome.withLock { access in
                while access.value == nil { access.wait() }
                return access.value!
            }
            switch result {
            case .success(let found):
                if found.version > Self.schemaVersion {
                    throw .newerSchema(path: address.description, found: found.version, supported: Self.schemaVersion)
                }
                // Another collector may have ended before.
                if found.noted > 0 { report("\(found.noted) transactions that were erased are still to be removed, and that is done soon") }
            case .failure(let failure): throw .cannotReach(address: address.description, reason: failure.reason)
            }
            removeNotedSoon()
        }

        /// The table as queries name it.
        func name(_ table: Table) -> String { "\(client.address.database).\(table.name)" }

        /// What is larger the earlier something has arrived; of rows with the same key the largest stays. Unlike the time of
        /// reception it is never the same twice in one process.
        func nextPrecedence() -> UInt64 {
            let now = UInt64(max(0, clock.now().nanoseconds))
            return arrivals.withLock { latest in
                latest = max(latest + 1, now)
                return UInt64.max - latest
            }
        }

        /// Asks every shard, and writes a row that is there.
        public func checkWritable() async throws(ArchiveError) {
            try await speaking { client throws(ClickHouseFailure) in
                _ = try await client.rows("SELECT count() AS versions FROM \(self.name(Self.schema))")
                try await client.insert([Self.versionRow], into: Self.schema.name)
            }
        }

        func speaking<Result: Sendable>(
            _ body: (ClickHouseClient) async throws(ClickHouseFailure) -> Result
        ) async throws(ArchiveError) -> Result {
            do throws(ClickHouseFailure) { return try await body(client) } catch { throw .unavailable(reason: error.reason) }
        }
    }

    extension Array {
        /// In pieces of so many at most.
        func pieces(of count: Int) -> [ArraySlice<Element>] {
            stride(from: 0, to: self.count, by: count).map { self[$0..<Swift.min($0 + count, self.count)] }
        }
    }
#endif
