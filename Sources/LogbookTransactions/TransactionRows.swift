#if Transactions
internal import GRDB
internal import LogbookCore

/// The rows of transactions, looked for and made within one SQLite transaction.
final class TransactionRows {
    typealias Found = (id: Int64, isOfThisSession: Bool)

    private let store: TransactionStore
    private let database: Database
    private var find: RowStatement?
    private var insert: BulkInsert?

    init(_ store: TransactionStore, _ database: Database) {
        self.store = store
        self.database = database
    }

    private static let insertRows = BulkInsert.Text(
        """
        INSERT INTO txn (guid, usecase, useragent_device_make, useragent_device_os, useragent_device_os_version,
          user, variant, app_version, session, installation)
        """, columns: 10, "ON CONFLICT (guid) DO NOTHING")

    /// Makes the rows of all transactions that begin here, as if there were none of them yet: their ids are new nearly always.
    /// - Returns: A row for each event that begins one, in their order; nil where it has to be looked for each of them.
    func makeRows(ofThoseThatBeginIn events: UnsafeBufferPointer<LogEvent>) throws -> [Found]? {
        let session = store.session
        var entries: [(entry: TransactionEntry, beginning: TransactionSession.Labels)] = []
        for event in events.places where event.pointee.beginsTransaction {
            guard let entry = event.pointee.transaction?.deliverable(in: session.id) else { continue }
            // What has no id of its own begins once in a session, however often it is said.
            guard entry.transactionID != TransactionEntry.commonID(of: entry.usecase, in: session.id),
                let beginning = session.beginning(of: entry)
            else { return nil }
            entries.append((entry, beginning))
        }
        if entries.isEmpty { return [] }
        let insert = try BulkInsert(Self.insertRows, count: entries.count, database)
        try insert.inEveryRow(bindSession)
        var written = 0
        for (place, (entry, beginning)) in entries.enumerated() {
            let row = insert[place]
            try bind(entry, beginning, to: row)
            written += try row.end()
        }
        if written < entries.count { return nil }
        // AUTOINCREMENT: each has the id behind the one before.
        let latest = database.lastInsertedRowID
        return (1...Int64(written)).map { (latest - Int64(written) + $0, true) }
    }

    /// The transaction's row, made again when its entries were delivered and the row with them. One that another session has begun says
    /// nothing of this one: who has begun it may come later to the receiver, which believes the first.
    func row(of entry: TransactionEntry) throws -> Found {
        let session = store.session
        if find == nil {
            // Ids are positive: below zero stands one of another session.
            find = try RowStatement("SELECT CASE WHEN session IS ?2 THEN id ELSE -id END FROM txn WHERE guid = ?1", database)
            try find!.bind(session.id, at: 2)
        }
        try find!.bind(entry.transactionID, at: 1)
        if let id = try find!.integer() {
            if id < 0 { session.noteElsewhere(entry.transactionID) }
            return (abs(id), id > 0)
        }
        let beginning = session.beginning(of: entry), isOfThisSession = beginning != nil
        let insert = try self.insert ?? BulkInsert(Self.insertRows, count: 1, database)
        self.insert = insert
        let row = insert[0]
        try bind(entry, beginning, to: row)
        if isOfThisSession { try bindSession(to: row) } else { for column in Int32(8)...10 { try row.bind(nil as String?, at: column) } }
        _ = try row.end()
        return (database.lastInsertedRowID, isOfThisSession)
    }

    private func bind(_ entry: TransactionEntry, _ beginning: TransactionSession.Labels?, to row: BulkInsert.Row) throws {
        try row.bind(entry.transactionID, at: 1)
        try row.bind(entry.usecase, at: 2)
        try row.bind(entry.device.make.deliverable, at: 3)
        try row.bind(entry.device.os.deliverable, at: 4)
        try row.bind(entry.device.osVersion.deliverable, at: 5)
        try row.bind(beginning?.user, at: 6)
        try row.bind(beginning?.variant, at: 7)
    }

    /// That this session has begun the transaction.
    private func bindSession(to row: BulkInsert.Row) throws {
        try row.bind(store.session.appVersion, at: 8)
        try row.bind(store.session.id, at: 9)
        try row.bind(store.installation, at: 10)
    }
}
#endif
