#if Collector
    internal import LogbookCore
    internal import LogbookTransactions

    /// The key under which an archive stores an entry once.
    ///
    /// A sender that gives keys (version 0.0.2) decides itself. Any other entry is known by all it says and by how many of its kind came
    /// before it in the same set, wherever it stands there: a sender may have deleted others by the time it sends the rest again. From
    /// one that names its parcels it is known by the parcel as well. The original client names nothing; so an entry that repeats an
    /// earlier one to the second in a later set of it is taken for that.
    enum EntryIdentity {
        /// - Returns: One key per entry, in the order of the set.
        static func keys(for parcel: TransactionParcel) -> [String] {
            let scope = parcel.parcel.map { "in \(counted($0))" } ?? "entry"
            var keys: [String] = []
            var occurrences: [[UInt8]: Int] = [:]   // by bytes: texts that only look alike are two to an archive
            for transaction in parcel.set.transactions {
                for entry in transaction.entries {
                    if let key = entry.key {
                        keys.append(key.description)
                        continue
                    }
                    let content = content(of: entry, in: transaction.id)
                    let bytes = Array(content.utf8)
                    let earlier = occurrences[bytes, default: 0]
                    occurrences[bytes] = earlier + 1
                    keys.append("\(scope) \(earlier) \(content)")
                }
            }
            return keys
        }

        private static func content(of entry: EntryRecord, in transaction: String) -> String {
            let time = entry.time.nanoseconds.flooredQuotient(by: 1000)
            let code = entry.errorCode.map(String.init) ?? "-"
            return "\(counted(transaction)) \(entry.event) \(time) \(code)"
                + (entry.errorDescription.map { " \($0)" } ?? "")
        }

        /// With its length in front, so that no text can look like the end of another.
        private static func counted(_ text: String) -> String { "\(text.utf8.count):\(text)" }
    }
#endif
