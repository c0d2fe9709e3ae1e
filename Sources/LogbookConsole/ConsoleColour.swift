package import LogbookCore

/// Whether a console colours its lines by level.
public enum ConsoleColour: Sendable, Hashable {
    /// On a terminal that can. `NO_COLOR`, when it is not empty, says no to everything; `FORCE_COLOR`, when it is neither empty
    /// nor `0`, says yes without a terminal; `TERM` that is `dumb` or missing says no.
    case automatic
    case always
    case never

    package func applies(isTerminal: Bool, environment: (String) -> String?) -> Bool {
        switch self {
        case .always: return true
        case .never: return false
        case .automatic:
            if environment("NO_COLOR")?.isEmpty == false { return false }
            if let forced = environment("FORCE_COLOR"), !forced.isEmpty { return forced != "0" }
            guard let terminal = environment("TERM"), !terminal.isEmpty, terminal != "dumb" else { return false }
            return isTerminal
        }
    }

    /// What switches a level's colour on; empty for a level that is shown as it is.
    package static func start(_ level: LogLevel) -> StaticString {
        switch level {
        case .verbose: "\u{1B}[2m"
        case .debug: "\u{1B}[36m"
        case .info: ""
        case .notice: "\u{1B}[32m"
        case .warning: "\u{1B}[33m"
        case .error: "\u{1B}[31m"
        case .critical: "\u{1B}[1;31m"
        }
    }
    package static let end: StaticString = "\u{1B}[0m"
}
