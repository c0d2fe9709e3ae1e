#if Transactions
internal import GRDB
internal import LogbookCore
#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// What a person at a terminal does with a store: look whether it is well, read it, save what can be read of a damaged one.
package enum StoreMaintenance {
    package struct Findings: Sendable, Equatable {
        package var schemaVersion = 0
        package var installation = ""
        package var epoch: Int64 = 0
        package var counts = TransactionStoreCounts()
        /// What is wrong, in SQLite's words; empty for a store that is well.
        package var faults: [String] = []
    }

    /// Reads every page, every row and every reference, and changes nothing; also while a program uses the store.
    package static func verify(_ path: String) throws(TransactionStoreError) -> Findings {
        try reading(path) { db in
            var findings = Findings()
            findings.schemaVersion = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
            findings.faults = try String.fetchAll(db, sql: "PRAGMA integrity_check").filter { $0 != "ok" }
            for row in try Row.fetchAll(db, sql: "PRAGMA foreign_key_check") {
                let (table, number, other) = (row.text(0) ?? "?", row.integer(1) ?? 0, row.text(2) ?? "?")
                findings.faults.append("row \(number) of \(table) refers to one of \(other) that is not there")
            }
            // Each of these says the same of a damaged page; the first word is enough.
            do {
                (findings.installation, findings.epoch) = try identity(db)
                findings.counts = try TransactionStore.counts(db)
                findings.faults += try keysThatAreThereTwice(db)
                try eachTransaction(db, installation: findings.installation) { _ in }
            } catch let error as DatabaseError {
                findings.faults.append(error.message ?? "\(error.resultCode)")
            }
            return findings
        }
    }

    /// Gives each transaction as one line of JSON, in the words of version 0.0.2 of the wire; also while a program uses the store.
    /// - Parameter write: Returns false to end it early.
    package static func dump(_ path: String, _ write: ([UInt8]) -> Bool) throws(TransactionStoreError) {
        try reading(path) { db in
            do {
                try eachTransaction(db, installation: try identity(db).installation) { transaction in
                    var line: [UInt8] = []
                    line.append(transaction, .v0_0_2)
                    line.append(0x0A)
                    if !write(line) { throw Ended() }
                }
            } catch is Ended {}
        }
    }

    private struct Ended: Error {}

    /// Writes what can be read to a new file; the old one is not changed. No program may have the store open.
    package static func repair(_ path: String, to target: String) throws(TransactionStoreError) -> TransactionStoreRecovery {
        if access(path, R_OK) != 0 { throw .cannotOpen(path: path, reason: StoreFile.reason(errno)) }
        if access(target, F_OK) == 0 { throw .cannotOpen(path: target, reason: "there is a file already") }
        let file = try StoreFile(path)
        defer { withExtendedLifetime(file) {} }
        var salvage = StoreSalvage(identity: file.identity)
        try salvage.run(from: path, to: target)
        return TransactionStoreRecovery(
            reason: "by hand", setAside: path, transactions: salvage.transactions, entries: salvage.entries,
            orphans: salvage.orphans, isComplete: salvage.isComplete)
    }

    private static func reading<Result>(_ path: String, _ body: (Database) throws -> Result) throws(TransactionStoreError) -> Result {
        if access(path, R_OK) != 0 { throw .cannotOpen(path: path, reason: StoreFile.reason(errno)) }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? queue.close() }
            return try queue.read { db in
                guard try Int32.fetchOne(db, sql: "PRAGMA application_id") == StoreFile.applicationID else {
                    throw TransactionStoreError.notAStore(path: path)
                }
                let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
                if version > TransactionStore.schemaVersion {
                    throw TransactionStoreError.newerSchema(path: path, found: version, supported: TransactionStore.schemaVersion)
                }
                return try body(db)
            }
        } catch {
            throw TransactionStoreError(error, path: path)
        }
    }

    private static func identity(_ db: Database) throws -> (installation: String, epoch: Int64) {
        guard let row = try Row.fetchOne(db, sql: "SELECT installation, epoch FROM meta"), let installation = row.text(0),
            let epoch = row.integer(1)
        else { throw TransactionStore.damage("meta") }
        return (installation, epoch)
    }

    /// No index keeps the keys of entries apart, which receivers take for one entry when they are the same.
    /// - Returns: The first hundred, in words.
    private static func keysThatAreThereTwice(_ db: Database) throws -> [String] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT epoch, sequence, count(*) FROM txn_log GROUP BY epoch, sequence HAVING count(*) > 1
                ORDER BY epoch, sequence LIMIT 100
                """)
        return rows.map { row in
            let (epoch, sequence, count) = (row.integer(0) ?? 0, row.integer(1) ?? 0, row.integer(2) ?? 0)
            return "\(count) entries have the key \(epoch):\(sequence)"
        }
    }

    private static func eachTransaction(
        _ db: Database, installation: String, _ body: (TransactionRecord) throws -> Void
    ) throws {
        let present = Set(try db.columns(in: "txn").map { "t." + $0.name } + db.columns(in: "txn_log").map { "l." + $0.name })
        let columns = TransactionStore.columns.split { $0 == "," || $0.isWhitespace }
            .map { present.contains(String($0)) ? String($0) : "NULL" }
        try TransactionStore.eachTransaction(
            db, entries: nil, installation: installation, columns: columns.joined(separator: ", "), body)
    }
}
#endif
