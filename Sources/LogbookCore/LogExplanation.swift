/// Who would write an event and who would not, and what decided; see ``LogService/explain(_:)``.
public struct LogExplanation: Sendable, Hashable, CustomStringConvertible {
    public struct Answer: Sendable, Hashable, CustomStringConvertible {
        /// The registration's name.
        public let name: String
        public let isWritten: Bool
        public let reason: LogReason

        /// `file: written, rule net=debug`.
        public var description: String { "\(name): \(isWritten ? "written" : "not written"), \(reason)" }
    }
    /// In the order of registration.
    public let answers: [Answer]

    /// Whether anybody would write it.
    public var isWritten: Bool { answers.contains(where: \.isWritten) }

    /// One line for each registration.
    public var description: String {
        answers.isEmpty ? "nobody is registered" : answers.map(\.description).joined(separator: "\n")
    }
}

/// What decides whether a registration writes an event.
public enum LogReason: Sendable, Hashable, CustomStringConvertible {
    /// The registration's level where no rule says otherwise.
    case level(LogThreshold)
    /// The most specific rule that covers the event's category or module.
    case rule(LevelRules.Rule)
    /// ``LogService/raise(to:for:during:)``; `end` by the wall clock.
    case raised(to: LogLevel, pattern: LogPattern, end: LogTime)
    /// ``LogService/withLevel(_:_:)``.
    case task(LogLevel)
    /// The provider takes every transaction entry, and nothing else.
    case transactionEntriesOnly
    /// The smallest part of the registration's filter that keeps the event back.
    case filter(LogFilter)
    /// The closure that was given to `register`.
    case closure
    /// A wrapper in front of the provider holds it back on purpose.
    case wrapper(String)
    /// The registration or its service was shut down.
    case shutDown
    /// The process is a forked child, and the registration its parent's; see ``DropReason/forkChild``.
    case forkChild

    public var description: String {
        switch self {
        case .level(let threshold): "level \(threshold)"
        case .rule(let rule): "rule \(rule)"
        case .raised(let level, let pattern, _): "raised to \(level.name) for \(pattern)"
        case .task(let level): "the task's level \(level.name)"
        case .transactionEntriesOnly: "transaction entries only"
        case .filter(let filter): "filter \(filter)"
        case .closure: "the closure of its registration"
        case .wrapper(let text): text
        case .shutDown: "it is shut down"
        case .forkChild: "it is of the process that was forked"
        }
    }
}

extension LogReason {
    init(_ ground: ListeningTerms.Ground, _ terms: ListeningTerms, _ event: LogEvent, _ occasion: ListeningTerms.Occasion) {
        switch ground {
        case .level: self = .level(terms.levels.default)
        case .rule(let place): self = .rule(terms.levels.rules[place])
        case .raise(let place):
            let raise = occasion.raises[place]
            self = .raised(to: raise.level, pattern: raise.pattern, end: raise.end)
        case .task: self = .task(occasion.taskLevel ?? event.level)
        case .entry, .interest: self = .transactionEntriesOnly
        case .filter: self = .filter(terms.filter.refusal(of: event) ?? terms.filter)
        case .closure: self = .closure
        }
    }
}

extension LogService {
    /// Says for each registration whether it would write the event now, on this task, and what decides. Nothing is written,
    /// counted or changed.
    public func explain(_ event: LogEvent) -> LogExplanation { explain(in: audience, event.source, event.category) { _ in event } }

    /// - Parameter view: The event as a registration sees it.
    private func explain(
        in audience: Audience, _ source: LogSource, _ category: String?, view: (PrivacyMode?) -> LogEvent
    ) -> LogExplanation {
        let occasion = occasion(for: audience, context(for: audience))
        let names = EventNames(source: source, category: category)
        let answers = audience.listeners.map { listener in
            let event = view(listener.terms.privacy)
            let verdict = listener.terms.verdict(on: event, from: names, occasion)
            let reason = LogReason(verdict.ground, listener.terms, event, occasion)
            let obstacle = verdict.isHeard ? listener.registration.obstacle(for: event) : nil
            return LogExplanation.Answer(
                name: listener.registration.name, isWritten: verdict.isHeard && obstacle == nil, reason: obstacle ?? reason)
        }
        return LogExplanation(answers: answers)
    }

    /// The same for a message that is logged here, as `log` with the same arguments would say it.
    public func explain(
        _ level: LogLevel, _ message: LogMessage = "", metadata: LogMetadata = [:],
        file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) -> LogExplanation {
        let audience = audience
        let carried = audience.wantsContext ? context(for: audience)?.messageMetadata ?? [:] : [:]
        let source = LogSource(file: file, function: function, line: line), metadata = carried.merging(metadata)
        let stamped = LogEvent(
            sequence: 0, time: clock.now(), level: level, message: "", thread: LogThread.currentNumber, source: source)
        let event = PrivateEvent(stamped, message.marked(audience.privacy.rules.unmarkedTexts), metadata, error: nil)
        return explain(in: audience, source, metadata.category) { event.seen(through: audience.privacy.lens($0 ?? audience.privacy.mode)) }
    }
}
