/// What a configuration is composed of: listeners, levels for all of them, and other configurations.
public enum LogConfigurationPart: Sendable {
    case listener(LogListener)
    case levels(LevelChanges)
}

@resultBuilder
public enum LogConfigurationBuilder {
    public static func buildExpression(_ listener: LogListener) -> [LogConfigurationPart] { [.listener(listener)] }
    /// Levels for every listener of the configuration.
    public static func buildExpression(_ levels: LevelChanges) -> [LogConfigurationPart] { [.levels(levels)] }
    /// The listeners and levels of another configuration; its preset and override are not taken.
    public static func buildExpression(_ other: LogConfiguration) -> [LogConfigurationPart] {
        other.listeners.map { .listener($0) } + [.levels(other.changes)]
    }
    public static func buildExpression(_ parts: [LogConfigurationPart]) -> [LogConfigurationPart] { parts }
    public static func buildBlock(_ parts: [LogConfigurationPart]...) -> [LogConfigurationPart] { parts.flatMap { $0 } }
    public static func buildOptional(_ parts: [LogConfigurationPart]?) -> [LogConfigurationPart] { parts ?? [] }
    public static func buildEither(first parts: [LogConfigurationPart]) -> [LogConfigurationPart] { parts }
    public static func buildEither(second parts: [LogConfigurationPart]) -> [LogConfigurationPart] { parts }
    public static func buildArray(_ parts: [[LogConfigurationPart]]) -> [LogConfigurationPart] { parts.flatMap { $0 } }
    public static func buildLimitedAvailability(_ parts: [LogConfigurationPart]) -> [LogConfigurationPart] { parts }
}
