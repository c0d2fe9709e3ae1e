/// Everything a program's log needs, as a value: composed in code, printed, and applied to a service.
///
/// ```swift
/// let configuration = try LogConfiguration.current { environment in
///     LogListener(ConsoleLogProvider(), name: "console")
///     if environment != .development {
///         LogListener(try FileLogProvider(in: "/var/log/shop"), name: "file", levels: LevelRules(.info, ["net": .debug]))
///     }
/// }
/// try LogService.shared.apply(configuration)
/// print(configuration)
/// ```
public struct LogConfiguration: Sendable {
    /// What holds for listeners that do not say otherwise.
    public var preset: LogPreset
    /// In the order in which they are registered.
    public var listeners: [LogListener]
    /// Rules for every listener, over its own or the preset's; a listener whose levels are fixed keeps its own.
    public var changes: LevelChanges
    /// What `LOGBOOK_LEVEL` says, over everything else; rules for names that it does not say stay, and a listener whose levels are fixed
    /// keeps its own.
    public var override: LevelChanges

    public init(
        _ preset: LogPreset = .production, override: LevelChanges = LevelChanges(),
        @LogConfigurationBuilder _ parts: () throws -> [LogConfigurationPart]
    ) rethrows {
        self.preset = preset
        self.override = override
        listeners = []
        changes = LevelChanges()
        for part in try parts() {
            switch part {
            case .listener(let listener): listeners.append(listener)
            case .levels(let more):
                changes.default = more.default ?? changes.default
                changes.rules += more.rules
            }
        }
    }

    /// The variable that overrides levels: `LOGBOOK_LEVEL`, as in `LOGBOOK_LEVEL="info,net=debug"`.
    public static let levelVariable = "LOGBOOK_LEVEL"

    /// The configuration for where the program runs: as `LOGBOOK_ENVIRONMENT` says, or `fallback` when it is not set, with the levels
    /// of `LOGBOOK_LEVEL`.
    /// - Throws: ``LogEnvironmentError`` or ``LogConfigurationError/invalidVariable(name:value:reason:)`` when a variable
    ///   cannot be read, with what was expected; and what `parts` throws.
    public static func current(
        default fallback: LogEnvironment = .production,
        @LogConfigurationBuilder _ parts: (LogEnvironment) throws -> [LogConfigurationPart]
    ) throws -> LogConfiguration {
        try current(default: fallback, variables: LogEnvironment.variable(named:), parts)
    }

    /// - Parameter variables: The value of an environment variable; nil when it is not set.
    package static func current(
        default fallback: LogEnvironment, variables: (String) -> String?,
        @LogConfigurationBuilder _ parts: (LogEnvironment) throws -> [LogConfigurationPart]
    ) throws -> LogConfiguration {
        let environment = try LogEnvironment.named(variables(LogEnvironment.variable) ?? "", default: fallback)
        var override = LevelChanges()
        if let text = variables(levelVariable) {
            do {
                override = try LevelChanges(parsing: text)
            } catch {
                throw LogConfigurationError.invalidVariable(name: levelVariable, value: text, reason: error.description)
            }
        }
        return try LogConfiguration(.preset(for: environment), override: override) { try parts(environment) }
    }

    /// What a listener hears when the configuration is applied.
    public func levels(of listener: LogListener) -> LevelRules {
        let own = listener.levels ?? preset.levels
        return listener.isFixed ? own : override.applied(to: changes.applied(to: own))
    }

    /// How a listener is fed when the configuration is applied, as far as its type says: a wrapper is fed as what it stands in front of, and
    /// what a closure makes as its type says, which nobody knows before it is made.
    public func delivery(of listener: LogListener) -> LogDelivery {
        listener.delivery ?? listener.usualDelivery ?? preset.delivery
    }

    /// The same once its provider is made.
    func delivery(of listener: LogListener, with provider: any LogProvider) -> LogDelivery {
        listener.delivery ?? type(of: provider.wrappers.last?.wrapped ?? provider).usualDelivery ?? preset.delivery
    }

    func check() throws(LogConfigurationError) {
        var names: Set<String> = []
        for listener in listeners where !names.insert(listener.name).inserted { throw .nameTakenTwice(listener.name) }
    }
}

extension LogConfiguration: CustomStringConvertible {
    /// What is in force when it is applied, one line for each listener:
    ///
    /// ```
    /// production, private values masked, with 29 key rules and 7 detectors, LOGBOOK_LEVEL=info,net=debug
    /// console: info,net=debug, at once
    /// pager: critical (fixed), through a queue of 8192, where category shop
    /// ```
    public var description: String {
        var head = "\(preset.environment.rawValue), private values \(preset.privacy)"
        let rules = preset.privacyRules
        if !rules.isEmpty { head += ", with \(rules.keys.count) key rules and \(rules.detectors.count) detectors" }
        if rules.unmarkedTexts != .public { head += ", unmarked texts \(rules.unmarkedTexts)" }
        if !override.isEmpty { head += ", \(Self.levelVariable)=\(override)" }
        let lines = listeners.map { listener in
            var line = "\(listener.name): \(levels(of: listener))\(listener.isFixed ? " (fixed)" : ""), "
            switch delivery(of: listener) {
            case .immediate: line += "at once"
            case .queued(let policy): line += "through a queue of \(policy.capacity)"
            }
            if let privacy = listener.privacy { line += ", private values \(privacy)" }
            if listener.filter != .everything { line += ", where \(listener.filter)" }
            return line
        }
        return ([head] + (lines.isEmpty ? ["nobody listens"] : lines)).joined(separator: "\n")
    }
}
