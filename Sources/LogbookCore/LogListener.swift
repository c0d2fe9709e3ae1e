/// A provider as a configuration names it: how it is made, what it hears and how it is fed. Nothing is made before
/// ``LogService/apply(_:)``.
public struct LogListener: Sendable {
    /// Its name in the configuration, in tables and in diagnostics; each once in a configuration.
    public let name: String
    /// Nil: as the preset says.
    public var levels: LevelRules?
    /// Nil: as the provider's type says (``LogProvider/usualDelivery``), or else the preset.
    public var delivery: LogDelivery?
    let usualDelivery: LogDelivery?
    public var filter: LogFilter
    /// See ``LogRegistration/isFixed``.
    public var isFixed: Bool
    /// See ``LogRegistration/privacy``; nil: as the preset says.
    public var privacy: PrivacyMode?
    let make: @Sendable () throws -> any LogProvider

    /// - Parameters:
    ///   - provider: Evaluated when the configuration is applied, once; what it throws, `apply` throws.
    ///   - name: The provider's type unless given.
    public init<Provider: LogProvider>(
        _ provider: @autoclosure @escaping @Sendable () throws -> Provider, name: String? = nil, levels: LevelRules? = nil,
        delivery: LogDelivery? = nil, where filter: LogFilter = .everything, isFixed: Bool = false,
        privacy: PrivacyMode? = nil
    ) {
        self.init(
            name: name ?? String(describing: Provider.self), levels: levels, delivery: delivery, where: filter,
            isFixed: isFixed, privacy: privacy, usualDelivery: Provider.usualDelivery, make: provider)
    }

    /// The same with one level for every source.
    public init<Provider: LogProvider>(
        _ provider: @autoclosure @escaping @Sendable () throws -> Provider, name: String? = nil, from level: LogLevel,
        delivery: LogDelivery? = nil, where filter: LogFilter = .everything, isFixed: Bool = false,
        privacy: PrivacyMode? = nil
    ) {
        self.init(
            name: name ?? String(describing: Provider.self), levels: LevelRules(LogThreshold(level)), delivery: delivery,
            where: filter, isFixed: isFixed, privacy: privacy, usualDelivery: Provider.usualDelivery, make: provider)
    }

    /// A provider whose type is only known when it is made.
    public init(
        name: String, levels: LevelRules? = nil, delivery: LogDelivery? = nil, where filter: LogFilter = .everything,
        isFixed: Bool = false, privacy: PrivacyMode? = nil, make: @escaping @Sendable () throws -> any LogProvider
    ) {
        self.init(
            name: name, levels: levels, delivery: delivery, where: filter, isFixed: isFixed, privacy: privacy, usualDelivery: nil,
            make: make)
    }

    private init(
        name: String, levels: LevelRules?, delivery: LogDelivery?, where filter: LogFilter, isFixed: Bool, privacy: PrivacyMode?,
        usualDelivery: LogDelivery?, make: @escaping @Sendable () throws -> any LogProvider
    ) {
        self.name = name
        self.levels = levels
        self.delivery = delivery
        self.usualDelivery = usualDelivery
        self.filter = filter
        self.isFixed = isFixed
        self.privacy = privacy
        self.make = make
    }
}
