internal import LogbookCore

/// When nothing is sent, and for how long.
extension CourierEngine {
    // MARK: Because somebody says so

    func pause() {
        state.withLock { access in
            access.value.pausedSince = access.value.pausedSince ?? clock.monotonicNanoseconds()
            access.broadcast()   // the source may let go of what it holds
        }
    }

    func resume() {
        wake { access in
            guard let since = access.value.pausedSince else { return }
            let now = clock.monotonicNanoseconds()
            access.value.pausedSince = nil
            access.value.obstacle?.until = 0
            access.value.heldBackSince = access.value.heldBackSince.map { $0 + (now - max($0, since)) }
        }
    }

    /// Whether a parcel may set out as far as ``pause()`` goes: while nothing goes by itself, those go that somebody waits for.
    func mayStart(_ access: Access) -> Bool {
        access.value.pausedSince == nil || access.value.waiters.values.contains { $0.outcome == nil && $0.rest != 0 }
    }

    // MARK: Because of an answer

    func retry(_ flight: Flight, _ reason: String, status: Int?, asked: Duration?) {
        guard let (pause, isFirst) = hold(reason, after: flight, asked: asked) else { return }
        if isFirst { LogDiagnostics.report(name, "cannot deliver, will try again: \(reason)") }
        onEvent?(
            .willRetry(
                parcel: flight.parcel.id, after: pause, reason: reason, status: status, askedByReceiver: asked != nil))
    }

    func holdBack(because reason: String) {
        if let (_, isFirst) = hold(reason, after: nil, asked: nil), isFirst { LogDiagnostics.report(name, reason) }
    }

    /// The receiver wants to be left alone, as somebody else was told.
    func leaveAlone(for span: Duration, because reason: String) {
        state.withLock { access in
            access.value.latestAnswer = reason
            begin(.receiver, span, access)
            access.broadcast()
        }
    }

    /// - Returns: How long nothing is sent now, and whether that is news; nil where it was about a token or an address of before.
    private func hold(_ reason: String, after flight: Flight?, asked: Duration?) -> (Duration, isFirst: Bool)? {
        state.withLock { access in
            access.value.isWanted = true
            // What a receiver asks for goes for each of its tokens.
            let first = asked == nil ? access.value.configuration : access.value.receiversFirst
            if let flight, flight.configuration < first { return nil }
            access.value.latestAnswer = reason
            let now = clock.monotonicNanoseconds()
            // Of a trouble that is known already another parcel tells nothing new, but for how long it may last.
            if let flight, flight.pauses < access.value.pauses, let pause = access.value.pause, now < pause.until {
                if let asked { begin(.receiver, policy.pause(asked: asked), access) }
                let until = max(pause.until, access.value.pause?.until ?? 0)
                return (.nanoseconds(Int64(clamping: until - now)), false)
            }
            access.value.failures += 1
            let span =
                asked.map(policy.pause(asked:))
                ?? policy.backoff(afterFailures: access.value.failures, fraction: randomness.fraction())
            begin(asked == nil ? .failure : .receiver, span, access)
            return (span, access.value.failures == 1)
        }
    }

    func refuse(_ flight: Flight, _ reason: String, status: Int?) {
        let (stands, isNews) = state.withLock { access in
            access.value.isWanted = true
            let isAnother = noteRefusal(of: flight.configuration, access)
            // The token or the address changed while the old one was being refused.
            guard access.value.configuration == flight.configuration else {
                if isAnother, pauseAfterRefusals(access) { access.value.latestAnswer = reason }
                return (false, false)
            }
            let isNews = access.value.pause.map { $0.cause != .misconfiguration } ?? true
            access.value.latestAnswer = reason
            begin(.misconfiguration, policy.misconfiguredPause, access)
            finishWaiters(.misconfigured(reason), access)
            return (true, isNews)
        }
        guard stands else { return }
        if isNews { LogDiagnostics.report(name, "the receiver refuses us, everything is kept: \(reason)") }
        onEvent?(.misconfigured(parcel: flight.parcel.id, reason: reason, status: status))
    }

    /// A program that sets another token after each refusal would have them sent as fast as they are refused. From the second in a row
    /// on the next one waits, as after a failure.
    /// - Returns: Whether this one had not been refused before.
    private func noteRefusal(of configuration: UInt64, _ access: Access) -> Bool {
        if let latest = access.value.refused.latest, configuration <= latest { return false }
        access.value.refused.latest = configuration
        access.value.refused.count += 1
        if access.value.refused.count > 1 {
            let pause = policy.backoff(afterFailures: access.value.refused.count - 1, fraction: randomness.fraction())
            access.value.refused.nextDue = clock.monotonicNanoseconds() + UInt64(pause.wholeNanoseconds)
        }
        return true
    }

    /// - Returns: Whether what was set anew has to wait.
    @discardableResult
    func pauseAfterRefusals(_ access: Access) -> Bool {
        let now = clock.monotonicNanoseconds(), due = access.value.refused.nextDue
        if due <= now { return false }
        begin(.reconfiguration, .nanoseconds(Int64(clamping: due - now)), access)
        return true
    }

    /// How long a parcel is kept of which the receiver refuses each entry, unless somebody says before that things have changed: the fault
    /// may be ours, and what is behind it fares no better.
    private static var longestHold: Duration { .seconds(86_400) }

    /// Whether a parcel of many entries, each of which the receiver refuses, is kept all the same.
    func holds(_ flight: Flight, rejected: Int, because reason: String) -> Bool {
        let parcel = flight.parcel
        guard rejected == parcel.count, parcel.count >= policy.rejectionsInARow else { return false }
        let isHeld = state.withLock { access in
            let now = clock.monotonicNanoseconds()
            // A refusal of the old token, or at the old address, is none of the new one.
            guard flight.configuration == access.value.configuration else { return true }
            if let held = access.value.heldParcels[parcel.id] {
                return held.configuration == flight.configuration && now < held.since + Self.longestHold.nanosecondsAhead
            }
            // Parcels that were divided never come back under these names.
            if access.value.heldParcels.count >= policy.parcelsInFlight { access.value.heldParcels = [:] }
            access.value.heldParcels[parcel.id] = HeldParcel(since: now, configuration: flight.configuration)
            return true
        }
        if isHeld { refuse(flight, "it refuses every entry of \(parcel.id): \(reason)", status: nil) }
        return isHeld
    }

    /// The receiver has refused one entry after the other: rather than lose all, wait until somebody has looked. After a pause one more
    /// finds out whether that is so still.
    func holdAll(_ flight: Flight, _ reason: String) {
        let text = "it has refused \(policy.rejectionsInARow.inEntries) in a row, and may refuse any; the latest reason: \(reason)"
        state.withLock { $0.value.rejectionsInARow = policy.rejectionsInARow - 1 }
        refuse(flight, text, status: nil)
    }

    /// A longer pause that is running stays as it is.
    private func begin(_ cause: Pause.Cause, _ span: Duration, _ access: Access) {
        let now = clock.monotonicNanoseconds()
        let until = now + UInt64(span.wholeNanoseconds)
        let running = access.value.pause.flatMap { now < $0.until ? $0 : nil }
        let askedUntil = max(running?.askedUntil ?? 0, cause == .receiver ? until : 0)
        access.value.isTrying = true
        if let running, running.until >= until {
            access.value.pause?.askedUntil = askedUntil
            return
        }
        access.value.pause = Pause(cause: cause, until: until, began: now, askedUntil: askedUntil)
        access.value.pauses += 1
    }
}
