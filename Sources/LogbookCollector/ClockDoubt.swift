internal import LogbookCore

/// Whether the wall clock is to be believed where something is removed for its age. One that is all at once more than a day further than
/// the time that has passed is not, before it has been so for a day: somebody may set it right. After a machine has slept for days it is
/// so as well, and what is too old goes a day later.
struct ClockDoubt {
    enum Verdict: Equatable {
        case believed
        /// - Parameters:
        ///   - days: How much further than the monotonic clock it has gone.
        ///   - isNew: Whether that was not so at the look before, or it has jumped again since.
        case doubted(days: Int, isNew: Bool)
    }

    private static let daySeconds = 86_400.0
    private static let dayNanoseconds: UInt64 = 86_400_000_000_000

    /// By how many seconds the wall clock was ahead of the monotonic one when it was believed last; nil before the first look, which there
    /// is nothing to hold against.
    private var believed: Double?
    /// The same when the doubt began, and when that was.
    private var doubted: (ahead: Double, since: UInt64)?

    /// - Parameter uptime: That of the monotonic clock, in nanoseconds.
    mutating func look(at wall: LogTime, uptime: UInt64) -> Verdict {
        let ahead = wall.seconds - Double(uptime) / 1e9
        if let earlier = believed, ahead - earlier > Self.daySeconds {
            let days = Int((ahead - earlier) / Self.daySeconds)
            guard let began = doubted, abs(ahead - began.ahead) <= Self.daySeconds else {
                doubted = (ahead, uptime)
                return .doubted(days: days, isNew: true)
            }
            if uptime < began.since + Self.dayNanoseconds { return .doubted(days: days, isNew: false) }
        }
        believed = ahead
        doubted = nil
        return .believed
    }
}
