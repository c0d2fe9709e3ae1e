/// How many events of a kind a ``RateLimiting`` lets pass.
public struct RateLimit: Sendable, Hashable {
    /// So many events of each kind pass in each span; at least 1.
    public var count: Int
    /// The span begins with the first event of its kind.
    public var span: Duration
    /// What is counted together.
    public var key: LogEventKey
    /// From this level on everything passes; nil: no level is spared. Transaction entries always pass.
    public var sparing: LogLevel?
    /// Kinds counted at the same time at most, at least 1; kinds beyond that are counted as one.
    public var maximumKinds: Int

    public init(
        _ count: Int, per span: Duration, key: LogEventKey = .callSite, sparing: LogLevel? = .critical,
        maximumKinds: Int = 1024
    ) {
        self.count = count
        self.span = span
        self.key = key
        self.sparing = sparing
        self.maximumKinds = maximumKinds
    }

    func check() {
        requireValid(count > 0 && span > .zero && maximumKinds > 0, "RateLimit.count, .span and .maximumKinds must be positive")
    }

    /// The span of one kind that is running.
    struct Window {
        let end: UInt64
        private(set) var passed = 0
        private(set) var held: UInt64 = 0
        private(set) var last: HeldEvent?

        init(_ limit: RateLimit, from now: UInt64) {
            let (end, isTooFar) = now.addingReportingOverflow(limit.span.nanosecondsAhead)
            self.end = isTooFar ? .max : end
        }

        mutating func pass() { passed += 1 }

        mutating func hold(_ event: HeldEvent) {
            held = held.cappedSum(event.event.standsFor)
            last = event
        }

        /// What is to be reported about events that were held back and not yet reported.
        mutating func takeReport() -> Report? {
            guard let last else { return nil }
            defer { (held, self.last) = (0, nil) }
            return Report(last: last, count: held)
        }
    }

    struct Report {
        let last: HeldEvent
        let count: UInt64
    }
}

/// Lets so many events of a kind pass in a span and holds the rest back, so that one line gone wild does not drown the others.
///
/// When the span is over, at a flush and at the end, one event says how many were held back: it stands in the place of the last
/// of them, with its level, time, source and metadata, and `suppressed` says the count. The sum of these counts is exact.
///
/// What is said when a span is over is said on a thread of this wrapper's own. A provider whose queue stands outside of the wrapper is then
/// called on two threads, perhaps at once; one that is not ready for that has its queue inside:
/// `RateLimiting(BatchingProvider(sink), to: limit)`.
public final class RateLimiting: WrappingProvider {
    private struct State {
        var table: KindTable<RateLimit.Window>
        var suppression = LogSuppression()
        /// When the alarm is set to.
        var due = UInt64.max
    }
    public let wrapped: any LogProvider
    public let limit: RateLimit
    private let clock: LogClock
    private let startThread: LogThread.Start
    private let state: Locked<State>
    private let alarm = Locked<LogAlarm?>(nil)
    private let lineage = ProcessLineage.current
    let sayings = OwnSayings()

    public convenience init(_ wrapped: any LogProvider, to limit: RateLimit, clock: LogClock = .system) {
        self.init(wrapped, to: limit, clock: clock, startThread: { LogThread.start($0, $1) })
    }

    /// - Parameter startThread: Starts the thread that waits for a span to be over.
    init(_ wrapped: any LogProvider, to limit: RateLimit, clock: LogClock, startThread: @escaping LogThread.Start) {
        limit.check()
        self.wrapped = wrapped
        self.limit = limit
        self.clock = clock
        self.startThread = startThread
        state = Locked(State(table: KindTable(maximumKinds: limit.maximumKinds)))
    }

    // Nobody is left to flush it. What a forked child has of its parent's, that says itself.
    deinit { if lineage.isCurrent { sayEverything() } }

