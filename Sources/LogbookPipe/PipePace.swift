internal import LogbookCore

/// Lets a pipe's reader wait while a provider has too much before it, so that none need drop for want of room: the program at
/// the other end of the pipe waits as well.
///
/// Events are counted in windows. A new window begins once every provider is done with what came before the current one, so
/// a provider has two windows before it at most. One that fails is relieved of what it has, once reading has waited for it long enough:
/// then reading goes on, and as long as it fails each window waits for it no longer than that takes.
final class PipePace: Sendable {
    /// Takes from a provider what it cannot deliver.
    struct Relief: Sendable {
        let patienceNanoseconds: UInt64
        /// Where that goes.
        let place: String
        /// - Returns: Whether what was there is safe now; otherwise it is still there.
        let relieve: @Sendable (LogRegistration) -> Bool
    }

    private struct State {
        var events: UInt64 = 0
        var bytes = 0
        var isReleased = false
        var relief: Relief?
        /// Who fails while reading waits for it, how much it had delivered by then, and since when on the clock it has delivered no more.
        /// It stays until nobody fails, so that an outage costs the patience once.
        var outage: (registration: LogRegistration, delivered: UInt64, since: UInt64)?
        /// Who fails and was relieved.
        var relieved: [LogRegistration] = []
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
    /// How soon a relief that has failed is tried again.
    private static let reliefPauseNanoseconds: UInt64 = 1_000_000_000

    /// - Parameter say: Told whom reading waits for, and that it goes on; who is relieved, and that it takes events again.
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

    /// From now on a provider that fails is relieved once reading has waited for it for so long, and it has delivered nothing meanwhile.
    /// - Parameters:
    ///   - place: Said to whoever runs the pipe.
    ///   - relieve: Called on the reading thread, under no lock.
    func relieve(after patience: Duration, into place: String, with relieve: @escaping @Sendable (LogRegistration) -> Bool) {
        let relief = Relief(patienceNanoseconds: UInt64(max(0, patience.wholeNanoseconds)), place: place, relieve: relieve)
        state.withLock { $0.value.relief = relief }
    }

    /// Returns when an event of so many bytes may be given to the service.
    func wait(for bytes: Int) {
        var begin: UInt64?, isSaid = false
        // Those that are waited for no more until the next window, and when one may be relieved.
        var done: [LogRegistration] = [], nextRelief: UInt64 = 0
        while !enter(bytes) {
            let since = begin ?? clock.monotonicNanoseconds()
            begin = since
            // Ledgers are foreign code, so not under the lock.
            let registrations = service.registrations
            let slowest = registrations.filter { one in !done.contains { $0 === one } }
                .map { (registration: $0, ledger: $0.ledger) }.max { $0.ledger.pending < $1.ledger.pending }
            guard waits(for: slowest, of: registrations), let registration = slowest?.registration else { continue }
            let now = clock.monotonicNanoseconds()
            if !isSaid, now - since >= Self.longestSilentNanoseconds {
                isSaid = true
                let failure = registration.latestFailure.map { " (\($0))" } ?? ""
                say("logbook pipe: reading waits for \(registration.name)\(failure); the program at the other end of the pipe waits too\n")
            }
            if now >= nextRelief, let isRelieved = relieve(registration, at: now) {
                if isRelieved { done.append(registration) } else { nextRelief = now + Self.reliefPauseNanoseconds }
            }
        }
        if isSaid { say("logbook pipe: reading goes on\n") }
    }

    /// Waits a moment, or begins a new window where the provider that has most before it has no more than the current one.
    /// - Returns: Whether it has waited.
    private func waits(for slowest: (registration: LogRegistration, ledger: LogLedger)?, of registrations: [LogRegistration]) -> Bool {
        let failing = registrations.filter { $0.latestFailure != nil }
        let now = clock.monotonicNanoseconds()
        let (hasWaited, recovered) = state.withLock { access -> (Bool, [LogRegistration]) in
            if access.value.isReleased { return (false, []) }
            if let slowest, slowest.ledger.pending > access.value.events {
                if failing.contains(where: { $0 === slowest.registration }) {
                    let isKnown = access.value.outage.map { outage in
                        outage.registration === slowest.registration && outage.delivered >= slowest.ledger.delivered
                    }
                    if isKnown != true {
                        access.value.outage = (slowest.registration, slowest.ledger.delivered, now)
                    }
                }
                access.wait(until: .after(Self.pause))
                return (true, [])
            }
            (access.value.events, access.value.bytes) = (0, 0)
            if failing.isEmpty { access.value.outage = nil }
            let recovered = access.value.relieved.filter { one in !failing.contains { $0 === one } }
            access.value.relieved.removeAll { one in recovered.contains { $0 === one } }
            return (false, recovered)
        }
        for registration in recovered { say("logbook pipe: \(registration.name) takes events again\n") }
        return hasWaited
    }

    /// - Returns: Whether reading may go on without it; nil where it is to be waited for.
    private func relieve(_ registration: LogRegistration, at now: UInt64) -> Bool? {
        let (relief, outage) = state.withLock { ($0.value.relief, $0.value.outage) }
        guard let relief, let outage, outage.registration === registration, let failure = registration.latestFailure else { return nil }
        guard now >= outage.since, now - outage.since >= relief.patienceNanoseconds else { return nil }
        guard relief.relieve(registration) else { return false }
        let isNews = state.withLock { access -> Bool in
            if access.value.relieved.contains(where: { $0 === registration }) { return false }
            access.value.relieved.append(registration)
            return true
        }
        if isNews { say("logbook pipe: until \(registration.name) takes events again (\(failure)), they are saved in \(relief.place)\n") }
        return true
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
