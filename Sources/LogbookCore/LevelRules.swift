/// From which level on a registration listens, by where an event comes from.
///
/// ```swift
/// service.register(file, levels: LevelRules(.info, ["net": .debug, "net.http": .verbose, "Chatty": .off]))
/// ```
/// An event comes from a category, when it has one (see ``LogCategory``), and from a module (``LogSource/module``). A rule that
/// covers the category decides before one that covers the module; of several that cover the same name, the most specific one.
/// Where no rule covers the event, ``default`` decides.
public struct LevelRules: Sendable, Hashable, ExpressibleByDictionaryLiteral, CustomStringConvertible {
    /// What is heard from the modules and categories that a pattern covers.
    public struct Rule: Sendable, Hashable, CustomStringConvertible {
        public let pattern: LogPattern
        public let threshold: LogThreshold

        public init(_ pattern: LogPattern, _ threshold: LogThreshold) {
            self.pattern = pattern
            self.threshold = threshold
        }

        /// `net=debug`, as ``LevelRules/init(parsing:)`` reads it.
        public var description: String { "\(pattern)=\(threshold)" }
    }

    /// What is heard where no rule says otherwise.
    public var `default`: LogThreshold
    /// The most specific first; of equally specific ones the one that was set last.
    public private(set) var rules: [Rule] = []

    /// Everything is heard.
    public init() { self.default = .verbose }

    /// - Parameter rules: Where a pattern comes twice, the later one stands. The pattern `*` sets the default.
    public init(_ default: LogThreshold = .verbose, _ rules: KeyValuePairs<LogPattern, LogThreshold> = [:]) {
        self.default = `default`
        for (pattern, threshold) in rules { self[pattern] = threshold }
    }

    public init(dictionaryLiteral elements: (LogPattern, LogThreshold)...) {
        self.init()
        for (pattern, threshold) in elements { self[pattern] = threshold }
    }

    /// Reads `info,net=debug,Chatty=off`: a default and rules, in any order, with or without spaces around them. Without a
    /// default, everything is heard where no rule says otherwise.
    /// - Throws: ``LevelRulesError``, which names the part that cannot be read and what was expected.
    public init(parsing text: String) throws(LevelRulesError) {
        self = try LevelChanges(parsing: text).applied(to: LevelRules())
    }

    /// The rule of exactly this pattern; nil when there is none. `*` is the default, which cannot be removed.
    public subscript(pattern: LogPattern) -> LogThreshold? {
        get { pattern == "*" ? self.default : rules.first { $0.pattern == pattern }?.threshold }
        set {
            if pattern == "*" {
                self.default = newValue ?? self.default
                return
            }
            rules.removeAll { $0.pattern == pattern }
            guard let newValue else { return }
            let place = rules.firstIndex { $0.pattern.specificity <= pattern.specificity } ?? rules.endIndex
            rules.insert(Rule(pattern, newValue), at: place)
        }
    }

    /// What is heard from a module and, unless nil, a category.
    public func threshold(module: String, category: String? = nil) -> LogThreshold {
        threshold(decidedBy: deciding(EventNames(source: LogSource(fileNamed: module + "/"), category: category)))
    }

    /// The place of the rule that decides; nil when the default does.
    func deciding(_ names: EventNames) -> Int? {
        rules.isEmpty ? nil : names.first(of: rules) { rule, name in rule.pattern.matches(name) }
    }

    func threshold(decidedBy rule: Int?) -> LogThreshold { rule.map { rules[$0].threshold } ?? self.default }

    /// The lowest threshold any event may meet, and the highest.
    var lowest: LogThreshold { rules.reduce(self.default) { min($0, $1.threshold) } }
    var highest: LogThreshold { rules.reduce(self.default) { max($0, $1.threshold) } }

    /// `info,net=debug,net.http=verbose`; ``init(parsing:)`` reads it back.
    public var description: String {
        ([self.default.description] + rules.reversed().map(\.description)).joined(separator: ",")
    }
}
