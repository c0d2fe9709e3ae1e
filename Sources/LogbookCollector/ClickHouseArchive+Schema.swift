#if Collector
    internal import LogbookCore

    extension ClickHouseArchive {
        /// The newest schema this program knows, kept in `logbook_schema`.
        static let schemaVersion = 2

        /// A table: on one server `ReplacingMergeTree`; in a cluster `ReplicatedReplacingMergeTree` on every server under the name
        /// with `_shard`, and a `Distributed` table over them under the name itself. In what both versions 18.16 and current ones
        /// understand: no LowCardinality, DateTime64 or TTL. Times are microseconds since 1970, which a DateTime of 18.16 cannot hold.
        struct Table: Sendable {
            let name: String
            let columns: String
            /// What is the same in rows of which one stays: the one that came first.
            let key: String
            /// What is on the same shard.
            let shard: String
            /// Nil for a table that stays small.
            var partition: String?
        }

        static let entries = Table(
            name: "logbook_entries",
            columns: """
                tenant String, transaction String, digest String, key String, event Int64, time Int64, day Date,
                offset_nanoseconds Nullable(Int64), error_code Nullable(Int64), error_description Nullable(String),
                ordinal UInt32, received Int64, precedence UInt64
                """, key: "tenant, transaction, digest", shard: "transaction", partition: "toYYYYMM(day)")
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
            let order = "ORDER BY (\(table.key))"
            let partition = table.partition.map { "PARTITION BY \($0) " } ?? ""
            guard let cluster else {
                return [
                    """
                    CREATE TABLE IF NOT EXISTS \(database).\(table.name) (\(table.columns))
                    ENGINE = ReplacingMergeTree(precedence) \(partition)\(order)
                    """
                ]
            }
            return [
                """
                CREATE TABLE IF NOT EXISTS \(database).\(table.name)_shard (\(table.columns))
                ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/\(database)/\(table.name)', '{replica}', precedence)
                \(partition)\(order)
                """,
                """
                CREATE TABLE IF NOT EXISTS \(database).\(table.name) (\(table.columns))
                ENGINE = Distributed(\(cluster), \(database), \(table.name)_shard, cityHash64(\(table.shard)))
                """,
            ]
        }

        /// Makes the tables that are missing, on one server after the other: `ON CLUSTER` needs another queue in ZooKeeper, waits
        /// for servers that are down, and ends a server of version 18.16 that has just started. Once all servers have had them,
        /// one that is down is left out; it has them still, or gets them at the next start.
        /// - Returns: The version that was found; above ``schemaVersion`` nothing was done.
        static func migrate(_ client: ClickHouseClient) async throws(ClickHouseFailure) -> Int {
            let address = client.address
            let found = try await version(client)
            if found > schemaVersion { return found }
            for server in address.servers.indices {
                do throws(ClickHouseFailure) {
                    if let cluster = address.cluster { try await checkThatEveryServerIsNamed(of: cluster, client, at: server) }
                    // Who may not make tables may use those that somebody else has made.
                    if try await hasTables(client, at: server) { continue }
                    for statement in tables.flatMap({ creation(of: $0, in: address.database, cluster: address.cluster) }) {
                        try await client.execute(statement, at: server)
                    }
                } catch .unreachable where found == schemaVersion {
                    continue
                }
            }
            if found < schemaVersion { try await client.insert([versionRow], into: schema.name) }
            return found
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
