internal import LogbookCore

/// What senders say of when something happened, beside our clock. Nothing is refused for its time: a clock may be wrong, and a set
/// may have waited on a device for weeks. What is far off is only counted.
struct ClientTimes: Sendable, Equatable {
    /// How far a time may be from ours before it counts as far off.
    static let window = Duration.seconds(7 * 86_400)

    /// Of more than a week before they were received.
    private(set) var past = 0
    /// Of more than a week after.
    private(set) var future = 0

    init() {}

    /// - Parameter now: When they were received.
    init(_ times: some Sequence<LogTime>, now: LogTime) {
        for time in times {
            let (difference, isBeyond) = time.nanoseconds.subtractingReportingOverflow(now.nanoseconds)
            guard isBeyond || difference.magnitude > UInt64(Self.window.wholeNanoseconds) else { continue }
            if time < now { past += 1 } else { future += 1 }
        }
    }

    static func += (sum: inout ClientTimes, other: ClientTimes) {
        sum.past += other.past
        sum.future += other.future
    }
}
