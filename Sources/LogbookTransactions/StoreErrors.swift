#if Transactions
internal import LogbookCore

/// Tells the application what goes wrong with the store, when nothing is held: whoever hears of it may wait for a thread that logs.
final class StoreErrors: Sendable {
    private let onError: (@Sendable (TransactionStoreError) -> Void)?
    /// What nobody has heard of yet.
    private let untold = Locked<[TransactionStoreError]>([])

    init(_ onError: (@Sendable (TransactionStoreError) -> Void)?) { self.onError = onError }

    /// Is told with the next that is ``reporting(_:)`` or calls ``tell()``, which is nearly always who came upon it.
    func note(_ error: TransactionStoreError) { untold.withLock { $0.append(error) } }

    func tell() {
        let told = untold.withLock { untold in
            defer { if !untold.isEmpty { untold = [] } }
            return untold
        }
        for error in told { onError?(error) }
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
