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
