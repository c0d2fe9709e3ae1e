/// Who listens to a service, what is raised and what is private, and where in the records each queued registration is named: what is
/// changed under one lock.
struct Listening {
    var registrations: [LogRegistration] = []
    /// Those that are leaving: what they heard is still being written.
    var departing: [LogRegistration] = []
    /// What is left of those that had to leave before it was.
    var remnants: [Remnant] = []
    var raises: [LogRaise] = []
    var privacy: PrivacyTerms
    /// What the program has set, apart from what a configuration adds; nil while it has set nothing.
    var ownPrivacyRules: PrivacyRules?
    private(set) var audience: Audience
    /// Counts the audience's changes. A test may let many go by at once.
    var generation: UInt32 = 0
    private var seats: [SeatPlan.Seat?] = []
    /// What was private for whom, as long as records may lie in the ring that were said then; the oldest first.
    private var privacies: [SeatPlan.Privacy] = []

    init(privacy: PrivacyTerms) {
        self.privacy = privacy
        audience = Audience(privacy: privacy)
    }

    /// Makes the audience of who listens now.
    /// - Returns: The one before.
    mutating func renewAudience() -> Audience {
        defer {
            audience = Audience(
                registrations.map(Audience.Listener.init), raises: raises, privacy: privacy, taskFloor: LevelScope.lowest)
        }
        return audience
    }

    /// Nobody has a seat, because the records are a new distributor's.
    mutating func clearSeats() { (seats, privacies) = ([], []) }

    /// Gives everybody new a seat, and lets callers know who hears plain messages and entries.
    /// - Returns: Who has a seat and listens no more.
    mutating func arrangeSeats(for distributor: Distributor) -> [LogRegistration] {
        generation = (generation + 1) & (1 << UInt32(Hearing.generationBits) - 1)
        for place in seats.indices {
            if let since = seats[place]?.since { seats[place]?.since = Hearing.recent(since, at: generation) }
        }
        for place in privacies.indices { privacies[place].since = Hearing.recent(privacies[place].since, at: generation) }
        for registration in registrations where !seats.contains(where: { $0?.registration === registration }) {
            let seat = SeatPlan.Seat(registration: registration, since: generation)
            if let free = seats.firstIndex(where: { $0 == nil }) { seats[free] = seat } else { seats.append(seat) }
        }
        let modes = seats.map { $0?.registration.terms.privacy ?? privacy.mode }
        let current = SeatPlan.Privacy(terms: privacy, modes: modes, since: generation)
        if privacies.last?.isSame(as: current) != true { privacies.append(current) }
        distributor.set(seats, privacies)
        for level in LogLevel.allCases {
            for isEntry in [false, true] {
                let hearing = audience.hearing(level, isEntry: isEntry, generation: generation) { registration in
                    seats.firstIndex { $0?.registration === registration }
                }
                distributor.set(hearing, for: level, isEntry: isEntry)
            }
        }
        return seats.compactMap { $0?.registration }.filter { left in !registrations.contains { $0 === left } }
    }

    /// Whether earlier rules are kept for records that were said under them.
    var remembersEarlierPrivacy: Bool { privacies.count > 1 }

    /// With which change the rules came that are in force.
    var latestPrivacy: UInt32? { privacies.last?.since }

    /// Forgets the rules before those that came with this change.
    mutating func forgetPrivacy(before since: UInt32?) {
        if let place = privacies.firstIndex(where: { $0.since == since }) { privacies.removeSubrange(..<place) }
    }

    /// Lets others have the seats of those who left.
    mutating func vacateSeats(of leaving: [LogRegistration]) {
        for place in seats.indices {
            if let seat = seats[place], leaving.contains(where: { $0 === seat.registration }) { seats[place] = nil }
        }
    }

    /// Has a distributor do as the seats and rules are now.
    func show(_ distributor: Distributor?) { distributor?.set(seats, privacies) }
}
