// HOT PATH — a clock costs its caller more than everything else that a queued call does; the processor's count is a third of it.
internal import CLogbookSystem

/// Makes times of the processor's counts. Used by one thread at a time.
///
/// Counts are held against the wall clock anew before each round, so that a clock that is set is followed at once, and what was said is
/// no older than the round. How long a tick takes is measured over a second or two of the monotonic clock: an error of it counts only for
/// the time between what was said and the round. Times lie within fractions of a microsecond of what the clock would have said, two where
/// a look at it was held up, never after the round, and do not run backwards by less than ``smoothedNanoseconds``.
struct TickClock {
    /// The pace is measured over more than this, as soon as there is so much.
    static let measuredNanoseconds: UInt64 = 1_000_000_000
    /// A reading that was interrupted for longer is tried again.
    private static let undisturbedTicks: UInt64 = 4_000
    private static let maximumTries = 4
    /// What two looks at the clock may disagree in, as each of them may have been held up.
    static let smoothedNanoseconds: Int64 = 5_000
    /// A pace that differs by more from the one that was found first is none: the count was set, or the machine slept.
    private static let tolerance = 0.01
    /// An older count is none of this clock's: two weeks and more.
    private static let oldestBits: UInt64 = 52
    /// Nanoseconds of a tick; no processor counts so slowly. The age of what is no older than that has room in an `Int64`.
    private static let slowestPace = 2_000.0

    /// What the count and the clocks said at one moment.
    struct Reading {
        var ticks: UInt64
        var uptime: UInt64
        var wall: Int64
    }
    private let read: () -> Reading
    private var earliest: Reading, middle: Reading, latest: Reading
    /// Nanoseconds of a tick, in parts of 2^-32, and as they were found first over a whole span.
    private var pace: UInt64 = 0, firstPace: Double?
    private var latestTime = Int64.min

    /// - Parameter read: What is looked at.
    init(_ read: @escaping () -> Reading = TickClock.systemReading) {
        self.read = read
        latest = read()
        (earliest, middle) = (latest, latest)
    }

    /// Looks at the clocks: for counts that were taken since the last look, and before this one.
    /// - Returns: False where the count is not to be trusted any more.
    mutating func look() -> Bool {
        latest = read()
        guard latest.ticks > earliest.ticks, latest.uptime > earliest.uptime, latest.uptime >= middle.uptime else { return false }
        let measured = Double(latest.uptime - earliest.uptime) / Double(latest.ticks - earliest.ticks)
        if let firstPace, abs(measured / firstPace - 1) >= Self.tolerance { return false }
        pace = UInt64(min(measured, Self.slowestPace) * 0x1p32)
        if latest.uptime - middle.uptime > Self.measuredNanoseconds {
            if firstPace == nil { firstPace = measured }
            (earliest, middle) = (middle, latest)
        }
        return true
    }

    /// The time of a count, in nanoseconds since 1970.
    @inline(__always)
    mutating func time(of ticks: UInt64) -> Int64 {
        let age = latest.ticks &- ticks
        // A count from after the look is as good as the look: this thread was interrupted in between.
        var time = age >> Self.oldestBits > 0 ? latest.wall : latest.wall &- nanoseconds(age)
        if _slowPath(time < latestTime), latestTime &- time < Self.smoothedNanoseconds { time = latestTime }
        latestTime = time
        return time
    }

    /// - Parameter age: In ticks, of ``oldestBits``.
    @inline(__always)
    private func nanoseconds(_ age: UInt64) -> Int64 {
        let (high, low) = age.multipliedFullWidth(by: pace)
        return Int64(truncatingIfNeeded: high << 32 | low >> 32)
    }

    private static func systemReading() -> Reading {
        var best = Reading(ticks: 0, uptime: 0, wall: 0), span = UInt64.max, tries = 0
        repeat {
            let before = logbook_ticks()
            let wall = logbook_wall_nanoseconds(), uptime = logbook_monotonic_nanoseconds()
            let taken = logbook_ticks() &- before
            if taken < span { (best, span) = (Reading(ticks: before, uptime: uptime, wall: wall), taken) }
            tries += 1
        } while span > undisturbedTicks && tries < maximumTries
        return best
    }
}
