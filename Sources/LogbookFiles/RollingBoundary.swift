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
    /// moment of the new day; where it goes back over midnight, each time the date changes.
    public static func daily(in zone: LogTimeZone = .local) -> RollingBoundary { RollingBoundary(span: .day, zone: zone) }

    /// The first boundary after a moment.
    package func next(after time: LogTime) -> LogTime {
        let seconds: Int64 = span == .day ? 86_400 : 3600
        func cell(_ second: Int64, _ offset: Int64) -> Int64 {
            let local = second + offset
            return (local >= 0 ? local : local - seconds + 1) / seconds
        }
        var second = time.wholeSeconds
        var offset = Int64(zone.offset(atSecond: second))
        let current = cell(second, offset)
        while true {
            let end = (current + 1) * seconds - offset
            guard let change = zone.change(afterSecond: second, until: end) else { return moment(end) }
            second = change
            offset = Int64(zone.offset(atSecond: change))
            // A clock that is set back to a full hour begins that hour again; one that is set back to midnight, the same day.
            if cell(change, offset) != current || span == .hour && (change + offset) % seconds == 0 { return moment(change) }
        }
    }

    private func moment(_ second: Int64) -> LogTime {
        let (nanoseconds, overflow) = second.multipliedReportingOverflow(by: 1_000_000_000)
        return LogTime(nanoseconds: overflow ? .max : nanoseconds)
    }
}
