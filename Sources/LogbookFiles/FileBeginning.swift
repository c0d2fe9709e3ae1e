internal import LogbookCore

/// When the active file got its first event, and how long it may take more.
struct FileBeginning: Sendable, Equatable {
    let wall: LogTime
    /// On the monotonic clock, which may have begun later than the file.
    let uptime: Int64
    /// The end of its hour or day: a line of a later one begins another file. Nil without a boundary.
    private(set) var boundary: LogTime?
    /// When it is closed without such a line. Later than ``boundary`` where its lines came late: they may be the first of many, and a file
    /// that was closed as soon as it has one would be one of as many.
    private(set) var idleBoundary: LogTime?
    /// What ``boundary`` was reckoned from.
    private var anchor: LogTime

    /// - Parameters:
    ///   - wall: When its first event happened.
    ///   - written: When something was written to it.
    ///   - age: How long ago it began, when the file is older than the process.
    init(at wall: LogTime, written: LogTime, age: Duration = .zero, uptime: UInt64, boundary: RollingBoundary?) {
        self.wall = wall
        self.uptime = Int64(clamping: uptime) - max(0, age.wholeNanoseconds)
        self.boundary = boundary?.next(after: wall)
        idleBoundary = boundary?.next(after: max(wall, written))
        anchor = wall
    }

    func age(at uptime: UInt64) -> Duration { .nanoseconds(Int64(clamping: uptime) - self.uptime) }

    /// A clock that was set back by days must not keep the file open for as long.
    mutating func follow(_ now: LogTime, _ boundary: RollingBoundary) {
        guard now < anchor.adding(.seconds(-Self.tolerance)) else { return }
        anchor = now
        self.boundary = boundary.next(after: now)
        idleBoundary = self.boundary
    }

    /// Seconds that an event may be older than the one before it without a clock having been set back.
    private static let tolerance = 60
}
