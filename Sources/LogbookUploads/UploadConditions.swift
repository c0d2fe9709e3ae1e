public import LogbookCore
public import LogbookFormat

/// When files may be uploaded. A file waits until every condition holds, but not longer than ``maximumDeferral``.
public struct UploadConditions: Sendable {
    /// Only while the machine is not running on its battery. Machines without one are on external power.
    public var needsExternalPower: Bool
    /// Only while the battery is at least this full, `0...1`. Machines without one are full.
    public var minimumBattery: Double?
    /// Only while the machine's load, per processor and over the last minute, is at most this.
    public var maximumLoad: Double?
    /// Only in these hours of the day, `0..<24` each; from the first to before the second, over midnight where the first is later.
    public var hours: (from: Int, to: Int)?
    /// Where the hours are those of.
    public var zone: LogTimeZone
    /// Only while the network does not cost by the byte, as NetworkManager says or guesses. Machines without it are on a network
    /// that costs nothing.
    public var needsUnmeteredNetwork: Bool
    /// Anything else.
    public var custom: (@Sendable () -> Bool)?
    /// A file that holds an event of this level or above goes whatever the conditions are; nil, the default, for none. Files are
    /// read through for that while conditions do not hold, once each.
    public var urgentFrom: LogLevel?
    /// How ``urgentFrom`` reads lines; those that it cannot read are not urgent.
    public var reading: LogLineReader
    /// How long a file may wait for the conditions, counted from its last event; then it is uploaded whatever they are.
    /// Default 24 hours.
    public var maximumDeferral: Duration

    /// No conditions: everything is uploaded at once.
    public static let none = UploadConditions()

    public init(
        needsExternalPower: Bool = false, minimumBattery: Double? = nil, maximumLoad: Double? = nil,
        hours: (from: Int, to: Int)? = nil, zone: LogTimeZone = .local, needsUnmeteredNetwork: Bool = false,
        maximumDeferral: Duration = .seconds(86_400), urgentFrom: LogLevel? = nil, reading: LogLineReader = LogLineReader(),
        custom: (@Sendable () -> Bool)? = nil
    ) {
        self.needsExternalPower = needsExternalPower
        self.minimumBattery = minimumBattery
        self.maximumLoad = maximumLoad
        self.hours = hours
        self.zone = zone
        self.maximumDeferral = maximumDeferral
        self.needsUnmeteredNetwork = needsUnmeteredNetwork
        self.urgentFrom = urgentFrom
        self.reading = reading
        self.custom = custom
    }

    /// Whether every condition holds now.
    func hold(on machine: some MachineState, at now: LogTime) -> Bool {
        if needsExternalPower, !machine.isOnExternalPower { return false }
        if let minimumBattery, machine.battery ?? 1 < minimumBattery { return false }
        if let maximumLoad, let load = machine.load, load > maximumLoad { return false }
        if let hours {
            let hour = CivilTime(now, in: zone).hour
            let isWithin = hours.from <= hours.to ? (hours.from..<hours.to).contains(hour) : hour >= hours.from || hour < hours.to
            if !isWithin { return false }
        }
        // Last, because it asks another program.
        if let custom, !custom() { return false }
        return !needsUnmeteredNetwork || !machine.isMetered
    }
}
