/// Does something once its time has come, on a clock, without anybody asking. It holds a thread only while it is set.
///
/// With a manual clock there is no thread: the action runs on the thread that moves the clock.
package final class LogAlarm: Sendable {
    private final class Waiting: Sendable {
        struct State {
            var due: UInt64?
            /// The process whose thread waits; a forked child has to start its own.
            var thread: ProcessLineage?
        }
        let state = Monitor(State())
        let clock: LogClock
        let action: @Sendable () -> Void

        init(clock: LogClock, action: @escaping @Sendable () -> Void) {
            self.clock = clock
            self.action = action
        }

        func isDue() -> Bool {
            let now = clock.monotonicNanoseconds()
            return state.withLock { access in
                guard let due = access.value.due, due <= now else { return false }
                access.value.due = nil
                return true
            }
        }

        /// Waits until the alarm is due or no longer set.
        func run() {
            while true {
                if isDue() { action() }
                let isSet = state.withLock { access in
                    guard let due = access.value.due else {
                        access.value.thread = nil
                        return false
                    }
                    access.wait(until: LogDeadline(uptime: due))
                    return true
                }
                if !isSet { return }
            }
        }
    }
    private let waiting: Waiting
    private let observation: ManualClock.Observation?
    private let name: String
    private let startThread: LogThread.Start

    /// - Parameters:
    ///   - name: Names the thread.
    ///   - startThread: Starts it.
    ///   - action: Runs under no lock; it may set the alarm again.
    package init(
        _ name: String, clock: LogClock, startThread: @escaping LogThread.Start = { LogThread.start($0, $1) },
        action: @escaping @Sendable () -> Void
    ) {
        let waiting = Waiting(clock: clock, action: action)
        self.name = name
        self.startThread = startThread
        self.waiting = waiting
        observation = clock.onAdvance { if waiting.isDue() { waiting.action() } }
    }

    deinit { set(at: nil) }

    /// Sets the alarm to a moment of the clock's monotonic time, instead of the one it was set to; nil switches it off. Not to be called
    /// under a lock: where the machine gives no thread to wait on, that is reported, and the diagnostics' handler is foreign code.
    package func set(at uptime: UInt64?) { set { uptime } }

    /// The same for a moment that others may change meanwhile: of several threads, the one that has looked last sets it.
    /// - Parameter findDue: Called under the alarm's lock.
    package func set(_ findDue: () -> UInt64?) {
        let needsThread = waiting.state.withLock { access in
            let uptime = findDue()
            access.value.due = uptime
            access.broadcast()
            guard observation == nil, uptime != nil, access.value.thread?.isCurrent != true else { return false }
            access.value.thread = .current
            return true
        }
        if needsThread, !startThread(name, { [waiting] in waiting.run() }) {
            waiting.state.withLock { $0.value.thread = nil }
            LogDiagnostics.report(name, "the machine gives no thread to wait on; what should have happened later does not")
        }
    }
}

extension Locked<LogAlarm?> {
    /// The alarm, made when it is first asked for; to be set when the lock is let go.
    func alarm(madeBy make: () -> LogAlarm) -> LogAlarm {
        withLock { alarm in
            let current = alarm ?? make()
            alarm = current
            return current
        }
    }
}
