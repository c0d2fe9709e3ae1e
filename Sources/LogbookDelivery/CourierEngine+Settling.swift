internal import LogbookCore
internal import LogbookHTTP

/// What an answer means for a parcel, and how its source is told.
extension CourierEngine {
    /// - Returns: The parcel's fate, or nil when it goes again.
    func weigh(_ answer: Result<HTTPResponse, HTTPFailure>, _ flight: Flight) -> Settlement? {
        let (verdict, status) = judge(answer, flight)
        if asksAgain(verdict, flight) { return nil }
        let settlement = fate(verdict, status, flight)
        if settlement == nil { state.withLock { end(flight, again: flight.parcel.count, $0) } }
        return settlement
    }

    private func judge(_ answer: Result<HTTPResponse, HTTPFailure>, _ flight: Flight) -> (DeliveryVerdict, status: Int?) {
        switch answer {
        case .success(let response):
            let verdict =
                if let asking = flight.asking {
                    flight.destination.verdict(on: response, to: asking.inquiry, for: flight.parcel)
                } else {
                    flight.destination.verdict(on: response, for: flight.parcel)
                }
            // The reason is shown and kept, and a receiver may repeat the token in it.
            let secrets = flight.secrets + (flight.asking?.inquiry.request.secrets ?? [])
            return (verdict.masking(secrets), response.status)
        case .failure(let failure):
            switch failure {
            case .invalidRequest, .untrusted: return (.misconfigured("\(failure)"), nil)
            default: return (.retry(after: nil, "\(failure)"), nil)
            }
        }
    }

    /// The receiver has read the parcel and not said what became of it: it stays on its way, and the receiver is asked later.
    private func asksAgain(_ verdict: DeliveryVerdict, _ flight: Flight) -> Bool {
        var asking: Asking, pause = Duration.zero
        let now = clock.monotonicNanoseconds(), isOurs = state.withLock { flight.configuration >= $0.value.receiversFirst }
        switch (verdict, flight.asking) {
        case (.inquire(let inquiry), nil):
            asking = Asking(inquiry: inquiry, due: 0, limit: now + UInt64(inquiry.limit.wholeNanoseconds))
        case (.inquire(let inquiry), .some(let previous)) where now < previous.limit:
            asking = previous
            asking.inquiry = inquiry
        // Another receiver has taken the place of the one that does not answer: the parcel goes there.
        case (.retry, .some) where !isOurs: return false
        case (.retry(let asked, let reason), .some(let previous)) where now < previous.limit:
            asking = previous
            pause = min(asked ?? .zero, policy.longestRetryAfter)
            // What a receiver asks for goes for everything that it would be sent.
            if pause > .zero { leaveAlone(for: pause, because: reason) }
        default: return false
        }
        asking.due = now + UInt64(max(asking.inquiry.interval, pause).wholeNanoseconds)
        var flight = flight
        flight.asking = asking
        flight.cancellation = nil
        flight.answer = nil
        state.withLock { access in
            access.value.isWeighing = false
            access.value.flights[flight.number] = flight
        }
        return true
    }

    private func fate(_ verdict: DeliveryVerdict, _ status: Int?, _ flight: Flight) -> Settlement? {
        let parcel = flight.parcel
        switch verdict {
        case .delivered:
            return Settlement(flight: flight)
        case .deliveredExcept(let rejected, let isFinal, let reason):
            let rejected = min(max(rejected, 0), parcel.count)
            if !isFinal, holds(flight, rejected: rejected, because: reason) { return nil }
            return Settlement(flight: flight, rejected: rejected, reason: reason, refusals: isFinal ? 0 : rejected)
        case .partly(let fates, let asked):
            let fates = fates.within(parcel.count)
            if fates.again.count == parcel.count {
                retry(flight, fates.summary, status: status, asked: asked)
                return nil
            }
            if holds(flight, rejected: fates.rejected.count, because: fates.summary) { return nil }
            return Settlement(
                flight: flight, rejected: fates.rejected.count, again: fates.again.count, reason: fates.summary,
                entries: fates, refusals: fates.rejected.count, pause: fates.again.isEmpty ? nil : .some(asked))
        case .inquire(let inquiry):
            retry(flight, "the receiver has not acknowledged the parcel within \(inquiry.limit)", status: status, asked: nil)
        case .rejected(let reason):
            return split(flight, reason, isTooLarge: false)
        case .outsideTimeRange(let reason):
            var settlement = split(flight, reason, isTooLarge: false)
            if parcel.count == 1 { settlement?.refusals = 0 }   // of others nobody knows which of them it was
            return settlement
        case .tooLarge(let reason):
            return split(flight, reason, isTooLarge: true)
        case .retry(let asked, let reason):
            retry(flight, reason, status: status, asked: asked)
        case .misconfigured(let reason):
            refuse(flight, reason, status: status)
        }
        return nil
    }

