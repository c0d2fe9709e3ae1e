#if Collector
    internal import LogbookCore
    internal import LogbookTransactions

    /// What of a set may be stored: everything but what belongs to somebody who was erased.
    struct AdmittedSet {
        struct Entry {
            let transaction: String
            /// SHA-256 of the key under which the entry is stored once.
            let digest: String
            /// Place in the set.
            let ordinal: Int
            let record: EntryRecord
        }

        private(set) var transactions: [TransactionFacts] = []
        private(set) var entries: [Entry] = []
        /// Entries that are not to be stored.
        private(set) var erasedCount = 0

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
            let keys = EntryIdentity.keys(for: parcel)
            var facts: [String: TransactionFacts] = [:]
            var ordinal = 0
            for transaction in parcel.set.transactions {
                let end = Self.end(of: transaction, parcel.tenant, erased)
                var isKept = end == .distantPast
                for entry in transaction.entries {
                    defer { ordinal += 1 }
                    if entry.time <= end {
                        erasedCount += 1
                        continue
                    }
                    isKept = true
                    entries.append(
                        Entry(
                            transaction: transaction.id.storable, digest: HexadecimalDigest.of(keys[ordinal].utf8), ordinal: ordinal,
                            record: entry))
                }
                if isKept { facts[transaction.id.storable, default: TransactionFacts(transaction)].add(transaction) }
            }
            // Whoever locks several rows locks them in the same order.
            transactions = facts.values.sorted { Array($0.id.utf8).lexicographicallyPrecedes(Array($1.id.utf8)) }
        }

        /// Up to when entries of the transaction are not to be stored.
        private static func end(of transaction: TransactionRecord, _ tenant: String, _ erased: [String: LogTime]) -> LogTime {
            if erased.isEmpty { return .distantPast }
            if erased[ErasureMark.transaction(transaction.id.storable, tenant: tenant)] != nil { return .distantFuture }
            guard let user = transaction.user else { return .distantPast }
            return erased[ErasureMark.user(user.storable, tenant: tenant)] ?? .distantPast
        }
    }
#endif
