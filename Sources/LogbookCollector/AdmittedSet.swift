#if Collector
    internal import LogbookCore
    internal import LogbookTransactions

    /// What of a set may be stored: everything but what belongs to somebody who was erased.
    struct AdmittedSet {
        /// A transaction that turns out to be of somebody who was erased.
        struct Erasure: Sendable {
            let transaction: String
            let user: String
            /// Up to when it is erased.
            let end: LogTime
            /// What came in parcels up to this number goes as well, whatever time it says.
            var border: Int64 = 0
        }

        struct Entry {
            let transaction: String
            /// SHA-256 of the key under which the entry is stored once.
            let digest: String
            /// Place in the set.
            let ordinal: Int
            let record: EntryRecord
            /// Which of ``devices`` its set names for it; nil where it names none.
            let device: Int?
        }

        /// What the set says of a transaction's device, for some of its entries.
        struct Device {
            let transaction: String
            let facts: DeviceFacts
        }

        private(set) var transactions: [TransactionFacts] = []
        private(set) var entries: [Entry] = []
        private(set) var devices: [Device] = []
        /// Entries that are not to be stored.
        private(set) var erasedCount = 0
        /// Those that are not marked yet, each transaction once.
        private(set) var erasures: [Erasure] = []

        /// The marks by which it would be known that something in the set was erased.
        static func marks(of parcel: TransactionParcel) -> Set<String> {
            var marks: Set<String> = []
            for transaction in parcel.set.transactions {
                marks.insert(ErasureMark.transaction(transaction.id.storable, tenant: parcel.tenant))
                if let user = transaction.user { marks.insert(ErasureMark.user(user.storable, tenant: parcel.tenant)) }
            }
            return marks
        }

        /// - Parameter erased: Of the marks, those that are there, and when.
        init(_ parcel: TransactionParcel, erased: [String: LogTime]) {
            let parcel = parcel.withDevicesApart
            let keys = EntryIdentity.keys(for: parcel)
            let known = parcel.set.transactions.map { Self.erasure(of: $0, parcel.tenant, erased) }
            var facts: [[UInt8]: TransactionFacts] = [:]   // by the bytes of the ids: texts that only look alike are two to an archive
            var ordinal = 0
            for (transaction, erasure) in zip(parcel.set.transactions, known) {
                let device = DeviceFacts.named(in: transaction), place = device == nil ? nil : devices.count
                var kept = 0
                for entry in transaction.entries {
                    defer { ordinal += 1 }
                    if erasure.covers(entry.time) {
                        erasedCount += 1
                        continue
                    }
                    kept += 1
                    entries.append(
                        Entry(
                            transaction: transaction.id.storable, digest: HexadecimalDigest.of(keys[ordinal].utf8), ordinal: ordinal,
                            record: entry, device: place))
                }
                if kept > 0, let device { devices.append(Device(transaction: transaction.id.storable, facts: device)) }
                let id = Array(transaction.id.storable.utf8)
                if kept > 0 || erasure.end == nil { facts[id, default: TransactionFacts(transaction)].add(transaction) }
            }
            let own = TransactionErasure.found(known, in: parcel.set.transactions).compactMap { transaction, end in
                transaction.user.map { Erasure(transaction: transaction.id.storable, user: $0.storable, end: end) }
            }
            erasures = Array(Dictionary(own.map { (Array($0.transaction.utf8), $0) }) { $0.end < $1.end ? $1 : $0 }.values)
            // Whoever locks several rows locks them in the same order.
            transactions = facts.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
        }

        private static func erasure(
            of transaction: TransactionRecord, _ tenant: String, _ erased: [String: LogTime]
        ) -> TransactionErasure {
            if erased.isEmpty { return TransactionErasure() }
            return TransactionErasure(
                ofTransaction: erased[ErasureMark.transaction(transaction.id.storable, tenant: tenant)],
                ofUser: transaction.user.flatMap { erased[ErasureMark.user($0.storable, tenant: tenant)] })
        }
    }
#endif