    /// - Returns: False when the source has to be told again.
    func settle(_ settlement: inout Settlement) -> Bool {
        let parcel = settlement.parcel
        state.withLock { $0.value.isSettling = true }
        defer {
            state.withLock { access in
                access.value.isSettling = false
                access.broadcast()
            }
        }
        do {
            if !settlement.areLettersKept, settlement.rejected > 0 {
                keepLetters(of: settlement)
                settlement.areLettersKept = true
            }
            guard try tellSource(settlement) else {
                state.withLock { end(settlement.flight, again: parcel.count, $0) }
                retry(settlement.flight, settlement.reason, status: nil, asked: settlement.pause ?? nil)   // all of it
                return true
            }
        } catch {
            holdBack(because: "the source cannot note that \(parcel.id) is done: \(error)")
            settlement.isLate = true
            return false
        }
        // Before those who wait for a delivery go on: they may ask what became of it.
        if settlement.delivered > 0 { onEvent?(.delivered(parcel: parcel.id, count: settlement.delivered)) }
        if settlement.rejected > 0 {
            LogDiagnostics.report(
                name,
                "the receiver will never take \(settlement.rejected.inEntries) of \(parcel.id): \(settlement.reason)")
            onEvent?(.rejected(parcel: parcel.id, count: settlement.rejected, reason: settlement.reason))
        }
        let refusesAll = state.withLock { access in
            let value = settlement.delivered > 0 ? 0 : access.value.rejectionsInARow + settlement.refusals
            access.value.rejectionsInARow = value
            if settlement.delivered > 0 { access.value.refused = Refused() }
            if settlement.isLate || settlement.flight.pauses == access.value.pauses {
                access.value.failures = 0
                access.value.isTrying = false
            }
            access.value.heldParcels[parcel.id] = nil
            access.value.latestAnswer = settlement.rejected + settlement.again == 0 ? nil : settlement.reason
            end(settlement.flight, again: settlement.again, access)
            return value >= policy.rejectionsInARow
        }
        if let asked = settlement.pause { retry(settlement.flight, settlement.reason, status: nil, asked: asked) }
        if refusesAll { holdAll(settlement.flight, settlement.reason) }
        return true
    }

    /// - Returns: False when the source cannot take the parcel apart, and all of it has to go again.
    private func tellSource(_ settlement: Settlement) throws -> Bool {
        let parcel = settlement.parcel
        if settlement.rejected == 0 && settlement.again == 0 {
            try source.settle(parcel, as: .delivered)
        } else if settlement.rejected == parcel.count {
            try source.settle(parcel, as: .rejected(settlement.reason))
        } else if let entries = settlement.entries {
            if try source.settle(parcel, entries: entries) { return true }
            if settlement.again > 0 { return false }
            try source.settle(parcel, rejecting: settlement.rejected, because: settlement.reason)
        } else {
            try source.settle(parcel, rejecting: settlement.rejected, because: settlement.reason)
        }
        return true
    }

    /// One letter for the whole parcel, or one for each entry that the receiver named.
    private func keepLetters(of settlement: Settlement) {
        guard let deadLetters else { return }
        let parcel = settlement.parcel
        do throws(SystemError) {
            guard settlement.rejected < parcel.count else {
                let readable = source.excerpt(of: parcel, entries: Set(0..<parcel.count)) ?? parcel
                return try deadLetters.keep(readable, because: settlement.reason, now: clock.now())
            }
            for (place, reason) in (settlement.entries?.rejected ?? [:]).sorted(by: { $0.key < $1.key }) {
                guard let entry = source.excerpt(of: parcel, entries: [place]) else { continue }
                try deadLetters.keep(entry, because: reason, now: clock.now())
            }
        } catch {
            LogDiagnostics.report(name, "cannot keep a dead letter in \(deadLetters.path): \(error)")
        }
    }

    private func split(_ flight: Flight, _ reason: String, isTooLarge: Bool) -> Settlement? {
        let parcel = flight.parcel
        do {
            guard parcel.count > 1, try isTooLarge ? source.splitTooLarge(parcel) : source.split(parcel) else {
                return Settlement(flight: flight, rejected: parcel.count, reason: reason, refusals: 1)
            }
        } catch {
            holdBack(because: "the source cannot split \(parcel.id): \(error)")
            return nil
        }
        onEvent?(.split(parcel: parcel.id, reason: reason))
        return nil
    }
}
