internal import LogbookCore

/// When the active file got its first event, and how long it may take more.
struct FileBeginning: Sendable, Equatable {
    let wall: LogTime
    /// On the monotonic clock, which may have begun later than the file.
    let uptime: Int64
    /// The end of its hour or day; nil without a boundary.
    private(set) var boundary: LogTime?
    /// What ``boundary`` was reckoned from.
    private var anchor: LogTime

    /// - Parameter age: How long ago that was, when the file is older than the process.
    init(at wall: LogTime, age: Duration = .zero, uptime: UInt64, boundary: RollingBoundary?) {
        self.wall = wall
        self.uptime = Int64(clamping: uptime) - max(0, age.wholeNanoseconds)
        self.boundary = boundary?.next(after: wall)
        anchor = wall
    }

    func age(at uptime: UInt64) -> Duration { .nanoseconds(Int64(clamping: uptime) - self.uptime) }

    /// A clock that was set back by days must not keep the file open for as long.
    mutating func follow(_ now: LogTime, _ boundary: RollingBoundary) {
        guard now < anchor.adding(.seconds(-Self.tolerance)) else { return }
        anchor = now
        self.boundary = boundary.next(after: now)
    }

    /// Seconds that an event may be older than the one before it without a clock having been set back.
    private static let tolerance = 60
}
