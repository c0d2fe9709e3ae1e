/// Passes on the first of several equal events in a row, and then one that says how often it was repeated.
///
/// Two events are equal when level, message, metadata, source and error are. "last message repeated 41 times" is said before the
/// next event that differs, at a flush, at the end, and after `longestWait` at the latest; it stands in the place of the last
/// repeat, with its level, time and source, and the metadata `suppressed` says the count. Transaction entries are never folded.
///
/// What is said after `longestWait` is said on a thread of this wrapper's own. A provider whose queue stands outside of the wrapper is then
/// called on two threads, perhaps at once; one that is not ready for that has its queue inside: `FoldingRepeats(BatchingProvider(sink))`.
public final class FoldingRepeats: WrappingProvider {
    /// The run of equal events that goes on.
    struct Run {
        let first: LogEvent
        private(set) var repeats: UInt64 = 0
        private(set) var last: HeldEvent?

        init(_ first: LogEvent) { self.first = first }

        func isContinued(by event: LogEvent) -> Bool {
            event.message.isSameText(as: first.message) && event.level == first.level && event.source == first.source
                && event.metadata == first.metadata && event.error == first.error && !event.isEntry
        }

        mutating func add(_ event: HeldEvent) {
            repeats = repeats.cappedSum(event.event.standsFor)
            last = event
        }

        /// What is to be said about repeats that were not yet reported.
        mutating func takeReport() -> Report? {
            guard let last else { return nil }
            defer { (repeats, self.last) = (0, nil) }
            let times = repeats == 1 ? "once" : "\(repeats) times"
            return Report(
                last: last, event: last.report("last message repeated \(times): \(first.message)", standingFor: repeats))
        }
    }

    struct Report {
        let last: HeldEvent
        let event: LogEvent
    }

    private struct State {
        var run: Run?
        var suppression = LogSuppression()
    }
    public let wrapped: any LogProvider
    /// A run that goes on is reported this long after the first repeat that was not, and begins to count anew.
    public let longestWait: Duration
    private let clock: LogClock
    private let startThread: LogThread.Start
    private let state = Locked(State())
    private let alarm = Locked<LogAlarm?>(nil)
    private let lineage = ProcessLineage.current
    let sayings = OwnSayings()

    /// - Parameter longestWait: Positive.
    public convenience init(_ wrapped: any LogProvider, longestWait: Duration = .seconds(30), clock: LogClock = .system) {
        self.init(wrapped, longestWait: longestWait, clock: clock, startThread: { LogThread.start($0, $1) })
    }

    /// - Parameter startThread: Starts the thread that waits for a run to be reported.
    init(_ wrapped: any LogProvider, longestWait: Duration, clock: LogClock, startThread: @escaping LogThread.Start) {
        requireValid(longestWait > .zero, "FoldingRepeats.longestWait must be positive")
        self.wrapped = wrapped
        self.longestWait = longestWait
        self.clock = clock
        self.startThread = startThread
    }

    // Nobody is left to flush it. What a forked child has of its parent's, that says itself.
    deinit { if lineage.isCurrent { sayEverything() } }

    public func log(_ event: LogEvent) {
        let held = HeldEvent(event)
        var report: Report?, isFirstRepeat = false, passes = true
        state.withLock { state in
            if state.run?.isContinued(by: event) == true {
                isFirstRepeat = state.run?.repeats == 0
                state.run?.add(held)
                state.suppression.heldBack += 1
                passes = false
            } else {
                report = state.run?.takeReport()
                state.run = event.isEntry ? nil : Run(event)
            }
        }
        if isFirstRepeat { setAlarm() }
        say(report)
        if passes { wrapped.log(event) }
    }

    private func setAlarm() {
        let due = clock.monotonicNanoseconds().addingReportingOverflow(longestWait.nanosecondsAhead)
        let alarm = alarm.alarm(madeBy: {
            LogAlarm("logbook-repeats", clock: clock, startThread: startThread) { [weak self] in
                guard let self else { return }
                sayings.run { self.sayEverything() }
            }
        })
        alarm.set(at: due.overflow ? .max : due.partialValue)
    }

    private func say(_ report: Report?) {
        guard let report else { return }
        report.last.give(report.event, to: wrapped)
        state.withLock { $0.suppression.reports += 1 }
    }

    private func sayEverything() { say(state.withLock { $0.run?.takeReport() }) }

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

    public func reasonToHoldBack(_ event: LogEvent) -> String? {
        state.withLock { $0.run?.isContinued(by: event) == true } ? "it repeats the last message" : nil
    }
}
