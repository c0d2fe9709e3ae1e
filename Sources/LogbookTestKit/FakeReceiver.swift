internal import LogbookCore

/// The far end of a provider under test: it keeps what it is given, and fails or does not answer when told.
///
/// ```swift
/// let server = FakeReceiver<String>()
/// let sink = Webhook { try server.receive($0) }
/// server.fail(true)                        // from now on, receive throws
/// ```
public final class FakeReceiver<Item: Sendable>: Sendable {
    private struct State {
        var received: [Item] = []
        var isStalled = false
        /// So many more are taken before it fails; nil while it works.
        var takesBeforeFailing: Int?
    }
    private let state = Monitor(State())

    public init() {}

    /// Keeps the item; waits first while it is stalled.
    /// - Throws: ``ScriptedFailure`` while it fails. The item is not kept then.
    public func receive(_ item: Item) throws {
        try state.withLock { access in
            while access.value.isStalled { access.wait() }
            if let left = access.value.takesBeforeFailing {
                if left <= 0 { throw ScriptedFailure("the receiver was told to fail") }
                access.value.takesBeforeFailing = left - 1
            }
            access.value.received.append(item)
        }
    }

    /// Everything kept so far, in the order in which it came.
    public var received: [Item] { state.withLock { $0.value.received } }

    /// Does not answer (true), or goes on (false).
    public func stall(_ isStalled: Bool) {
        state.withLock { access in
            access.value.isStalled = isStalled
            access.broadcast()
        }
    }

    /// Refuses everything (true), or works (false).
    /// - Parameter count: So many items are taken before the first is refused. A sink that gives it the events of a batch one by one meets
    ///   with a failure in the middle of the batch only so.
    public func fail(_ isFailing: Bool, after count: Int = 0) { state.withLock { $0.value.takesBeforeFailing = isFailing ? count : nil } }
}
