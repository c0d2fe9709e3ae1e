internal import CLogbookSystem

/// The moment, on the machine's monotonic clock, until which a caller is ready to wait.
public struct LogDeadline: Sendable, Hashable, Comparable {
    /// Monotonic nanoseconds; `UInt64.max` never comes.
    package let uptime: UInt64

    package init(uptime: UInt64) { self.uptime = uptime }

    /// Already over: do what can be done without waiting.
    public static let now = LogDeadline(uptime: 0)
    /// Never over. Prefer a number: something always hangs in the end.
    public static let never = LogDeadline(uptime: .max)

    /// This long from now; a negative span is over at once.
    public static func after(_ span: Duration) -> LogDeadline {
        let nanoseconds = max(0, span.wholeNanoseconds)
        let (sum, overflow) = logbook_monotonic_nanoseconds().addingReportingOverflow(UInt64(nanoseconds))
        return overflow ? .never : LogDeadline(uptime: sum)
    }
    /// The same in seconds: more than there are lead to ``never``; what is no number is over at once.
    public static func seconds(_ count: Double) -> LogDeadline {
        if !(count > 0) { return .now }
        return count < 9e9 ? after(.seconds(count)) : .never   // beyond the nanoseconds that an Int64 has, 292 years
    }
    public static func milliseconds(_ count: Int) -> LogDeadline { after(.milliseconds(count)) }

    public static func < (left: LogDeadline, right: LogDeadline) -> Bool { left.uptime < right.uptime }

    public var hasPassed: Bool { uptime != .max && logbook_monotonic_nanoseconds() >= uptime }

    /// Time left, zero when it is over; `nil` for ``never``.
    public var remaining: Duration? {
        if uptime == .max { return nil }
        let now = logbook_monotonic_nanoseconds()
        return now >= uptime ? .zero : .nanoseconds(Int64(min(uptime - now, UInt64(Int64.max))))
    }
}
