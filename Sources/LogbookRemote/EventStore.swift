internal import LogbookCore
internal import LogbookDelivery

/// Where the events of a remote provider are from the log call to the receiver's acknowledgement.
protocol EventStore: ConcurrentParcelSource {
    /// - Returns: True when the courier should be woken.
    func take(_ event: LogEvent) -> Bool
    /// Counts an event that cannot be taken.
    func lose(_ reason: DropReason)
    /// What is there now waits no longer for company.
    func hurry()
    /// Takes no more.
    func close()
    /// Lets go of everything outside, once the courier has stopped.
    func release()
    /// Makes what is there as safe as it gets without the receiver.
    /// - Returns: False where that is not safe at all, and only the receiver makes it so.
    func makeSafe(by deadline: LogDeadline) throws(RemoteLogProviderError) -> Bool

    var ledger: LogLedger { get }
    /// Of the way to the receiver.
    var deliveries: LogLedger { get }
    /// Events that were taken and then lost.
    var lost: Int { get }
    /// Those that ``ledger`` has as delivered, by reasons; nil where that has none.
    var lostAfterwards: [DropReason: UInt64]? { get }
    /// Whether ``pendingCount`` says how many there are, and not how many there may be.
    var isCounted: Bool { get }
    /// The oldest first, where they are in memory.
    var pendingEvents: [LogEvent] { get }
    /// Begins to note what a kill would lose, where it would.
    func notePending(on page: LossPage, as name: String)
    /// Lets go of what is in memory and in no parcel, once somebody has saved it.
    /// - Parameter save: Has the oldest first, under no lock; says whether they are saved. Not called for none.
    /// - Returns: How many were let go of.
    func handOver(_ save: ([LogEvent]) -> Bool) -> Int
}
