#if Collector
    internal import LogbookCore

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
    }
#endif
