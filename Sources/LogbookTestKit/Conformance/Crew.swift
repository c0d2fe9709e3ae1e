internal import LogbookCore

/// Threads that begin together and are waited for together.
final class Crew: Sendable {
    private struct State {
        var hasBegun = false
        var working = 0
    }
    private let state = Monitor(State())

    /// - Returns: False when the machine has no thread to give.
    func add(_ number: Int, _ body: @escaping @Sendable (Int) -> Void) -> Bool {
        state.withLock { $0.value.working += 1 }
        let started = LogThread.start("conformance-\(number)") { [state] in
            state.withLock { access in
                while !access.value.hasBegun { access.wait() }
            }
            body(number)
            Self.leave(state)
        }
        if !started {
            Self.leave(state)
            begin()
        }
        return started
    }

    private static func leave(_ state: Monitor<State>) {
        state.withLock { access in
            access.value.working -= 1
            access.broadcast()
        }
    }

    func begin() {
        state.withLock { access in
            access.value.hasBegun = true
            access.broadcast()
        }
    }

    /// Without a limit of its own: a check that takes too long is given up as a whole.
    func wait(_ step: String, _ progress: CheckProgress) {
        progress.doing(step) {
            state.withLock { access in
                while access.value.working > 0 { access.wait() }
            }
        }
    }
}
