internal import CLogbookSystem

/// Where the library takes the time from: the machine, or a clock that a test turns by hand.
public struct LogClock: Sendable {
    private let manual: ManualClock?

    /// The machine's wall clock and its monotonic clock. What queues alone hear is timed by the processor's count, where the system takes
    /// its own time from that; it is held against the wall clock each time events are handed out, and differs by fractions of a microsecond.
    public static let system = LogClock(manual: nil)
    /// A clock that stands still until a test moves it.
    public static func manual(_ clock: ManualClock) -> LogClock { LogClock(manual: clock) }

    /// Whether it is the machine's.
    var isSystem: Bool { manual == nil }

    /// Wall time, which may jump either way.
    public func now() -> LogTime {
        if let manual { return manual.now }
        return LogTime(nanoseconds: logbook_wall_nanoseconds())
    }

    /// Nanoseconds of a clock that only goes forward, from a start that means nothing.
    public func monotonicNanoseconds() -> UInt64 {
        if let manual { return manual.uptime }
        return logbook_monotonic_nanoseconds()
    }

    /// Waits on `monitor` until `uptime` on this clock, a broadcast, or `limit`, whichever comes first.
    package func wait<State>(
        in monitor: Monitor<State>.Access, until uptime: UInt64, limit: LogDeadline = .never
    ) {
        if let manual {
            if manual.uptime < uptime { monitor.wait(until: limit) }   // `advance` broadcasts to every observer
        } else {
            monitor.wait(until: LogDeadline(uptime: min(uptime, limit.uptime)))
        }
    }

    /// Calls `wake` after every move of a manual clock; does nothing with the machine's. Keep the token alive.
    package func onAdvance(_ wake: @escaping @Sendable () -> Void) -> ManualClock.Observation? {
        manual?.observe(wake)
    }
}

/// A clock for tests: it moves only when told, and wakes everything that waits on it.
public final class ManualClock: Sendable {
    private struct State {
        var wall: LogTime
        var uptime: UInt64 = 1_000_000_000
        var observers: [UInt64: @Sendable () -> Void] = [:]
        var nextObserver: UInt64 = 0
    }
    private let state: Locked<State>

    /// - Parameter now: The wall time at which the clock stands.
    public init(now: LogTime) { state = Locked(State(wall: now)) }

    public var now: LogTime { state.withLock { $0.wall } }
    var uptime: UInt64 { state.withLock { $0.uptime } }

    /// Lets time pass on both clocks.
    public func advance(by span: Duration) {
        let nanoseconds = max(0, span.wholeNanoseconds)
        let wakers = state.withLock { state in
            state.wall.nanoseconds += nanoseconds
            state.uptime += UInt64(nanoseconds)
            return Array(state.observers.values)
        }
        for wake in wakers { wake() }
    }

    /// Sets the wall clock alone, as an administrator or NTP would, forward or back.
    public func setWall(_ time: LogTime) { state.withLock { $0.wall = time } }

    /// Ends an observation when it is let go.
    package final class Observation: Sendable {
        private let clock: ManualClock
        private let number: UInt64
        init(clock: ManualClock, number: UInt64) {
            self.clock = clock
            self.number = number
        }
        deinit { clock.state.withLock { _ = $0.observers.removeValue(forKey: number) } }
    }

    package func observe(_ wake: @escaping @Sendable () -> Void) -> Observation {
        state.withLock { state in
            state.nextObserver += 1
            state.observers[state.nextObserver] = wake
            return Observation(clock: self, number: state.nextObserver)
        }
    }
}
