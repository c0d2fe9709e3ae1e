/// What a wrapper is about to say by itself, on another thread than those that log: it is in nobody's hands but that thread's, and a flush or
/// a shutdown that finds nothing left to say waits until it is said.
final class OwnSayings: Sendable {
    private struct State {
        /// The threads that say something.
        var speakers: [UInt64] = []
        var waiting = 0
    }
    private let state = Monitor(State())

    /// - Parameter say: Takes what is to be said, and says it.
    func run(_ say: () -> Void) {
        let thread = LogThread.currentNumber
        state.withLock { $0.value.speakers.append(thread) }
        defer {
            state.withLock { access in
                if let place = access.value.speakers.firstIndex(of: thread) { access.value.speakers.remove(at: place) }
                access.broadcast()
            }
        }
        say()
    }

    /// Waits for all others who say something, until the deadline.
    func wait(until deadline: LogDeadline) {
        let thread = LogThread.currentNumber
        state.withLock { access in
            access.value.waiting += 1
            defer { access.value.waiting -= 1 }
            while access.value.speakers.contains(where: { $0 != thread }), access.wait(until: deadline) {}
        }
    }

    var hasWaiters: Bool { state.withLock { $0.value.waiting > 0 } }
}
