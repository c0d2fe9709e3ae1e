/// What a pipe has read.
public struct PipeCounts: Sendable, Equatable {
    public var bytes: UInt64
    public var lines: UInt64
    /// Events given to the service: one per line, and one more for each further piece of a very long line.
    public var events: UInt64

    public init(bytes: UInt64 = 0, lines: UInt64 = 0, events: UInt64 = 0) {
        self.bytes = bytes
        self.lines = lines
        self.events = events
    }
}
