internal import CLogbookSystem

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The thread that flushes when a signal comes. There is none until a program asks for it.
enum SignalFlush {
    private struct State {
        /// The process whose thread waits; a forked child has to start its own.
        var watcher: ProcessLineage?
        /// Nil for that of every end.
        var limit: Duration?
    }
    private static let state = Locked(State())

    static func install(
        _ signals: [Int32], within limit: Duration?, startThread: LogThread.Start = { LogThread.start($0, $1) }
    ) throws(SignalFlushError) {
        try state.withLock { state throws(SignalFlushError) in
            state.limit = limit
            if state.watcher?.isCurrent != true {
                let descriptor = logbook_signal_pipe()
                guard descriptor >= 0 else { throw .noPipe(errno: errno) }
                guard startThread("logbook-signals", { wait(on: descriptor) }) else {
                    logbook_signal_abandon(descriptor)
                    throw .noThread
                }
                state.watcher = .current
            }
            for signal in signals {
                let failure = logbook_signal_take(signal)
                guard failure == 0 else { throw .cannotWatch(signal: signal, errno: failure) }
            }
        }
    }

    private static func wait(on descriptor: Int32) {
        let signal = logbook_signal_wait(descriptor)
        guard signal > 0 else { return }
        ExitFlush.run("signal \(signal)", within: state.withLock { $0.limit } ?? LogService.exitFlushLimit)
        state.withLock { $0.watcher = nil }
        close(descriptor)
        logbook_signal_repeat(signal)
    }
}

extension LogService {
    /// The signals that ask a program to end: `SIGTERM`, and `SIGINT` that Ctrl-C sends.
    public static let endingSignals: [Int32] = [SIGTERM, SIGINT]

    /// Flushes every service when one of the signals comes, and then lets the signal have the effect it had before.
    ///
    /// Nothing of this is installed unless it is asked for. The flush runs on a thread of its own, as long as `limit` allows; then the
    /// earlier disposition is put back and the signal sent again, so that a program that it ends still ends by it (status 143 for
    /// `SIGTERM`, 130 for `SIGINT`, in a shell's terms). A second signal meanwhile takes its earlier effect at once. A signal that is
    /// ignored stays ignored. The first signal is flushed for: a program whose own handler lets it go on calls this again.
    /// - Parameters:
    ///   - limit: How long the providers may take, all together; 0 for not at all, and nil for as long as at the end of the program,
    ///     ``exitFlushLimit``.
    /// - Throws: When one cannot be watched. Those before it in the list are.
    public static func flushOnSignals(
        _ signals: [Int32] = endingSignals, within limit: Duration? = nil
    ) throws(SignalFlushError) {
        try SignalFlush.install(signals, within: limit)
    }
}
