internal import LogbookCore
internal import LogbookHTTP

/// Those who wait: for a delivery, and for the end.
extension CourierEngine {
    func deliver(by deadline: LogDeadline) throws(CourierError) {
        if isCurrentThread { throw .calledFromOwnThread }
        if source.pendingCount(by: deadline) == 0 {
            // What emptied it may not have been told yet.
            state.withLock { access in
                while access.value.isSettling, !deadline.hasPassed, access.wait(until: deadline) {}
            }
            return
        }
        var isNews = false
        let outcome = state.withLock { access -> Outcome? in
            if access.value.phase != .running { return .stopped }
            if let pause = access.value.pause, pause.cause == .misconfiguration, clock.monotonicNanoseconds() < pause.until {
                return .misconfigured(access.value.latestAnswer ?? "")
            }
            access.value.nextWaiter += 1
            let number = access.value.nextWaiter
            access.value.waiters[number] = Waiter()
            defer { access.value.waiters[number] = nil }
            if let pause = access.value.pause, pause.cause == .failure || pause.cause == .reconfiguration {
                let soonest = pause.began + (pause.cause == .failure ? UInt64(policy.firstPause.wholeNanoseconds) : 0)
                access.value.pause?.until = min(pause.until, max(soonest, pause.askedUntil))
            }
            access.value.obstacle?.until = 0
            isNews = want(access)
            while true {
                if let outcome = access.value.waiters[number]?.outcome { return outcome }
                // Without an address no parcel is made, and there is nothing to wait for but the answers to those that are on their way.
                if !hasAddress, awaitsNoAnswer(number, access) { return .complete }
                if deadline.hasPassed || !access.wait(until: deadline) {
                    return access.value.waiters[number]?.outcome
                }
            }
        }
        if isNews { sayThatThreadIsMissing() }
        switch outcome {
        case .complete: return
        case .misconfigured(let reason): throw .misconfigured(pending: source.pendingCount(by: deadline), reason: reason)
        case .heldBack(let reason): throw .heldBack(pending: source.pendingCount(by: deadline), reason: reason)
        case .stopped: throw .stopped(pending: source.pendingCount(by: deadline))
        case nil:
            let reason = state.withLock { $0.value.latestAnswer }
            throw .deadlinePassed(pending: source.pendingCount(by: deadline), reason: reason)
        }
    }

    /// Whether no parcel is on its way that a waiter is there for. One that is not counted yet may be there for any.
    private func awaitsNoAnswer(_ number: UInt64, _ access: Access) -> Bool {
        guard let waiter = access.value.waiters[number] else { return true }
        if waiter.rest != nil { return waiter.flights.isEmpty }
        return access.value.flights.isEmpty && !access.value.isWeighing
    }

    private var hasAddress: Bool { (destination as? any ChangingDestination)?.hasAddress ?? true }

    /// Starts nothing new from now on, and waits for nothing.
    func beginShutdown(by deadline: LogDeadline) { state.withLock { beginShutdown(by: deadline, $0) } }

    private func beginShutdown(by deadline: LogDeadline, _ access: Access) {
        if access.value.phase == .running {
            access.value.phase = access.value.hasThread ? .stopping : .stopped
            access.value.shutdownDeadline = deadline
            finishWaiters(.stopped, access)
        } else {
            access.value.shutdownDeadline = min(deadline, access.value.shutdownDeadline)
        }
        access.broadcast()
    }

    func shutdown(by deadline: LogDeadline) {
        let current = LogThread.currentNumber
        let cancellations = state.withLock { access in
            beginShutdown(by: deadline, access)
            while access.value.phase != .stopped && access.value.thread != current {
                if deadline.hasPassed || !access.wait(until: deadline) { break }
            }
            return giveUpFlights(access)
        }
        for cancellation in cancellations { cancellation.cancel() }
    }

    /// An answer that comes from here on settles nothing.
    func giveUpFlights(_ access: Access) -> [HTTPCancellation] {
        defer {
            access.value.flights = [:]
            access.broadcast()
        }
        return access.value.flights.values.compactMap(\.cancellation)
    }

    func finishWaiters(_ outcome: Outcome, _ access: Access) {
        for number in Array(access.value.waiters.keys) where number != Self.urgent && access.value.waiters[number]?.outcome == nil {
            access.value.waiters[number]?.outcome = outcome
        }
        access.broadcast()
    }
}
