#if Collector && canImport(Glibc)
    @testable import LogbookCollector
    import LogbookCore
    import LogbookTestKit
    import LogbookTransactions
    import Testing

    /// Clusters of ClickHouse that lose a server.
    @Suite(.enabled(if: ClickHouseCluster.isPossible, "needs the Debian package clickhouse-server or zookeeper"), .serialized)
    struct ArchiveClusterTests {
        private static let parcels = 30
        private static let complete = ArchiveCounts(transactions: 150, entries: 15_000, logEvents: 0, parcels: parcels)

        private static func parcel(_ number: Int) -> TransactionParcel {
            let records = (0..<5).map { part in
                TransactionRecord(
                    id: "T\(number)-\(part)", usecase: 1, deviceMake: "KVM",
                    entries: (0..<100).map {
                        Golden.entry($0, at: Double($0), key: EntryKey(installation: "I\(number)-\(part)", epoch: 1, sequence: Int64($0)))
                    })
            }
            return TransactionParcel(parcel: "P\(number)", set: TransactionSet(transactions: records), received: LogTime(seconds: 1000))
        }

        private static func next(_ count: Locked<Int>) -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }

        /// Stores all parcels as three couriers do: each again until it is acknowledged.
        /// - Parameters:
        ///   - refusals: Counts the answers that said: later.
        ///   - inTheMiddle: Done once a third is acknowledged, while others go on.
        private static func deliver(
            to archive: any Archive, refusals: Locked<Int> = Locked(0), inTheMiddle: @escaping @Sendable () async throws -> Void
        ) async throws {
            let taken = Locked(-1), acknowledged = Locked(0)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        while case let number = next(taken), number < parcels {
                            let deadline = LogDeadline.seconds(120)
                            while true {
                                do {
                                    _ = try await archive.store(parcel(number))
                                    break
                                } catch ArchiveError.unavailable(let reason) {
                                    _ = next(refusals)
                                    if deadline.hasPassed { throw ScriptedFailure(reason) }
                                    try await Task.sleep(for: .milliseconds(20))
                                }
                            }
                            if next(acknowledged) == parcels / 3 { try await inTheMiddle() }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }

        /// What the archive counts, once that is what is expected: replicas copy from each other in their own time.
        private static func counts(of archive: any Archive, expected: ArchiveCounts) async throws -> ArchiveCounts {
            let deadline = LogDeadline.seconds(180)
            while true {
                let counts = try await archive.counts(tenant: nil)
                if counts == expected || deadline.hasPassed { return counts }
                try await Task.sleep(for: .milliseconds(20))
            }
        }

        @Test("Row 54: two shards, one killed while parcels are stored: until it is back the archive says to try later; then everything is there once")
        func aShardIsKilled() async throws {
            let (cluster, archive) = try await onThread {
                let cluster = try ClickHouseCluster(.shards, sessionTimeout: .seconds(4))
                return (cluster, try ArchiveURL.open(cluster.makeDatabase()))
            }
            let refusals = Locked(0)
            try await Self.deliver(to: archive, refusals: refusals) {
                await onThread { cluster.servers[1].kill() }
                await #expect(throws: ArchiveError.self) { try await archive.checkWritable() }
                // Half of a user's rows may be on the shard that is away.
                await #expect(throws: ArchiveError.self) {
                    try await archive.erase(user: "u", tenant: Tenant.standard, at: LogTime(seconds: 2000))
                }
                try await onThread {
                    try eventually { if refusals.withLock(\.self) == 0 { throw ScriptedFailure("nobody was told to try later") } }
                    try cluster.startAgain(cluster.servers[1])
                }
            }
            #expect(try await archive.counts(tenant: nil) == Self.complete)
            for number in 0..<Self.parcels {
                #expect(try await archive.store(Self.parcel(number)) == ArchiveReceipt(accepted: 0, duplicates: 500))
            }
            var query = TransactionQuery(to: LogTime(seconds: 1), limit: 100), found: [TransactionRecord] = []
            repeat {
                let page = try await archive.transactions(query)
                found += page.transactions
                query.cursor = page.next
            } while query.cursor != nil
            #expect(found.count == 150 && Set(found.map(\.id)).count == 150 && found.allSatisfy { $0.entries.count == 100 })
            // Each transaction is on one shard, with all its entries, and both have their share.
            let each = try await onThread {
                try cluster.servers.map { server in
                    let answer = try server.ask("SELECT uniqExact(transaction), uniqExact(transaction, digest) FROM t1.logbook_entries_shard")
                    return answer.split { $0 == "\t" || $0 == "\n" }.compactMap { Int($0) }
                }
            }
            #expect(each.allSatisfy { $0[0] > 30 && $0[1] == $0[0] * 100 } && each[0][0] + each[1][0] == 150, "\(each)")
            #expect(cluster.trouble == nil)
            await onThread { cluster.kill() }
        }

        @Test("Row 54: two replicas, one killed while parcels are stored: the archive goes on with the other; when it is back, both have everything once")
        func aReplicaIsKilled() async throws {
            let (cluster, address, archive) = try await onThread {
                let cluster = try ClickHouseCluster(.replicas, sessionTimeout: .seconds(4))
                let address = try cluster.makeDatabase()
                return (cluster, address, try ArchiveURL.open(address))
            }
            // It is the one that is asked first, and it stays away until everything is acknowledged.
            try await Self.deliver(to: archive) { await onThread { cluster.servers[0].kill() } }
            try await archive.checkWritable()
            // A collector that starts now, and removing, do without it too.
            let other = try await onThread { try ArchiveURL.open(address) }
            let leaving = TransactionRecord(id: "L", usecase: 1, user: "u", entries: [Golden.entry(0, at: 1)])
            #expect(try await other.store(Golden.parcel(leaving)).accepted == 1)
            #expect(try await other.erase(user: "u", tenant: Tenant.standard, at: LogTime(seconds: 2000)) == 1)
            #expect(try await archive.transaction("L", tenant: Tenant.standard) == nil)

            try await onThread { try cluster.startAgain(cluster.servers[0]) }
            var everything = Self.complete
            everything.parcels += 1   // the one that brought what was erased
            for servers in [cluster.servers, cluster.servers.reversed()] {
                let reader = try await onThread { try ArchiveURL.open(cluster.address(of: "t1", servers: servers)) }
                #expect(try await Self.counts(of: reader, expected: everything) == everything)
                // All of it was copied, so the erasure was as well: what is erased is not counted.
                #expect(try await reader.transaction("L", tenant: Tenant.standard) == nil)
            }
            for number in 0..<Self.parcels {
                #expect(try await archive.store(Self.parcel(number)) == ArchiveReceipt(accepted: 0, duplicates: 500))
            }
            #expect(cluster.trouble == nil)
            await onThread { cluster.kill() }
        }

        @Test("Row 54: without ZooKeeper a cluster stores nothing and says so, and answers what it has; with it, everything is there once")
        func zooKeeperIsKilled() async throws {
            let (cluster, archive) = try await onThread {
                let cluster = try ClickHouseCluster(.replicas, sessionTimeout: .seconds(4))
                return (cluster, try ArchiveURL.open(cluster.makeDatabase()))
            }
            _ = try await archive.store(Self.parcel(0))
            await onThread { cluster.keeper.kill() }
            await #expect(throws: ArchiveError.self) { try await archive.store(Self.parcel(1)) }
            await #expect(throws: ArchiveError.self) { try await archive.checkWritable() }
            #expect(try await archive.counts(tenant: nil) == ArchiveCounts(transactions: 5, entries: 500, logEvents: 0, parcels: 1))
            try await onThread { try cluster.keeper.startAgain() }
            try await Self.deliver(to: archive) {}
            // One parcel may have gone to the one replica and the next to the other.
            #expect(try await Self.counts(of: archive, expected: Self.complete) == Self.complete)
            #expect(cluster.trouble == nil)
            await onThread { cluster.kill() }
        }
    }
#endif
