/// Events that a registration does not hear, by what decided. Not losses: they were never meant for it.
public struct LogUnheard: Sendable, Hashable {
    /// Below the level that counts for their source.
    public let level: UInt64
    /// Kept back by the filter, or by the closure that was given to `register`; or said to others by name, as what a flight recorder
    /// hands over.
    public let filter: UInt64
    /// No transaction entries, where the provider takes nothing else.
    public let interest: UInt64

    public init(level: UInt64 = 0, filter: UInt64 = 0, interest: UInt64 = 0) {
        self.level = level
        self.filter = filter
        self.interest = interest
    }

    public var total: UInt64 { level + filter + interest }
}
