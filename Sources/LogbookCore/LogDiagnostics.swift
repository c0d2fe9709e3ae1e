internal import CLogbookSystem

/// What the library has to say about itself: a provider that cannot write, a queue that overflows. Never part of the log it is
/// failing to write, and with everything masked that the ``PrivacyRules/standard`` rules find.
public enum LogDiagnostics {
    /// One remark of the library.
    public struct Remark: Sendable, Equatable, CustomStringConvertible {
        /// The provider or part of the library that speaks.
        public let origin: String
        public let message: String
        /// Remarks of the same origin that were held back since the last one shown.
        public let suppressed: Int

        public var description: String {
            "logbook: \(origin): \(message)" + (suppressed > 0 ? " (\(suppressed) more remarks held back)" : "")
        }
    }

    /// One remark per origin in this span; the rest is counted.
    static let spacing = Duration.seconds(1)
    /// Of a remark on standard error at most, so that a pipe takes it without waiting.
    private static let maximumBytes = 4096
    /// Origins remembered at most; beyond that the oldest counts are forgotten.
    private static let maximumOrigins = 256

    /// What standard error was when the first service was made.
    static let standardError = StandardError()

    /// What was shown of late, by origin.
    private final class Recent {
        let lineage = ProcessLineage.current
        var remarks: [String: (lastShown: UInt64, suppressed: Int)] = [:]
    }

    private struct State {
        var handler: (@Sendable (Remark) -> Void)?
        private var latest = Recent()

        /// In a forked child it begins anew: another thread may have been in the middle of changing the parent's, which is left as it is.
        /// Changed between forks alone, it would have log calls wait for a fork, which may wait for what their thread holds.
        var recent: Recent {
            mutating get {
                if latest.lineage.isCurrent { return latest }
                _ = Unmanaged.passRetained(latest)
                latest = Recent()
                return latest
            }
        }
    }
    private static let state = Locked(State())

    /// Sends remarks to `handler` instead of standard error; nil goes back to standard error. The handler may be called from
    /// any thread, also within a log call: it takes no lock that the program holds when it logs. What it logs reaches the providers like
    /// anything else. Standard error is never waited for: a remark that it does not take at once is counted among those held back. Where a
    /// program has closed it since it made its first service, another file of its own may have the number: nothing is written there but to a
    /// terminal or another device, and to a file that is only added to.
    public static func setHandler(_ handler: (@Sendable (Remark) -> Void)?) {
        let earlier = ProcessLineage.betweenForks {
            state.withLock { state in
                defer { state.handler = handler }
                return state.handler
            }
        }
        withExtendedLifetime(earlier) {}   // what it alone held is let go here, not under the lock
    }

    package static func report(_ origin: String, _ message: @autoclosure () -> String) {
        let now = logbook_monotonic_nanoseconds()
        let (remarkable, handler, suppressed) = state.withLock { state -> (Bool, (@Sendable (Remark) -> Void)?, Int) in
            let recent = state.recent, last = recent.remarks[origin]
            if let last, now < last.lastShown + UInt64(spacing.wholeNanoseconds) {
                recent.remarks[origin] = (last.lastShown, last.suppressed + 1)
                return (false, nil, 0)
            }
            if last == nil, recent.remarks.count >= maximumOrigins { recent.remarks.removeAll() }
            recent.remarks[origin] = (now, 0)
            return (true, state.handler, last?.suppressed ?? 0)
        }
        guard remarkable else { return }
        let remark = Remark(origin: origin, message: PrivacyLens.forDiagnostics.masked(message()), suppressed: suppressed)
        if let handler { return Inside.runOutside { handler(remark) } }
        var text = String.UnicodeScalarView()
        for scalar in remark.description.unicodeScalars.prefix(maximumBytes) { text.append(scalar.mayForge ? " " : scalar) }
        let line = String(text).utf8.prefix(maximumBytes - 1) + [0x0A]
        // Where a reader sleeps, a halted terminal for one, whoever reports would sleep as well. Nobody is left to tell of other failures.
        if !standardError.isStillThere || logbook_write_at_once(2, line, line.count) < 0 {
            state.withLock { $0.recent.remarks[origin]?.suppressed += suppressed + 1 }
        }
    }
}
