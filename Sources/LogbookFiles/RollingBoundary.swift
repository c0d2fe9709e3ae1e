package import LogbookCore
public import LogbookFormat

/// Where the clock on the wall ends a file.
public struct RollingBoundary: Sendable, Hashable {
    private enum Span: Hashable { case hour, day }
    private let span: Span
    private let zone: LogTimeZone

    /// At the start of every hour of the zone.
    public static func hourly(in zone: LogTimeZone = .local) -> RollingBoundary { RollingBoundary(span: .hour, zone: zone) }
    /// At the zone's midnight, also where summer time makes a day shorter or longer. Where a zone skips midnight, at the first
    /// moment of the new day.
    public static func daily(in zone: LogTimeZone = .local) -> RollingBoundary { RollingBoundary(span: .day, zone: zone) }

    /// The first boundary after a moment.
    package func next(after time: LogTime) -> LogTime {
        let civil = CivilTime(time, in: zone)
        switch span {
        case .day:
            let today = CivilTime.days(year: civil.year, month: civil.month, day: civil.day)
            return firstMoment(ofDay: today + 1) ?? time.adding(.seconds(86_400))
        case .hour:
            let passed = civil.minute * 60 + civil.second
            let guess = LogTime(
                nanoseconds: (time.wholeSeconds + Int64(3600 - passed)) * 1_000_000_000)
            // Where a zone moves its clocks by half an hour, the hour ends elsewhere.
            let there = CivilTime(guess, in: zone)
            let rest = there.minute * 60 + there.second
            return rest == 0 ? guess : guess.adding(.seconds(there.offset > civil.offset ? -rest : 3600 - rest))
        }
    }

    /// Midnight may come twice, or not at all: then the day begins with the first moment that has its date.
    private func firstMoment(ofDay day: Int) -> LogTime? {
        guard let guess = CivilTime.time(days: day, secondOfDay: 0, nanosecond: 0, in: zone) else { return nil }
        for minutes in stride(from: -120, through: 120, by: 15) {
            let candidate = guess.adding(.seconds(minutes * 60))
            let civil = CivilTime(candidate, in: zone)
            if CivilTime.days(year: civil.year, month: civil.month, day: civil.day) >= day { return candidate }
        }
        return guess
    }
}
