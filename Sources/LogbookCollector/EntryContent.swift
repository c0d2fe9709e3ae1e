#if Collector
    internal import LogbookCore
    internal import LogbookTransactions

    /// What an entry says beside its key: whether one that comes under a key that is there is that entry again, or another one to which its
    /// sender has given the key a second time, as a copied disk may.
    ///
    /// Only entries that bring keys need that: the key of any other is all that it says (``EntryIdentity``). What is known of the
    /// transaction is no part of it, since whoever knows more fills it in, and the offset is none, since others leave it out.
    struct EntryContent: Equatable {
        /// Microseconds since 1970.
        let time: Int64
        let event: Int64
        let errorCode: Int64?
        /// SHA-256 of the description, in hexadecimal digits: an archive need not give back all of it.
        let description: String?

        /// - Parameter description: Its digest.
        init(time: Int64, event: Int64, errorCode: Int64?, description: String?) {
            (self.time, self.event, self.errorCode, self.description) = (time, event, errorCode, description)
        }

        init(_ entry: EntryRecord) {
            self.init(
                time: entry.time.microseconds, event: Int64(entry.event), errorCode: entry.errorCode.map { Int64($0) },
                description: entry.errorDescription.map { HexadecimalDigest.of($0.storable.utf8) })
        }

        /// Whether both say the same. A whole second stands for any moment of it: not every sender has fractions, nor has every way on
        /// which an entry comes.
        func saysTheSame(as other: EntryContent) -> Bool {
            let second = Self.second(of: time)
            let isSameTime =
                time == other.time || second == Self.second(of: other.time) && (time == second || other.time == second)
            return isSameTime && event == other.event && errorCode == other.errorCode && description == other.description
        }

        static let microsecondsOfSecond: Int64 = 1_000_000

        /// Where the second begins in which a moment is; all in microseconds since 1970.
        static func second(of time: Int64) -> Int64 { time.flooredQuotient(by: microsecondsOfSecond) * microsecondsOfSecond }
    }

    extension ArchiveReceipt.Conflict {
        /// Nil for an entry that has brought no key.
        init?(_ entry: EntryRecord, in transaction: String) {
            guard let key = entry.key else { return nil }
            self.init(transaction: transaction.storable, key: key.description.storable)
        }
    }
#endif
