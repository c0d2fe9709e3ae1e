#if Collector
    internal import LogbookCore

    /// Work that may wait a while for more of its kind: done once for all who ask for it meanwhile, never twice at a time, and again
    /// where it fails.
    final class DeferredWork: Sendable {
        private enum State {
            case awaited
            /// Somebody has asked since it was begun, or awaited.
            case askedAgain
        }
        /// Nil when nobody has asked.
        private let state = Locked<State?>(nil)
        private let delay: Duration

        init(after delay: Duration) { self.delay = delay }

        /// - Parameter work: The same whoever asks. Returns whether it is done.
        func ask(_ work: @escaping @Sendable () async -> Bool) {
            let isFirst = state.withLock { state in
                defer { state = state == nil ? .awaited : .askedAgain }
                return state == nil
            }
            if isFirst { begin(work) }
        }

        private func begin(_ work: @escaping @Sendable () async -> Bool) {
            Task {
                try? await Task.sleep(for: delay)
                state.withLock { $0 = .awaited }   // what was asked for until now is done now
                let isDone = await work()
                let isOver = state.withLock { state in
                    let isOver = isDone && state == .awaited
                    state = isOver ? nil : .awaited
                    return isOver
                }
                if !isOver { begin(work) }
            }
        }
    }
#endif
