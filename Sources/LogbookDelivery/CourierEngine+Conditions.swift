internal import LogbookCore

/// What waits for the conditions, and what does not.
extension CourierEngine {
    /// How long conditions that hold are taken to go on doing so: not every parcel asks other programs.
    private static var trust: Duration { .seconds(1) }

    /// Whether the parcel may be sent now. Where it may not, those who wait hear why.
    func mayGo(_ parcel: Parcel) -> Bool {
        let (isKnown, isHeldForLong) = state.withLock { access in
            let now = clock.monotonicNanoseconds(), limit = conditions.maximumDeferral.nanosecondsAhead
            let counted = min(now, access.value.pausedSince ?? now)
            return (
                isUrgent(access) || now < access.value.conditionsHoldUntil,
                access.value.heldBackSince.map { max($0, counted) - $0 >= limit } ?? false
            )
        }
        let now = clock.now()
        let obstacle = isKnown ? nil : conditions.obstacle(at: now)
        let isOld = obstacle != nil && conditions.isOverdue(since: source.oldestPending ?? parcel.sealed, at: now)
        let isOverdue = obstacle != nil && (isOld || isHeldForLong)
        if obstacle != nil && !isOverdue { source.letGo() }   // before those who wait hear of it
        return state.withLock { access in
            if let obstacle, !isOverdue {
                holdBack(obstacle, access)
                return false
            }
            if !isKnown && !isOverdue {
                access.value.conditionsHoldUntil = clock.monotonicNanoseconds() + Self.trust.nanosecondsAhead
            }
            access.value.obstacle = nil
            // Of what was said while the wall clock was ahead no parcel looks old: once one has waited for long enough, so has the next.
            if obstacle == nil || isOld { access.value.heldBackSince = nil }
            return true
        }
    }

    /// Whether the next parcel is of what was there when somebody called `hurry`. Where that was since the source was asked for it, it is:
    /// who calls without end, as while one error follows another, must not keep back what is called for.
    private func isUrgent(_ access: Access) -> Bool {
        guard let urgent = access.value.waiters[Self.urgent], urgent.outcome == nil else { return false }
        return urgent.rest.map { $0 > 0 } ?? true
    }

    private func holdBack(_ reason: String, _ access: Access) {
        // Who came while the conditions were asked may know that they have changed: they are asked again, for them.
        let isAskedAgain = access.value.waiters.values.contains { $0.rest == nil && $0.outcome == nil }
        let pause = isAskedAgain ? Duration.zero : DeliveryConditions.pause
        let now = clock.monotonicNanoseconds()
        access.value.obstacle = Obstacle(reason: reason, until: now + pause.nanosecondsAhead)
        access.value.heldBackSince = access.value.heldBackSince ?? now
        for (number, waiter) in access.value.waiters where number != Self.urgent && waiter.outcome == nil {
            // What is on its way already may still arrive.
            guard let rest = waiter.rest, rest > 0 || waiter.flights.isEmpty else { continue }
            access.value.waiters[number]?.outcome = .heldBack(reason)
        }
        access.broadcast()
    }
}
