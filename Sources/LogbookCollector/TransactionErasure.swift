#if Collector
    internal import LogbookCore
    internal import LogbookTransactions

    /// What is known of erasures when a set says something of a transaction.
    struct TransactionErasure {
        /// Up to when nothing of the transaction is to be stored; nil where it is not marked.
        var ofTransaction: LogTime?
        /// Up to when nothing of the user is to be stored whom the set names; nil where nobody is named, or nobody who was erased.
        var ofUser: LogTime?

        /// Up to when nothing of what the set says is to be stored.
        var end: LogTime? {
            guard let ofTransaction, let ofUser else { return ofTransaction ?? ofUser }
            return max(ofTransaction, ofUser)
        }

        /// Whether an entry or an event of this time is not to be stored.
        func covers(_ time: LogTime) -> Bool {
            guard let end else { return false }
            return time.microseconds <= end.microseconds   // as archives keep them
        }

        /// Up to when what is there of the transaction is to go, now that the set says whose it is; nil when nothing follows, or nothing
        /// new. Never for good: whoever may write, and knows the id and a user who was erased, would remove what comes later.
        var found: LogTime? {
            guard let ofUser else { return nil }
            if let ofTransaction, ofTransaction.microseconds >= ofUser.microseconds { return nil }
            return ofUser
        }

        /// Those of a set that turn out to be of somebody who was erased, and up to when they are. Where the set names two users of one, the
        /// first is believed.
        /// - Parameter erasures: Of each of them.
        static func found(
            _ erasures: [TransactionErasure], in transactions: [TransactionRecord]
        ) -> [(transaction: TransactionRecord, end: LogTime)] {
            if erasures.allSatisfy({ $0.found == nil }) { return [] }
            var users: [[UInt8]: [UInt8]] = [:]   // by the bytes of the ids: texts that only look alike are two to an archive
            for (transaction, erasure) in zip(transactions, erasures) {
                guard let user = transaction.user?.storable, !user.isEmpty else { continue }
                if transaction.entries.allSatisfy({ erasure.covers($0.time) }), erasure.end != nil { continue }   // nothing of it is stored
                let id = Array(transaction.id.storable.utf8)
                if users[id] == nil { users[id] = Array(user.utf8) }
            }
            return zip(transactions, erasures).compactMap { transaction, erasure in
                guard let end = erasure.found, let user = transaction.user?.storable else { return nil }
                let first = users[Array(transaction.id.storable.utf8)]
                return first == nil || first == Array(user.utf8) ? (transaction, end) : nil
            }
        }
    }
#endif
