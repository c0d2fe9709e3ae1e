public import LogbookCore
public import LogbookFormat

/// When anything may be sent. What waits is kept until every condition holds, but not longer than ``maximumDeferral``. A value outside its
/// range ends the program when the conditions are put to use.
public struct DeliveryConditions: Sendable {
    /// Only while the machine is not running on its battery. Machines without one are on external power.
    public var needsExternalPower: Bool
    /// Only while the battery is at least this full, `0...1`. Machines without one are full.
    public var minimumBattery: Double?
    /// Only while the machine's load, per processor and over the last minute, is at most this, `0...`.
    public var maximumLoad: Double?
    /// Only in these hours of the day, `0..<24` each; from the first to before the second, over midnight where the first is later. Two
    /// that are the same would mean no hour at all, and are refused; nil is for every hour.
    public var hours: (from: Int, to: Int)?
    /// Where the hours are those of.
    public var zone: LogTimeZone
    /// Only while the network does not cost by the byte, as NetworkManager says or guesses. Machines without it are on a network
    /// that costs nothing.
    public var needsUnmeteredNetwork: Bool
    /// Anything else; asked on the thread that delivers.
    public var custom: (@Sendable () -> Bool)?
    /// An event of this level or above goes at once, with what waits before it, whatever the conditions are; nil, the default, for none.
    /// Rolled files are read through for that while conditions do not hold, once each, and go alone.
    public var urgentFrom: LogLevel?
    /// How ``urgentFrom`` reads lines of files; those that it cannot read are not urgent.
    public var reading: LogLineReader
    /// How long anything may wait for the conditions: events from when they were said, files from their last event. Then it is sent
    /// whatever they are. An event that was said while the wall clock was ahead waits so long from when it is first held back. Once a file
    /// is known to a process, its wait is counted while the machine is awake: what that sleeps through comes on top of it. A process that
    /// starts anew goes by the wall clock again. Default 24 hours.
    public var maximumDeferral: Duration

    /// No conditions: everything is sent at once.
    public static let none = DeliveryConditions()

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

    package func check() {
        requireValid(minimumBattery.map { (0...1).contains($0) } ?? true, "DeliveryConditions.minimumBattery must be 0...1")
        requireValid(maximumLoad.map { $0 >= 0 } ?? true, "DeliveryConditions.maximumLoad must not be negative")
        if let hours {
            let day = 0..<24
            requireValid(day.contains(hours.from) && day.contains(hours.to), "DeliveryConditions.hours must be 0..<24")
            requireValid(hours.from != hours.to, "DeliveryConditions.hours must not be the same hour twice; leave them out for every hour")
        }
    }

    package func isUrgent(_ event: LogEvent) -> Bool { urgentFrom.map { event.level >= $0 } ?? false }

    /// How often conditions that do not hold are looked at again.
    package static let pause = Duration.seconds(30)

    /// What stands in the way now, in words; nil when every condition holds.
    package func obstacle(at now: LogTime) -> String? { obstacle(on: LinuxMachine(), at: now) }

    func obstacle(on machine: some MachineState, at now: LogTime) -> String? {
        if needsExternalPower, !machine.isOnExternalPower { return "the machine runs on its battery" }
        if let minimumBattery, machine.battery ?? 1 < minimumBattery { return "the battery is too low" }
        if let maximumLoad, let load = machine.load, load > maximumLoad { return "the machine is too busy" }
        if let hours {
            let hour = CivilTime(now, in: zone).hour
            let isWithin = hours.from <= hours.to ? (hours.from..<hours.to).contains(hour) : hour >= hours.from || hour < hours.to
            if !isWithin { return "the hour is not between \(hours.from) and \(hours.to)" }
        }
        if let custom, !custom() { return "the program's own condition does not hold" }
        // Last, because it asks another program.
        if needsUnmeteredNetwork, machine.isMetered { return "the network costs by the byte" }
        return nil
    }

    /// Whether what has been waiting since then waits no longer for the conditions.
    package func isOverdue(since start: LogTime, at now: LogTime) -> Bool { now.span(since: start) >= maximumDeferral }
}

extension LogTime {
    /// How long after another moment this one is: zero where it is before, and held at the longest that nanoseconds can tell.
    func span(since start: LogTime) -> Duration {
        if self <= start { return .zero }
        let (span, isTooLong) = nanoseconds.subtractingReportingOverflow(start.nanoseconds)
        return .nanoseconds(isTooLong ? Int64.max : span)
    }
}
