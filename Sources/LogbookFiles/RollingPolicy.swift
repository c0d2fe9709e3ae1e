/// When a log file is closed and the next one begins, and how many closed ones stay.
public struct RollingPolicy: Sendable, Hashable {
    /// Largest file, in bytes, at least 1. An event that would cross it starts the next file; one that is larger by itself gets
    /// a file of its own. Default 10 MiB.
    public var maximumBytes: Int
    /// Closed files kept beside the active one; the oldest beyond this number are deleted. 0 keeps all. Default 5.
    public var maximumArchives: Int

    public init(maximumBytes: Int = 10 << 20, maximumArchives: Int = 5) {
        self.maximumBytes = maximumBytes
        self.maximumArchives = maximumArchives
    }

    /// An empty file takes any event, so one huge event cannot roll forever.
    func rolls(before eventBytes: Int, into currentBytes: Int) -> Bool {
        currentBytes > 0 && eventBytes > maximumBytes - currentBytes
    }

    /// The archives to delete, oldest first, when these exist.
    func superfluous(_ archives: [ArchiveName]) -> ArraySlice<ArchiveName> {
        guard maximumArchives > 0 else { return [] }
        return archives.sorted().dropLast(maximumArchives)
    }

    func check() {
        precondition(maximumBytes >= 1, "RollingPolicy.maximumBytes must be at least 1")
        precondition(maximumArchives >= 0, "RollingPolicy.maximumArchives must not be negative")
    }
}
