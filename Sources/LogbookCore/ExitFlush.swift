#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The one `atexit` hook: flushes every service that has providers, and what those that are gone have left, when the program ends
/// through `exit` or `main`.
enum ExitFlush {
    private struct State {
        var isInstalled = false
        var limit = Duration.seconds(2)
    }
    private static let state = Locked(State())

    /// Installs the hook; later calls do nothing.
    static func install() {
        let isFirst = ProcessLineage.betweenForks {
            state.withLock { state in
                defer { state.isInstalled = true }
                return !state.isInstalled
            }
        }
        guard isFirst else { return }
        // The latest hook runs first, each once: a second thread that ends the program meanwhile gets the other one, and waits there
        // instead of ending it in the middle of the flush.
        atexit { ExitFlush.awaitRun() }
        atexit {
            ExitFlush.run("exit", within: ExitFlush.limit)
            ExitFlush.hasRun.withLock { access in
                access.value = true
                access.broadcast()
            }
        }
    }

    private static let hasRun = Monitor(false)

    private static func awaitRun() {
        let deadline = LogDeadline.after(limit)
        hasRun.withLock { access in
            while !access.value && !deadline.hasPassed && access.wait(until: deadline) {}
        }
    }

    static var limit: Duration {
        get { state.withLock { $0.limit } }
        set { state.withLock { $0.limit = newValue } }
    }

    /// Flushes all services together, and queues that were let go of, or left, with something in hand. Where everything became safe,
    /// providers that keep something for a bad end are told that this is a good one.
    static func run(_ origin: String, within limit: Duration) {
        guard limit > .zero else { return }
        let services = LiveServices.all
        let deadline = LogDeadline.after(limit)
        LogService.tellLastLosses(of: services, by: deadline)
        let registrations = services.flatMap(\.registrations), end = SafeEnd(of: registrations.filter(\.isOfThisProcess), by: deadline)
        // All at once: a provider that hangs takes no time from those of another service.
        let leaving = LeavingQueues.demandFlush(besides: registrations, by: deadline)
        let listening = LogService.report(among: registrations, by: deadline) { try $0.flush(by: deadline) }
        let report = LogFlushReport(unfinished: listening.unfinished + leaving.compactMap { $0.awaitEnd(by: deadline) })
        guard report.isComplete else { return LogDiagnostics.report(origin, "not everything is safe: \(report)") }
        end.isReached()
    }
}

extension LogService {
    /// How long the program's end may wait for providers, over all services; 2 s unless changed, 0 for not at all.
    public static var exitFlushLimit: Duration {
        get { ExitFlush.limit }
        set { ExitFlush.limit = newValue }
    }
}
