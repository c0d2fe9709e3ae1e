#if Collector
    internal import LogbookCore

    extension ClickHouseArchive {
        /// The newest schema this program knows, kept in `logbook_schema`.
        static let schemaVersion = 3

        /// A table: on one server `ReplacingMergeTree`; in a cluster `ReplicatedReplacingMergeTree` on every server under the name
        /// with `_shard`, and a `Distributed` table over them under the name itself. In what both versions 18.16 and current ones
        /// understand: no LowCardinality, DateTime64 or TTL. Times are microseconds since 1970, which a DateTime of 18.16 cannot hold.
        struct Table: Sendable {
            struct Column: Sendable {
                let name: String
                let type: String

                /// As it stands in `CREATE TABLE` and behind `ADD COLUMN`.
                var definition: String { "\(name) \(type)" }
            }

            let name: String
            let columns: String
            /// Columns that later versions have added, behind the others.
            var added: [Column] = []
            /// What is the same in rows of which one stays: the one that came first.
            let key: String
            /// What is on the same shard.
            let shard: String
            /// Nil for a table that stays small.
            var partition: String?
        }

        /// Of entries: the device that their set named, if any. Only when they are read it is known whether that is the transaction's.
        static let ownDevice = ["own_device_make", "own_device_os", "own_device_os_version"]

        static let entries = Table(
            name: "logbook_entries",
            columns: """
                tenant String, transaction String, digest String, key String, event Int64, time Int64, day Date,
                offset_nanoseconds Nullable(Int64), error_code Nullable(Int64), error_description Nullable(String),
                ordinal UInt32, received Int64, precedence UInt64
                """, added: ownDevice.map { Table.Column(name: $0, type: "Nullable(String)") }, key: "tenant, transaction, digest",
            shard: "transaction", partition: "toYYYYMM(day)")
        static let transactions = Table(
            name: "logbook_transactions",
            columns: """
                tenant String, transaction String, facts String, usecase Int64, device_make String, device_os String,
                device_os_version String, user_id String, variant String, app_version String, session String, installation String,
                received Int64, precedence UInt64
                """, key: "tenant, transaction, facts", shard: "transaction")
        static let logEvents = Table(
            name: "logbook_log_events",
            columns: """
                tenant String, digest String, installation Nullable(String), epoch Nullable(Int64), sequence Int64, time Int64,
                day Date, level String, message String, thread Nullable(Int64), file Nullable(String), function Nullable(String),
                line Nullable(Int64), metadata Nullable(String), error_type Nullable(String), error_message Nullable(String),
                transaction_guid String, usecase Nullable(Int64), event Nullable(Int64), error_code Nullable(Int64),
                error_description Nullable(String), ordinal UInt32, received Int64, precedence UInt64
                """, key: "tenant, digest", shard: "digest", partition: "toYYYYMM(day)")
        static let parcels = Table(
            name: "logbook_parcels",
            columns: "tenant String, kind String, name String, received Int64, precedence UInt64", key: "tenant, kind, name",
            shard: "name")
        static let erased = Table(
            name: "logbook_erased", columns: "mark String, time Int64, precedence UInt64", key: "mark, time", shard: "mark")
        /// Transactions that are marked and of which what was there is still to be removed, up to a time. Rows that are added together
        /// have a name, by which no other goes with them.
        static let erasures = Table(
            name: "logbook_erasures", columns: "addition String, tenant String, transaction String, time Int64, precedence UInt64",
            key: "addition, transaction", shard: "addition")
        /// How much of a day's quota is used: what collectors add, each addition a row, whose sum counts. The day is since 1970, UTC.
        static let bytesSent = Table(
            name: "logbook_bytes_sent", columns: "tenant String, day Int64, addition String, bytes Int64, precedence UInt64",
            key: "tenant, day, addition", shard: "tenant")
        static let schema = Table(
            name: "logbook_schema", columns: "version UInt32, precedence UInt64", key: "version", shard: "toString(version)")

        static let tables = [entries, transactions, logEvents, parcels, erased, erasures, bytesSent, schema]

        /// The statements that make a table where there is none.
        static func creation(of table: Table, in database: String, cluster: String?) -> [String] {
            let columns = ([table.columns] + table.added.map(\.definition)).joined(separator: ", "), order = "ORDER BY (\(table.key))"
            let partition = table.partition.map { "PARTITION BY \($0) " } ?? ""
            guard let cluster else {
                return [
                    """
                    CREATE TABLE IF NOT EXISTS \(database).\(table.name) (\(columns))
                    ENGINE = ReplacingMergeTree(precedence) \(partition)\(order)
                    """
                ]
            }
            return [
                """
                CREATE TABLE IF NOT EXISTS \(database).\(table.name)_shard (\(columns))
                ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/\(database)/\(table.name)', '{replica}', precedence)
                \(partition)\(order)
                """,
                """
                CREATE TABLE IF NOT EXISTS \(database).\(table.name) (\(columns))
                ENGINE = Distributed(\(cluster), \(database), \(table.name)_shard, cityHash64(\(table.shard)))
                """,
            ]
        }

        /// Makes the tables that are missing, and adds the columns that an earlier version's lack, on one server after the other:
        /// `ON CLUSTER` needs another queue in ZooKeeper, waits for servers that are down, and ends a server of version 18.16 that has
        /// just started. Once all servers have had them, one that is down is left out; it has them still, or gets them at the next start.
        /// - Returns: The version that was found; above ``schemaVersion`` nothing was done.
        static func migrate(_ client: ClickHouseClient) async throws(ClickHouseFailure) -> Int {
            let address = client.address
            let found = try await version(client)
            if found > schemaVersion { return found }
            var servers = Array(address.servers.indices)
            func atEachServer(_ body: (_ server: Int) async throws(ClickHouseFailure) -> Void) async throws(ClickHouseFailure) {
                for server in servers {
                    do throws(ClickHouseFailure) { try await body(server) } catch .unreachable where found == schemaVersion {
                        servers.removeAll { $0 == server }   // nor is it asked again
                    }
                }
            }
            // Before others are made: a replica's table has the columns that the other replicas' have.
            try await atEachServer { server throws(ClickHouseFailure) in
                if let cluster = address.cluster { try await checkThatEveryServerIsNamed(of: cluster, client, at: server) }
                for table in tables {
                    let name = address.cluster == nil ? table.name : table.name + "_shard"
                    try await add(table.added, to: name, client, at: server)
                }
            }
            try await atEachServer { server throws(ClickHouseFailure) in
                // Who may not make tables may use those that somebody else has made.
                if try await hasTables(client, at: server) { return }
                for statement in tables.flatMap({ creation(of: $0, in: address.database, cluster: address.cluster) }) {
                    try await client.execute(statement, at: server)
                }
            }
            // Those over the shards last: whoever asks them for all columns asks every shard.
            if address.cluster != nil {
                try await atEachServer { server throws(ClickHouseFailure) in
                    for table in tables { try await add(table.added, to: table.name, client, at: server) }
                }
            }
            if found < schemaVersion { try await client.insert([versionRow], into: schema.name) }
            return found
        }

        /// How often columns are tried to be added.
        private static let addingAttempts = 12

        /// Adds the columns that a table lacks, where the server has the table. Another collector may do the same, and what one replica
        /// adds the others get from it: so a refusal counts only where columns are still missing some moments later. Version 18.16 has no
        /// `ADD COLUMN IF NOT EXISTS`.
        private static func add(
            _ columns: [Table.Column], to table: String, _ client: ClickHouseClient, at server: Int
        ) async throws(ClickHouseFailure) {
            if columns.isEmpty { return }
            let database = client.address.database
            var pause = Duration.milliseconds(50)
            for attempt in 1... {
                let names = try await client.rows(
                    """
                    SELECT name FROM system.columns
                    WHERE database = \(database.clickHouseLiteral) AND table = \(table.clickHouseLiteral)
                    """, at: server
                ).compactMap { $0.text("name") }
                let missing = columns.filter { !names.contains($0.name) }
                if names.isEmpty || missing.isEmpty { return }
                do throws(ClickHouseFailure) {
                    let additions = missing.map { "ADD COLUMN \($0.definition)" }.joined(separator: ", ")
                    return try await client.execute("ALTER TABLE \(database).\(table) \(additions)", at: server)
                } catch {
                    if case .unreachable = error { throw error }
                    if attempt == addingAttempts { throw error }
                }
                try? await Task.sleep(for: pause)   // nobody cancels the task that opens an archive
                pause = min(pause * 2, .seconds(1))
            }
        }

        private static func hasTables(_ client: ClickHouseClient, at server: Int) async throws(ClickHouseFailure) -> Bool {
            let address = client.address
            let names = tables.flatMap { address.cluster == nil ? [$0.name] : [$0.name, $0.name + "_shard"] }
            let rows = try await client.rows(
                """
                SELECT count() AS tables FROM system.tables
                WHERE database = \(address.database.clickHouseLiteral) AND name IN \(names.clickHouseList)
                """, at: server)
            return rows.first?.integer("tables") == Int64(names.count)
        }

        /// What the archive says of itself; 0 when its tables are not there, or not everywhere.
        private static func version(_ client: ClickHouseClient) async throws(ClickHouseFailure) -> Int {
            do throws(ClickHouseFailure) {
                let rows = try await client.rows("SELECT max(version) AS newest FROM \(client.address.database).\(schema.name)")
                return Int(rows.first?.integer("newest") ?? 0)
            } catch .refused(let code, _) where code == ClickHouseFailure.unknownTable {
                return 0
            }
        }

        private static func checkThatEveryServerIsNamed(
            of cluster: String, _ client: ClickHouseClient, at server: Int
        ) async throws(ClickHouseFailure) {
            let rows = try await client.rows(
                "SELECT count() AS servers FROM system.clusters WHERE cluster = \(cluster.clickHouseLiteral)", at: server)
            let servers = client.address.servers, count = Int(rows.first?.integer("servers") ?? 0)
            if count == servers.count { return }
            throw .refused(
                code: nil,
                reason: count == 0
                    ? "the server \(servers[server]) knows no cluster \(cluster)"
                    : "the cluster \(cluster) has \(count) servers and the address names \(servers.count); name every one, with commas between them")
        }

        static var versionRow: ArchiveRow {
            var row = ArchiveRow()
            row.add("version", schemaVersion)
            return row
        }

        /// The day by which a row is partitioned.
        static func day(of time: LogTime, received: LogTime) -> String {
            time.isOrdinary(received: received) ? time.date(separator: "-") : "1970-01-01"
        }
    }
#endif
