#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The one `atexit` hook: flushes every service that has providers when the program ends through `exit` or `main`.
enum ExitFlush {
    private struct State {
        var isInstalled = false
        var limit = Duration.seconds(2)
    }
    private static let state = Locked(State())

    /// Installs the hook; later calls do nothing.
    static func install() {
        let isFirst = state.withLock { state in
            defer { state.isInstalled = true }
            return !state.isInstalled
        }
        if isFirst { atexit { ExitFlush.run() } }
    }

    static var limit: Duration {
        get { state.withLock { $0.limit } }
        set { state.withLock { $0.limit = newValue } }
    }

    private static func run() {
        let limit = limit
        guard limit > .zero else { return }
        let deadline = LogDeadline.after(limit)
        for service in LiveServices.all {
            let report = service.flush(by: deadline)
            if !report.isComplete { LogDiagnostics.report("exit", "not everything is safe: \(report)") }
        }
    }
}

extension LogService {
    /// How long the program's end may wait for providers, over all services; 2 s unless changed, 0 for not at all.
    public static var exitFlushLimit: Duration {
        get { ExitFlush.limit }
        set { ExitFlush.limit = newValue }
    }
}
