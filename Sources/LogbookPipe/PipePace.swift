internal import LogbookCore

/// Lets a pipe's reader wait while a provider has too much before it, so that none need drop for want of room: the program at
/// the other end of the pipe waits as well.
///
/// Events are counted in windows. A new window begins once every provider is done with what came before the current one, so
/// a provider has two windows before it at most.
final class PipePace: Sendable {
    private struct State {
        var events: UInt64 = 0
        var bytes = 0
        var isReleased = false
    }
    private let service: LogService
    private let windowEvents: UInt64
    private let windowBytes: Int
    private let clock: LogClock
    private let say: @Sendable (String) -> Void
    private let state = Monitor(State())

    /// How often providers that are busy are looked at again.
    private static let pause = Duration.milliseconds(5)
    /// Nobody is told of a shorter wait.
    private static let longestSilentNanoseconds: UInt64 = 10_000_000_000

    /// - Parameter say: Told whom reading waits for, and that it goes on.
    init(
        _ service: LogService, windowEvents: Int, windowBytes: Int, clock: LogClock = .system,
        say: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        precondition(windowEvents > 0 && windowBytes > 0, "a window must hold something")
        self.service = service
        self.windowEvents = UInt64(windowEvents)
        self.windowBytes = windowBytes
        self.clock = clock
        self.say = say
    }

    /// Returns when an event of so many bytes may be given to the service.
    func wait(for bytes: Int) {
        var since: UInt64?, isSaid = false
        while !enter(bytes) {
            // Ledgers are foreign code, so not under the lock.
            let slowest = service.registrations.map { (registration: $0, pending: $0.ledger.pending) }.max { $0.pending < $1.pending }
            let pending = slowest?.pending ?? 0
            let hasWaited = state.withLock { access -> Bool in
                if access.value.isReleased { return false }
                if pending <= access.value.events {
                    (access.value.events, access.value.bytes) = (0, 0)
                    return false
                }
                access.wait(until: .after(Self.pause))
                return true
            }
            guard hasWaited, !isSaid, let registration = slowest?.registration else { continue }
            let now = clock.monotonicNanoseconds(), begin = since ?? now
            since = begin
            if now - begin >= Self.longestSilentNanoseconds {
                isSaid = true
                let failure = registration.latestFailure.map { " (\($0))" } ?? ""
                say("logbook pipe: reading waits for \(registration.name)\(failure); the program at the other end of the pipe waits too\n")
            }
        }
        if isSaid { say("logbook pipe: reading goes on\n") }
    }

    private func enter(_ bytes: Int) -> Bool {
        state.withLock { access in
            let isFull = access.value.events >= windowEvents || access.value.bytes >= windowBytes
            if isFull && !access.value.isReleased { return false }
            access.value.events += 1
            access.value.bytes += bytes
            return true
        }
    }

    /// From now on nobody waits: the end has come, and what is left to say is little.
    func release() {
        state.withLock { access in
            access.value.isReleased = true
            access.broadcast()
        }
    }
}
