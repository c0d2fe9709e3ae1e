import LogbookCore
import LogbookFormat
import LogbookTestKit
import Testing

@testable import LogbookFiles

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite struct RollingBoundaryTests {
    private func time(_ text: String) throws -> LogTime { try #require(ISO8601.time(text), "\(text)") }

    @Test(arguments: [
        ("2025-11-21T23:59:59.999Z", "2025-11-22T00:00:00Z"), ("2025-11-22T00:00:00Z", "2025-11-23T00:00:00Z"),
        ("2024-02-28T12:00:00Z", "2024-02-29T00:00:00Z"), ("1969-12-31T01:00:00Z", "1970-01-01T00:00:00Z"),
    ])
    func aDayEndsAtMidnight(now: String, next: String) throws {
        #expect(try RollingBoundary.daily(in: .utc).next(after: time(now)) == time(next))
    }

    @Test(arguments: [
        ("2025-11-21T23:59:59.999Z", "2025-11-22T00:00:00Z"), ("2025-11-22T00:00:00Z", "2025-11-22T01:00:00Z"),
        ("1969-12-31T01:30:00Z", "1969-12-31T02:00:00Z"),
    ])
    func anHourEnds(now: String, next: String) throws {
        #expect(try RollingBoundary.hourly(in: .utc).next(after: time(now)) == time(next))
    }

    @Test func aZoneHasHoursOfItsOwn() throws {
        let kathmandu = LogTimeZone.fixed(seconds: 20_700)  // +05:45
        #expect(try RollingBoundary.hourly(in: kathmandu).next(after: time("2025-11-21T10:20:00Z")) == time("2025-11-21T11:15:00Z"))
        #expect(try RollingBoundary.daily(in: kathmandu).next(after: time("2025-11-21T18:14:59Z")) == time("2025-11-21T18:15:00Z"))
    }

    /// `expected` are the boundaries that follow one another, beginning after the first of them.
    private func expect(
        _ boundary: RollingBoundary, _ expected: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        var now = try time(expected[0])
        for text in expected.dropFirst() {
            // From the boundary before it, and from the last moment before it.
            let last = try time(text).adding(.nanoseconds(-1))
            #expect(boundary.next(after: last) == (try time(text)), sourceLocation: sourceLocation)
            now = boundary.next(after: now)
            #expect(now == (try time(text)), sourceLocation: sourceLocation)
        }
    }

    @Test("F7: a day of a named zone has 23 hours when summer time begins, and 25 when it ends")
    func daysOfSummerTime() throws {
        let berlin = RollingBoundary.daily(in: try .named("Europe/Berlin"))
        try expect(berlin, ["2026-03-27T23:00:00Z", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z", "2026-03-30T22:00:00Z"])
        try expect(berlin, ["2026-10-23T22:00:00Z", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z", "2026-10-26T23:00:00Z"])
        // By the rule that the file ends with.
        try expect(berlin, ["2099-03-28T23:00:00Z", "2099-03-29T22:00:00Z"])
    }

    @Test("F7: an hour that is left out is no file, and one that comes twice is two")
    func hoursOfSummerTime() throws {
        let berlin = RollingBoundary.hourly(in: try .named("Europe/Berlin"))
        try expect(berlin, ["2026-03-28T23:00:00Z", "2026-03-29T00:00:00Z", "2026-03-29T01:00:00Z", "2026-03-29T02:00:00Z"])
        try expect(berlin, ["2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z", "2026-10-25T02:00:00Z"])
    }

    @Test("F7: clocks that are moved by half an hour end the hour that they leave")
    func halfHours() throws {
        // +10:30, in summer +11:00
        let lordHowe = RollingBoundary.hourly(in: try .named("Australia/Lord_Howe"))
        try expect(lordHowe, ["2026-04-04T14:00:00Z", "2026-04-04T15:30:00Z", "2026-04-04T16:30:00Z"])
        try expect(lordHowe, ["2026-10-03T14:30:00Z", "2026-10-03T15:30:00Z", "2026-10-03T16:00:00Z"])
        let kathmandu = RollingBoundary.hourly(in: try .named("Asia/Kathmandu"))
        try expect(kathmandu, ["2026-01-01T00:15:00Z", "2026-01-01T01:15:00Z"])
        let days = RollingBoundary.daily(in: try .named("Asia/Kathmandu"))
        try expect(days, ["2026-01-01T18:15:00Z", "2026-01-02T18:15:00Z"])
    }

    @Test("F7: a day that a zone leaves out, a midnight that it leaves out, and a date that comes twice")
    func strangeDays() throws {
        // The 30th of December never was.
        let samoa = RollingBoundary.daily(in: try .named("Pacific/Apia"))
        try expect(samoa, ["2011-12-29T10:00:00Z", "2011-12-30T10:00:00Z", "2011-12-31T10:00:00Z"])
        // From 24:00 to 01:00, and back from 24:00 to 23:00.
        let saoPaulo = RollingBoundary.daily(in: try .named("America/Sao_Paulo"))
        try expect(saoPaulo, ["2018-11-03T03:00:00Z", "2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z"])
        try expect(saoPaulo, ["2018-02-17T02:00:00Z", "2018-02-18T03:00:00Z", "2018-02-19T03:00:00Z"])
        // Back from 00:01 to 23:01: one minute of the new day, the rest of the old one, and the new day again.
        let stJohns = RollingBoundary.daily(in: try .named("America/St_Johns"))
        try expect(
            stJohns, ["2006-10-28T02:30:00Z", "2006-10-29T02:30:00Z", "2006-10-29T02:31:00Z", "2006-10-29T03:30:00Z"])
        // Back from 01:00 to midnight: still the same day.
        let havana = RollingBoundary.daily(in: try .named("America/Havana"))
        try expect(havana, ["2025-11-02T04:00:00Z", "2025-11-03T05:00:00Z"])
    }

    @Test("F7: the machine's zone and the same one by its name have the same boundaries", arguments: ["hours", "days"])
    func localAndNamed(spans: String) async throws {
        await #expect(processExitsWith: .success) { [spans = spans as String] in
            alarm(60)
            for name in ["Europe/Berlin", "Australia/Lord_Howe", "America/St_Johns", "Pacific/Apia", "America/Havana", "Asia/Beirut"] {
                setenv("TZ", name, 1)
                tzset()
                let named = try LogTimeZone.named(name)
                let (here, there): (RollingBoundary, RollingBoundary) =
                    spans == "hours" ? (.hourly(), .hourly(in: named)) : (.daily(), .daily(in: named))
                for year in [2006, 2011, 2026, 2060] {
                    var now = try #require(ISO8601.time("\(year)-01-01T00:00:00Z"))
                    let end = now.adding(.seconds(366 * 86_400))
                    while now < end {
                        let next = there.next(after: now)
                        if here.next(after: now) != next { Issue.record("\(name) after \(now)") }
                        guard next > now else { break }
                        now = next
                    }
                }
            }
        }
    }

    @Test func theEndOfTimeIsABoundary() {
        #expect(RollingBoundary.daily(in: .utc).next(after: LogTime(nanoseconds: .max)) == LogTime(nanoseconds: .max))
        #expect(RollingBoundary.daily(in: .utc).next(after: LogTime(nanoseconds: .min)) > LogTime(nanoseconds: .min))
    }

    /// Days with summer time: the boundaries of a year as `date` of the system sees them.
    @Test(
        "F7: every day of a year ends at the zone's midnight, or at the day's first moment where there is none",
        arguments: ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Sao_Paulo:2018", "Asia/Beirut"])
    func everyDayOfAYear(zoneAndYear: String) async throws {
        let parts = zoneAndYear.split(separator: ":").map(String.init)
        let zone = parts[0]
        let year = parts.count > 1 ? parts[1] : "2025"
        await #expect(processExitsWith: .success) { [zone = zone as String, year = year as String] in
            setenv("TZ", zone, 1)
            tzset()
            let boundary = RollingBoundary.daily(in: .local)
            var now = try #require(ISO8601.time("\(year)-01-01T12:00:00Z"))
            var days = 0
            for _ in 1...366 {
                let next = boundary.next(after: now)
                let before = CivilTime(next.adding(.nanoseconds(-1)), in: .local)
                let after = CivilTime(next, in: .local)
                #expect(before.day != after.day, "\(zone) day \(days)")
                #expect(next > now)
                let span = next.nanoseconds - now.nanoseconds
                #expect(span <= 25 * 3_600_000_000_000)
                days += 1
                now = next
            }
            let end = CivilTime(now, in: .local)
            #expect(end.month == 1 && end.day == 3 || end.day == 2)
        }
    }
}
