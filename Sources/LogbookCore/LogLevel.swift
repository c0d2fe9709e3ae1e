/// How much an event matters, from the chattiest to the gravest.
public enum LogLevel: UInt8, Sendable, CaseIterable, Comparable {
    case verbose, debug, info, notice, warning, error, critical

    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }

    /// The sign that opens a line of the article style: 📣 📝 ℹ️ 🔔 ⚠️ ☠️ 🔥.
    public var symbol: String {
        switch self {
        case .verbose: "📣"
        case .debug: "📝"
        case .info: "ℹ️"
        case .notice: "🔔"
        case .warning: "⚠️"
        case .error: "☠️"
        case .critical: "🔥"
        }
    }

    /// ``name``, for formats that make no strings.
    @inlinable
    package var literalName: StaticString {
        switch self {
        case .verbose: "verbose"
        case .debug: "debug"
        case .info: "info"
        case .notice: "notice"
        case .warning: "warning"
        case .error: "error"
        case .critical: "critical"
        }
    }

    /// The lower-case English word, as every format writes it: `"verbose"` … `"critical"`.
    public var name: String { literalName.description }

    /// UTF-8 bytes: `informational`.
    private static let longestName = 13

    /// Reads a level's name in any case, also under the names other systems use: `trace`, `information`, `warn`, `err`,
    /// `severe`, `crit`, `fatal`, `alert`, `emerg`, `panic`. Nil for every other word.
    public init?(name: some StringProtocol) {
        if name.utf8.count > Self.longestName { return nil }   // whatever somebody sends, which may be long
        switch name.lowercased() {
        case "verbose", "trace": self = .verbose
        case "debug", "dbg": self = .debug
        case "info", "information", "informational": self = .info
        case "notice": self = .notice
        case "warning", "warn": self = .warning
        case "error", "err", "severe": self = .error
        case "critical", "crit", "fatal", "alert", "emerg", "emergency", "panic": self = .critical
        default: return nil
        }
    }
}
