/// What is to be different in rules that are there already, as `LOGBOOK_LEVEL` says it.
public struct LevelChanges: Sendable, Hashable, ExpressibleByDictionaryLiteral, CustomStringConvertible {
    /// The new default; nil leaves it as it is.
    public var `default`: LogThreshold?
    /// In the order in which they are applied.
    public var rules: [LevelRules.Rule]

    /// Changes nothing.
    public init() { rules = [] }

    public init(_ default: LogThreshold?, _ rules: KeyValuePairs<LogPattern, LogThreshold> = [:]) {
        self.default = `default`
        self.rules = rules.map { LevelRules.Rule($0, $1) }
    }

    /// New rules only.
    public init(_ rules: KeyValuePairs<LogPattern, LogThreshold>) { self.init(nil, rules) }

    public init(dictionaryLiteral elements: (LogPattern, LogThreshold)...) {
        self.init()
        rules = elements.map { LevelRules.Rule($0, $1) }
    }

    /// Reads `info,net=debug`; see ``LevelRules/init(parsing:)``. A text of nothing but spaces changes nothing.
    public init(parsing text: String) throws(LevelRulesError) {
        self.init()
        if text.allSatisfy(\.isWhitespace) { return }
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let part = part.trimmed
            guard let equals = part.firstIndex(of: "=") else {
                guard let threshold = LogThreshold(name: part) else { throw .notALevel(String(part)) }
                if self.default != nil { throw .secondDefault(String(part)) }
                self.default = threshold
                continue
            }
            let (name, word) = (part[..<equals].trimmed, part[part.index(after: equals)...].trimmed)
            guard let pattern = LogPattern(String(name)) else { throw .notAPattern(String(name)) }
            guard let threshold = LogThreshold(name: word) else { throw .notALevel(String(word)) }
            rules.append(LevelRules.Rule(pattern, threshold))
        }
    }

    public var isEmpty: Bool { self.default == nil && rules.isEmpty }

    /// The rules as they are after the changes.
    public func applied(to levels: LevelRules) -> LevelRules {
        var changed = levels
        changed.default = self.default ?? changed.default
        for rule in rules { changed[rule.pattern] = rule.threshold }
        return changed
    }

    /// `info,net=debug`; ``init(parsing:)`` reads it back.
    public var description: String {
        ([self.default?.description].compactMap { $0 } + rules.map(\.description)).joined(separator: ",")
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        var text = drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
