/// A text that does not say levels.
public enum LevelRulesError: Error, Equatable, CustomStringConvertible {
    case notALevel(String)
    case notAPattern(String)
    case secondDefault(String)

    public var description: String {
        switch self {
        case .notALevel(let word):
            "\"\(word)\" is not a level; expected one of \(LogThreshold.allCases.map(\.description).joined(separator: ", "))"
        case .notAPattern(let name):
            "\"\(name)\" is not the name of a module or category; expected one such as net, net.http or Logbook*"
        case .secondDefault(let word):
            "\"\(word)\" is a second level without a name; expected one level, then name=level, as in info,net=debug"
        }
    }
}
