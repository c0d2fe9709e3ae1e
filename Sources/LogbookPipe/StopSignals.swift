internal import LogbookCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Turns the signals that end a program (hang-up, interrupt, termination) into a call on an ordinary thread.
///
/// A signal that whoever started the program had ignored (`nohup`, a shell's background jobs) stays ignored. The first other
/// signal calls; after it the signals have their usual effect again, so a second one ends the program at once.
public enum StopSignals {
    /// Call it from `main` before any thread is started, since threads inherit what is blocked.
    /// - Parameter body: Called once at most, on a thread of its own, with the signal's number.
    public static func onFirst(_ body: @escaping @Sendable (Int32) -> Void) { onFirst(body) { LogThread.start($0, $1) } }

    /// - Parameter startThread: Where it gives none, the signals keep their usual effect.
    static func onFirst(_ body: @escaping @Sendable (Int32) -> Void, startThread: LogThread.Start) {
        var signals = sigset_t(), before = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGHUP, SIGINT, SIGTERM] where !isIgnored(signal) { sigaddset(&signals, signal) }
        pthread_sigmask(SIG_BLOCK, &signals, &before)
        let waited = signals
        let isStarted = startThread("logbook-signals") {
            var signals = waited
            var number: Int32 = 0
            while sigwait(&signals, &number) != 0 {}
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            body(number)
            while true { pause() }  // stays to take the second signal
        }
        if !isStarted { pthread_sigmask(SIG_SETMASK, &before, nil) }
    }

    private static func isIgnored(_ signal: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(signal, nil, &action) == 0 else { return false }
        #if canImport(Darwin)
            let handler = action.__sigaction_u.__sa_handler
        #elseif canImport(Glibc)
            let handler = action.__sigaction_handler.sa_handler
        #else
            let handler = action.__sa_handler.sa_handler
        #endif
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