    public func log(_ event: LogEvent) {
        if spares(event) { return wrapped.log(event) }
        let now = clock.monotonicNanoseconds(), kind = limit.key.value(of: event), held = HeldEvent(event)
        var report: RateLimit.Report?, passes = false, needsAlarm = false
        state.withLock { state in
            let place = state.table.place(for: kind) { $0.end <= now && $0.held == 0 }
            var window = state.table[place] ?? RateLimit.Window(limit, from: now)
            if window.end <= now {
                report = window.takeReport()
                window = RateLimit.Window(limit, from: now)
            }
            passes = window.passed < limit.count
            if passes {
                window.pass()
            } else {
                // Nobody came when it was due: the machine gave no thread for it, or that was the parent's of a forked child.
                needsAlarm = window.held == 0 && state.due <= now
                window.hold(held)
                state.suppression.heldBack += 1
                if window.end < state.due {
                    state.due = window.end
                    needsAlarm = true
                }
            }
            state.table[place] = window
        }
        if needsAlarm { setAlarm() }
        if let report { say([report]) }
        if passes { wrapped.log(event) }
    }

    private func setAlarm() {
        let alarm = alarm.alarm(madeBy: {
            LogAlarm("logbook-limits", clock: clock, startThread: startThread) { [weak self] in
                guard let self else { return }
                sayings.run { self.reportWindowsThatAreOver() }
            }
        })
        alarm.set {
            let due = state.withLock { $0.due }
            return due == .max ? nil : due
        }
    }

    private func reportWindowsThatAreOver() {
        let now = clock.monotonicNanoseconds()
        let reports = state.withLock { state in
            let reports = Self.takeReports(&state.table) { $0.end <= now }
            state.table.forget { $0.end <= now && $0.held == 0 }
            state.due = state.table.kinds.values.lazy.filter { $0.held > 0 }.map(\.end).min() ?? .max
            return reports
        }
        setAlarm()
        say(reports)
    }

    private static func takeReports(
        _ table: inout KindTable<RateLimit.Window>, where isWanted: (RateLimit.Window) -> Bool
    ) -> [RateLimit.Report] {
        var reports: [RateLimit.Report] = []
        for (place, var window) in table.kinds where window.held > 0 && isWanted(window) {
            if let report = window.takeReport() { reports.append(report) }
            table[place] = window
        }
        return reports.sorted { $0.last.event.sequence < $1.last.event.sequence }
    }

    private func say(_ reports: [RateLimit.Report]) {
        for report in reports {
            let message = "\(report.count) more like this suppressed (\(limit.count) in \(limit.span) pass): "
                + report.last.event.message
            report.last.give(report.last.report(message, standingFor: report.count), to: wrapped)
            state.withLock { $0.suppression.reports += 1 }
        }
    }

    private func sayEverything() { say(state.withLock { Self.takeReports(&$0.table) { _ in true } }) }

    public func flush(by deadline: LogDeadline) throws {
        sayEverything()
        sayings.wait(until: deadline)
        try wrapped.flush(by: deadline)
    }

    public func shutdown(by deadline: LogDeadline) throws {
        sayEverything()
        sayings.wait(until: deadline)
        try wrapped.shutdown(by: deadline)
    }

    public var suppression: LogSuppression { state.withLock { $0.suppression } }

    /// Kinds that are remembered.
    var kindCount: Int { state.withLock { $0.table.kinds.count } }

    public func reasonToHoldBack(_ event: LogEvent) -> String? {
        if spares(event) { return nil }
        let now = clock.monotonicNanoseconds(), kind = limit.key.value(of: event)
        let known = state.withLock { $0.table.known(for: kind) { $0.end <= now && $0.held == 0 } }
        guard let window = known, now < window.end, window.passed >= limit.count else { return nil }
        return "rate limit: \(limit.count) in \(limit.span) have passed"
    }

    private func spares(_ event: LogEvent) -> Bool {
        event.isEntry || limit.sparing.map { event.level >= $0 } ?? false
    }
}
