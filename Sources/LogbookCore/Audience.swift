/// Everybody who listens to a service at one moment. Never changed: another moment has another audience.
final class Audience: Sendable {
    /// A class, so that going through all of them counts one reference each.
    final class Listener: Sendable {
        let registration: LogRegistration
        let terms: ListeningTerms
        let isQueued: Bool
        /// The levels of which every message is heard as long as nothing is raised, a bit each.
        private let heardLevels: UInt8

        init(_ registration: LogRegistration) {
            self.registration = registration
            terms = registration.terms
            isQueued = registration.isQueued
            let terms = terms
            heardLevels = LogLevel.allCases.reduce(0) { terms.plainAnswer(to: $1) == true ? $0 | 1 << $1.rawValue : $0 }
        }

        /// - Parameters:
        ///   - category: The event's, where rules may ask for it.
        ///   - providers: The only ones that may hear it, by name; nil for everybody.
        /// - Returns: Whether it hears the event; counted where it does not.
        func hears(
            _ event: LogEvent, in category: String?, _ occasion: ListeningTerms.Occasion, onlyTo providers: Set<String>?
        ) -> Bool {
            guard let ground = obstacle(for: event, in: category, occasion, providers) else { return true }
            registration.pass(over: ground)
            return false
        }

        /// Why the event is not heard; nil when it is.
        @inline(__always)
        private func obstacle(
            for event: LogEvent, in category: String?, _ occasion: ListeningTerms.Occasion, _ providers: Set<String>?
        ) -> ListeningTerms.Ground? {
            if let providers, !providers.contains(registration.name) { return .filter }
            // What a raise or a task's level adds are events; none is heard less for it.
            if heardLevels & 1 << event.level.rawValue != 0 { return nil }
            let verdict = terms.verdict(on: event, from: EventNames(source: event.source, category: category), occasion)
            return verdict.isHeard ? nil : verdict.ground
        }
    }
    let listeners: [Listener]
    /// Those that are fed on the thread that logs, and those that a distributor feeds.
    let immediate: [Listener], queued: [Listener]
    let raises: [LogRaise]
    let privacy: PrivacyTerms
    /// Who wants to know when an event has been given to everybody; hardly ever anybody.
    let witnesses: [any SafeEndWitness]

    /// Below these levels nobody hears a message, or a transaction's entry.
    let messageFloor: UInt8
    let entryFloor: UInt8
    /// The same for a message of a task that carries no level of its own.
    let commonFloor: UInt8
    /// From this level on somebody's levels let every message through, so no rule needs to be asked before it is evaluated.
    let sureFloor: UInt8
    /// Whether what tasks carry makes a difference to anybody.
    let wantsContext: Bool
    /// Whether the category of an event makes a difference to its level.
    let hasRules: Bool

    /// - Parameter taskFloor: The lowest level that a task carries, as a floor.
    init(
        _ listeners: [Listener] = [], raises: [LogRaise] = [], privacy: PrivacyTerms, taskFloor: UInt8 = .max
    ) {
        self.listeners = listeners
        immediate = listeners.filter { !$0.isQueued }
        queued = listeners.filter { $0.isQueued }
        self.raises = raises
        self.privacy = privacy
        witnesses = listeners.compactMap { $0.registration.witness }
        let commonRaise = raises.reduce(.max) { min($0, $1.level.rawValue) }
        let lowestRaise = min(commonRaise, taskFloor)
        commonFloor = listeners.reduce(.max) { min($0, $1.terms.messageFloor(lowestRaise: commonRaise)) }
        messageFloor = listeners.reduce(.max) { min($0, $1.terms.messageFloor(lowestRaise: lowestRaise)) }
        entryFloor = listeners.reduce(.max) { min($0, $1.terms.entryFloor(lowestRaise: lowestRaise)) }
        sureFloor = listeners.reduce(.max) { min($0, $1.terms.sureFloor) }
        wantsContext = listeners.contains { $0.registration.wantsContext }
        hasRules = !raises.isEmpty || listeners.contains { !$0.terms.levels.rules.isEmpty }
    }

    /// The category under which rules may find the event; not looked for when there are no rules.
    func category(in metadata: LogMetadata) -> String? { hasRules ? metadata.category : nil }

    /// Whether anybody's levels let a message of this level and source through.
    func mayHear(_ level: LogLevel, from names: EventNames, _ occasion: ListeningTerms.Occasion) -> Bool {
        level.rawValue >= sureFloor
            || listeners.contains { $0.terms.verdict(on: level, from: names, isEntry: false, occasion).isHeard }
    }

    /// Who hears plain messages of a level, or entries, as far as levels alone decide.
    /// - Parameter seat: A registration's place among ``SeatPlan/seats``.
    func hearing(_ level: LogLevel, isEntry: Bool, generation: UInt32, seat: (LogRegistration) -> Int?) -> Hearing {
        // Which texts nobody marked is known to the caller alone.
        guard raises.isEmpty, privacy.rules.unmarkedTexts == .public else { return .undecided }
        var seats: UInt32 = 0
        for listener in listeners {
            guard listener.registration.isOfThisProcess else { return .undecided }
            switch listener.terms.plainAnswer(to: level, isEntry: isEntry) {
            case false?: continue
            case nil: return .undecided
            case true?:
                guard listener.registration.isQueued, let place = seat(listener.registration), place < Hearing.seats else {
                    return .undecided
                }
                seats |= 1 << UInt32(place)
            }
        }
        return Hearing(seats: seats, generation: generation)
    }
}
