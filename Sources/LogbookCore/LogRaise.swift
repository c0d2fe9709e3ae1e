/// More detail from a part of the program for a while; see ``LogService/raise(to:for:during:)``.
public final class LogRaise: Sendable {
    /// What is heard in any case while it lasts.
    public let level: LogLevel
    /// The categories and modules it is about.
    public let pattern: LogPattern
    /// When it ends by the wall clock, as it stood when it began.
    public let end: LogTime
    /// When it ends, on the service's monotonic clock.
    let expiry: UInt64
    private let service: @Sendable () -> LogService?

    init(to level: LogLevel, for pattern: LogPattern, end: LogTime, expiry: UInt64, service: LogService) {
        self.level = level
        self.pattern = pattern
        self.end = end
        self.expiry = expiry
        self.service = { [weak service] in service }
    }

    /// Ends it before its time. A second call does nothing.
    public func cancel() { service()?.remove(self) }
}

extension LogService {
    /// Lets everything from `level` on be heard that the categories and modules of a pattern say, until the span is over.
    ///
    /// ```swift
    /// service.raise(to: .debug, for: "checkout", during: .minutes(10))
    /// ```
    /// It adds to what is heard and silences nobody. Registrations whose levels are fixed (``LogRegistration/isFixed``) are left
    /// alone, and filters still decide. It ends by itself, to the nanosecond of the monotonic clock.
    /// - Parameters:
    ///   - pattern: Everything unless given.
    ///   - span: From now; zero or less raises nothing.
    /// - Returns: The raise, to end it earlier.
    @discardableResult
    public func raise(to level: LogLevel, for pattern: LogPattern = "*", during span: Duration) -> LogRaise {
        let nanoseconds = span.nanosecondsAhead
        let (expiry, isTooFar) = clock.monotonicNanoseconds().addingReportingOverflow(nanoseconds)
        let raise = LogRaise(
            to: level, for: pattern, end: clock.now().adding(span), expiry: isTooFar ? .max : expiry, service: self)
        if nanoseconds > 0 { change { $0.raises.append(raise) } }
        return raise
    }

    /// What is raised at the moment, in the order in which it was.
    public var raises: [LogRaise] {
        let now = clock.monotonicNanoseconds()
        return audience.raises.filter { now < $0.expiry }
    }

    func remove(_ raise: LogRaise) { change { $0.raises.removeAll { $0 === raise } } }

    func removeExpiredRaises() {
        let now = clock.monotonicNanoseconds()
        change { $0.raises.removeAll { $0.expiry <= now } }
    }
}

extension Duration {
    /// Held at the longest span that there is in seconds, 292 billion years.
    public static func minutes(_ count: some BinaryInteger) -> Duration { seconds(Int64(clamping: count), each: 60) }
    /// Held at the longest span that there is in seconds, 292 billion years.
    public static func hours(_ count: some BinaryInteger) -> Duration { seconds(Int64(clamping: count), each: 3600) }

    private static func seconds(_ count: Int64, each length: Int64) -> Duration {
        let (seconds, overflow) = count.multipliedReportingOverflow(by: length)
        return .seconds(overflow ? (count < 0 ? .min : .max) : seconds)
    }
}
