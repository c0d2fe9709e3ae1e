internal import LogbookCore

/// The wall clock as it would stand had nobody set it since the start: what must not happen early is measured by it.
struct SteadyTime: Sendable {
    private let wall: LogTime
    private let uptime: UInt64

    init(_ clock: LogClock) {
        wall = clock.now()
        uptime = clock.monotonicNanoseconds()
    }

    /// Never later than the wall clock says, nor than time has passed.
    func now(_ clock: LogClock) -> LogTime {
        let passed = clock.monotonicNanoseconds() - uptime
        return min(clock.now(), wall.adding(.nanoseconds(Int64(clamping: passed))))
    }
}
