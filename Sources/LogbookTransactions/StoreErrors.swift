#if Transactions
internal import LogbookCore

/// Tells the application what goes wrong with the store, when nothing is held: whoever hears of it may wait for a thread that logs.
final class StoreErrors: Sendable {
    private let onError: (@Sendable (TransactionStoreError) -> Void)?
    /// Recoveries of which nobody has heard yet.
    private let untold = Locked<[TransactionStoreError]>([])

    init(_ onError: (@Sendable (TransactionStoreError) -> Void)?) { self.onError = onError }

    /// Is told with the next that is ``reporting(_:)`` or calls ``tell()``, which is nearly always who came upon the damage.
    func note(_ recovery: TransactionStoreError) { untold.withLock { $0.append(recovery) } }

    func tell() {
        let told = untold.withLock { untold in
            defer { if !untold.isEmpty { untold = [] } }
            return untold
        }
        for recovery in told { onError?(recovery) }
    }

    /// Tells what the work comes upon, and what it fails with.
    func reporting<Result>(_ work: () throws(TransactionStoreError) -> Result) throws(TransactionStoreError) -> Result {
        defer { tell() }
        do {
            return try work()
        } catch {
            tell()   // what came first
            onError?(error)
            throw error
        }
    }
}
#endif
