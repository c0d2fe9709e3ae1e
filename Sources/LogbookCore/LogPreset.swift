/// What listeners of a configuration get that do not say otherwise, by where the program runs.
public struct LogPreset: Sendable, Hashable {
    /// Where the program runs, as ``description`` names it.
    public var environment: LogEnvironment
    public var levels: LevelRules
    public var delivery: LogDelivery
    public var privacy: PrivacyMode
    /// What is private although nobody marked it, beside what the program itself has set as ``LogService/privacyRules``: those are one for
    /// all who listen.
    public var privacyRules: PrivacyRules

    public init(
        _ environment: LogEnvironment, levels: LevelRules, delivery: LogDelivery, privacy: PrivacyMode,
        privacyRules: PrivacyRules = .standard
    ) {
        self.environment = environment
        self.levels = levels
        self.delivery = delivery
        self.privacy = privacy
        self.privacyRules = privacyRules
    }

    /// Everything, at once, with private values written out: for a developer's own machine.
    public static let development = LogPreset(
        .development, levels: LevelRules(.verbose), delivery: .immediate, privacy: .revealed,
        privacyRules: .none)
    /// From `debug` on, through queues, with private values masked, also those that ``PrivacyRules/standard`` rules find.
    public static let staging = LogPreset(.staging, levels: LevelRules(.debug), delivery: .queued(), privacy: .masked)
    /// From `info` on, through queues, with private values masked, also those that ``PrivacyRules/standard`` rules find.
    public static let production = LogPreset(.production, levels: LevelRules(.info), delivery: .queued(), privacy: .masked)

    public static func preset(for environment: LogEnvironment) -> LogPreset {
        switch environment {
        case .development: .development
        case .staging: .staging
        case .production: .production
        }
    }
}
