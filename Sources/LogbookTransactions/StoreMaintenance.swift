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
        try opening(path) { queue in
            var findings = Findings()
            try queue.read { db in
                findings.schemaVersion = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
                findings.faults = try String.fetchAll(db, sql: "PRAGMA integrity_check").filter { $0 != "ok" }
                for row in try Row.fetchAll(db, sql: "PRAGMA foreign_key_check") {
                    let (table, number, other) = (row.text(0) ?? "?", row.integer(1) ?? 0, row.text(2) ?? "?")
                    findings.faults.append("row \(number) of \(table) refers to one of \(other) that is not there")
                }
            }
            // Each of these says the same of a damaged page; the first word is enough.
            do {
                try queue.read { db in
                    (findings.installation, findings.epoch) = try identity(db)
                    findings.counts = try TransactionStore.counts(db)
                    findings.faults += try keysThatAreThereTwice(db)
                }
                try eachTransaction(queue) { _ in true }
            } catch let error as DatabaseError {
                findings.faults.append(error.message ?? "\(error.resultCode)")
            }
            return findings
        }
    }

    /// Gives each transaction as one line of JSON, in the words of version 0.0.2 of the wire; also while a program uses the store. What
    /// the program stores and deletes meanwhile may be among them or not.
    /// - Parameter write: Returns false to end it early. It may take its time: nothing is read meanwhile.
    package static func dump(_ path: String, _ write: ([UInt8]) -> Bool) throws(TransactionStoreError) {
        try opening(path) { queue in
            try eachTransaction(queue) { transaction in
                var line: [UInt8] = []
                line.append(transaction, .v0_0_2)
                line.append(0x0A)
                return write(line)
            }
        }
    }

    /// Writes what can be read to a new file; the old one is not changed. No program may have the store open.
    package static func repair(_ path: String, to target: String) throws(TransactionStoreError) -> TransactionStoreRecovery {
        if access(path, R_OK) != 0 { throw .cannotRead(path: path, reason: StoreFile.reason(errno)) }
        if access(target, F_OK) == 0 { throw .cannotOpen(path: target, reason: "there is a file already") }
        let file = try StoreFile(path)
        defer { withExtendedLifetime(file) {} }
        var salvage = StoreSalvage(identity: file.identity)
        try salvage.run(from: path, to: target)
        return TransactionStoreRecovery(
            reason: "by hand", setAside: path, transactions: salvage.transactions, entries: salvage.entries,
            orphans: salvage.orphans, isComplete: salvage.isComplete)
    }

    private static func opening<Result>(_ path: String, _ body: (DatabaseQueue) throws -> Result) throws(TransactionStoreError) -> Result {
        if access(path, R_OK) != 0 { throw .cannotRead(path: path, reason: StoreFile.reason(errno)) }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? queue.close() }
            try queue.read { db in
                guard try Int32.fetchOne(db, sql: "PRAGMA application_id") == StoreFile.applicationID else {
                    throw TransactionStoreError.notAStore(path: path)
                }
                let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
                if version > TransactionStore.schemaVersion {
                    throw TransactionStoreError.newerSchema(path: path, found: version, supported: TransactionStore.schemaVersion)
                }
            }
            return try body(queue)
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

    /// Transactions that are read at a time, and about how many bytes of their entries, unless one has more.
    private static let pageLimits = (transactions: 500, bytes: 8 << 20)

    /// By pages, each in a reading of its own: while one is going on, the program that uses the store cannot begin its write-ahead log anew.
    /// - Parameter body: Called between two readings; returns false to end it.
    private static func eachTransaction(_ queue: DatabaseQueue, _ body: (TransactionRecord) -> Bool) throws {
        var last = Int64.min
        while true {
            let (transactions, end) = try queue.read { db in try page(behind: last, db) }
            for transaction in transactions where !body(transaction) { return }
            guard let end else { return }
            last = end
        }
    }

    private struct PageEnds: Error {}

    /// - Parameter row: The id of the row behind which it begins.
    /// - Returns: With the id of its last row; nil where nothing is behind it.
    private static func page(behind row: Int64, _ db: Database) throws -> (transactions: [TransactionRecord], end: Int64?) {
        let present = Set(try db.columns(in: "txn").map { "t." + $0.name } + db.columns(in: "txn_log").map { "l." + $0.name })
        let columns = TransactionStore.columns.split { $0 == "," || $0.isWhitespace }
            .map { present.contains(String($0)) ? String($0) : "NULL" }
        var transactions: [TransactionRecord] = [], bytes = 0, end = row
        do {
            try TransactionStore.eachTransaction(
                db, entries: nil, transactions: "t.id > ?", arguments: [row], installation: try identity(db).installation,
                columns: columns.joined(separator: ", ")
            ) { id, transaction in
                transactions.append(transaction)
                bytes += transaction.entries.reduce(0) { $0 + 100 + ($1.errorDescription?.utf8.count ?? 0) }
                end = id
                if transactions.count == pageLimits.transactions || bytes >= pageLimits.bytes { throw PageEnds() }
            }
            return (transactions, nil)
        } catch {
            if transactions.isEmpty { throw error }
            return (transactions, end)   // what is damaged behind it the next reading finds
        }
    }
}
#endif
