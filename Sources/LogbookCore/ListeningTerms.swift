internal import CLogbookSystem

// HOT PATH — decides for every event and registration; reads values only.

/// What a registration listens to, as a value: the decision, apart from the doing.
struct ListeningTerms: Sendable {
    var interest: LogInterest
    var levels: LevelRules
    /// Whether raises, task levels and `LOGBOOK_LEVEL` leave the levels as they are.
    var isFixed = false
    var filter = LogFilter.everything
    var closure: (@Sendable (LogEvent) -> Bool)?
    /// How private values are seen; nil: as the service says.
    var privacy: PrivacyMode?

    /// What decided. Small on purpose: places in the rules and raises, no copies of them.
    enum Ground: Equatable { case level, rule(Int), raise(Int), task, entry, interest, filter, closure }

    struct Verdict: Equatable {
        let isHeard: Bool
        let ground: Ground
        static func heard(_ ground: Ground) -> Verdict { Verdict(isHeard: true, ground: ground) }
        static func unheard(_ ground: Ground) -> Verdict { Verdict(isHeard: false, ground: ground) }
    }

    /// What else may let an event be heard at the moment.
    struct Occasion {
        var raises: [LogRaise] = []
        /// On the clock of the raises.
        var uptime: UInt64 = 0
        var taskLevel: LogLevel?
    }

    /// What the level alone says: known before the message is.
    func verdict(on level: LogLevel, from names: EventNames, isEntry: Bool, _ occasion: Occasion) -> Verdict {
        if interest == .transactionEntries { return isEntry ? .heard(.entry) : .unheard(.interest) }
        let rule = levels.deciding(names)
        let ground = rule.map(Ground.rule) ?? .level
        if levels.threshold(decidedBy: rule).admits(level) { return .heard(ground) }
        if isFixed { return .unheard(ground) }
        if let taskLevel = occasion.taskLevel, level >= taskLevel { return .heard(.task) }
        if !occasion.raises.isEmpty {
            let place = names.first(of: occasion.raises) { raise, name in
                level >= raise.level && occasion.uptime < raise.expiry && raise.pattern.matches(name)
            }
            if let place { return .heard(.raise(place)) }
        }
        return .unheard(ground)
    }

    func verdict(on event: LogEvent, from names: EventNames, _ occasion: Occasion) -> Verdict {
        let verdict = verdict(on: event.level, from: names, isEntry: event.isEntry, occasion)
        if !verdict.isHeard { return verdict }
        if filter != .everything, !filter.accepts(event) { return .unheard(.filter) }
        // What a closure logs each time would be said for ever: too deep, the registration counts it.
        if let closure, event.nesting <= LogService.maximumNesting {
            let outer = logbook_nesting_get()
            logbook_nesting_set(logbook_nesting(depth: event.nesting + 1, registration: outer.registration))
            defer { logbook_nesting_set(outer) }
            if !Inside.runOutside({ closure(event) }) { return .unheard(.closure) }
        }
        return verdict
    }

    /// Below this level the registration hears no message whatever its source, as a floor.
    func messageFloor(lowestRaise: UInt8) -> UInt8 {
        if interest == .transactionEntries { return .max }
        return max(isFixed ? levels.lowest.rawValue : min(levels.lowest.rawValue, lowestRaise), filter.floor)
    }

    /// From this level on the levels let every message through, whatever its source.
    var sureFloor: UInt8 { interest == .transactionEntries ? .max : levels.highest.rawValue }

    func entryFloor(lowestRaise: UInt8) -> UInt8 {
        interest == .transactionEntries ? filter.floor : messageFloor(lowestRaise: lowestRaise)
    }

    /// Whether every message of the level, or every entry, is heard, wherever it comes from and while nothing is raised; nil when that
    /// depends on the event.
    func plainAnswer(to level: LogLevel, isEntry: Bool = false) -> Bool? {
        let isHeard: Bool?
        if interest == .transactionEntries {
            isHeard = isEntry
        } else {
            isHeard = levels.highest.admits(level) ? true : levels.lowest.admits(level) ? nil : false
        }
        if isHeard == false { return false }
        return filter == .everything && closure == nil ? isHeard : nil
    }
}
