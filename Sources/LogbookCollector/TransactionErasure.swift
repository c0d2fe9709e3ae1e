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

        /// Up to when the transaction is erased now that the set says whose it is: for good, but for one in which the user has come back.
        /// Nil when nothing follows, or nothing new.
        /// - Parameters:
        ///   - kept: How many of the entries are to be stored.
        ///   - count: How many there are; none say nothing of when it was.
        func found(kept: Int, of count: Int) -> LogTime? {
            guard let ofUser, kept < count || count == 0 else { return nil }
            let end = kept == 0 && count > 0 ? LogTime.distantFuture : ofUser
            if let ofTransaction, ofTransaction.microseconds >= end.microseconds { return nil }
            return end
        }
    }
#endif
