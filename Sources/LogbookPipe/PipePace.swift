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
    private let state = Monitor(State())

    /// How often providers that are busy are looked at again.
    private static let pause = Duration.milliseconds(5)

    init(_ service: LogService, windowEvents: Int, windowBytes: Int) {
        precondition(windowEvents > 0 && windowBytes > 0, "a window must hold something")
        self.service = service
        self.windowEvents = UInt64(windowEvents)
        self.windowBytes = windowBytes
    }

    /// Returns when an event of so many bytes may be given to the service.
    func wait(for bytes: Int) {
        while !enter(bytes) {
            // Ledgers are foreign code, so not under the lock.
            let pending = service.registrations.map(\.ledger.pending).max() ?? 0
            state.withLock { access in
                if access.value.isReleased { return }
                if pending <= access.value.events {
                    (access.value.events, access.value.bytes) = (0, 0)
                } else {
                    access.wait(until: .after(Self.pause))
                }
            }
        }
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
