#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Where the program runs, for configurations that differ by it.
public enum LogEnvironment: String, Sendable, CaseIterable {
    case development, staging, production

    /// The variable that decides: `LOGBOOK_ENVIRONMENT`.
    public static let variable = "LOGBOOK_ENVIRONMENT"

    /// The environment named by `LOGBOOK_ENVIRONMENT`, or `fallback` when the variable is not set.
    /// - Throws: ``LogEnvironmentError`` when it names none of the three.
    public static func current(default fallback: LogEnvironment = .production) throws(LogEnvironmentError) -> LogEnvironment {
        try named(variable(named: variable) ?? "", default: fallback)
    }

    /// The value of an environment variable of this process; nil when it is not set.
    package static func variable(named name: String) -> String? { getenv(name).map { String(cString: $0) } }

    static func named(_ name: String, default fallback: LogEnvironment) throws(LogEnvironmentError) -> LogEnvironment {
        if name.isEmpty { return fallback }
        guard let environment = LogEnvironment(rawValue: name.lowercased()) else { throw .unknown(name) }
        return environment
    }
}

public enum LogEnvironmentError: Error, Equatable, CustomStringConvertible {
    case unknown(String)

    public var description: String {
        switch self {
        case .unknown(let name):
            "\(LogEnvironment.variable) is \"\(name)\"; it must be development, staging or production, or not be set"
        }
    }
}
