#if Collector
    internal import LogbookCore

    /// What is to go of a user who is being erased, also where that is finished long after it was asked for: the user may have come back
    /// since.
    struct UserErasure: Sendable {
        let user: String
        let tenant: String
        /// The time of the user's mark: nothing up to it stays.
        let end: LogTime
        /// Parcels up to this number had come when it was asked for: nothing of them stays, whatever time it says. What came later and is
        /// later than `end` is new.
        let border: Int64

        /// A part of it that was done.
        struct Step: Sendable {
            /// Transactions of which nothing is left.
            var removed = 0
            /// The number of the last transaction that was looked at; the next part begins behind it.
            var last: Int64
        }
    }
#endif
