/// A moment: nanoseconds since 1970-01-01T00:00:00Z, leap seconds not counted; from 1677 to 2262.
public struct LogTime: Sendable, Hashable, Comparable {
    public var nanoseconds: Int64

    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// - Parameter seconds: Seconds since 1970; fractions are kept to the microsecond that a `Double` can carry today. Held at the first or
    ///   the last second there is; what is no number counts as 0.
    public init(seconds: Double) {
        let microseconds = (seconds * 1_000_000).rounded(), limit = Double(9_223_372_036_854_774)
        nanoseconds = microseconds.isNaN ? 0 : Int64(min(max(microseconds, -limit), limit)) * 1000
    }

    public static func < (left: LogTime, right: LogTime) -> Bool { left.nanoseconds < right.nanoseconds }

    /// Seconds since 1970 with the fraction.
    public var seconds: Double { Double(nanoseconds) / 1e9 }

    /// Whole seconds since 1970, rounded towards the past.
    public var wholeSeconds: Int64 { nanoseconds.flooredQuotient(by: 1_000_000_000) }

    /// Nanoseconds within the second, `0..<1_000_000_000`.
    public var nanosecondOfSecond: Int64 {
        let remainder = nanoseconds % 1_000_000_000   // `wholeSeconds` in nanoseconds may lie before the first moment there is
        return remainder < 0 ? remainder + 1_000_000_000 : remainder
    }

    /// Held at the first or the last moment there is, so that a span of centuries leads far ahead and not back.
    public func adding(_ duration: Duration) -> LogTime {
        let span = duration.wholeNanoseconds
        let (sum, overflow) = nanoseconds.addingReportingOverflow(span)
        return LogTime(nanoseconds: overflow ? (span < 0 ? .min : .max) : sum)
    }
}

extension Int64 {
    package func flooredQuotient(by divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}

extension Duration {
    /// The duration in nanoseconds, held at the largest `Int64` instead of overflowing.
    package var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return seconds < 0 ? .min : .max }
        let (sum, tooFar) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return tooFar ? (seconds < 0 ? .min : .max) : sum
    }

    /// The same to be added to a clock's count: none where it is negative.
    package var nanosecondsAhead: UInt64 { UInt64(max(0, wholeNanoseconds)) }
}
