public import LogbookCore

/// A door that threads wait at: closed until a test opens it.
public final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting = 0
    }
    private let state = Monitor(State())
    public init() {}

    /// Lets everybody through, now and later.
    public func open() {
        state.withLock { access in
            access.value.isOpen = true
            access.broadcast()
        }
    }

    /// Waits until somebody opens; returns at once when that has happened.
    public func wait() {
        state.withLock { access in
            access.value.waiting += 1
            access.broadcast()
            while !access.value.isOpen { access.wait() }
        }
    }

    /// Returns once `count` threads have come to the door.
    /// - Returns: False when the deadline passed first.
    public func waitForArrivals(_ count: Int, by deadline: LogDeadline = .seconds(30)) -> Bool {
        state.withLock { access in
            while access.value.waiting < count {
                if !access.wait(until: deadline) { return access.value.waiting >= count }
            }
            return true
        }
    }
}
