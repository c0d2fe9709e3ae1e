/// From which level on something is heard, or that it is not heard at all.
public enum LogThreshold: UInt8, Sendable, CaseIterable, Comparable, CustomStringConvertible {
    case verbose, debug, info, notice, warning, error, critical
    /// Nothing is heard.
    case off

    public init(_ level: LogLevel) { self = LogThreshold(rawValue: level.rawValue)! }

    /// Reads a level's name as ``LogLevel/init(name:)`` does, or `off`, in any case. Nil for every other word.
    public init?(name: some StringProtocol) {
        if name.lowercased() == "off" {
            self = .off
        } else if let level = LogLevel(name: name) {
            self.init(level)
        } else {
            return nil
        }
    }

    /// The lowest level that is heard; nil when it is ``off``.
    public var level: LogLevel? { LogLevel(rawValue: rawValue) }

    public func admits(_ level: LogLevel) -> Bool { level.rawValue >= rawValue }

    public static func < (left: LogThreshold, right: LogThreshold) -> Bool { left.rawValue < right.rawValue }

    /// The level's name, or `off`.
    public var description: String { level?.name ?? "off" }
}
