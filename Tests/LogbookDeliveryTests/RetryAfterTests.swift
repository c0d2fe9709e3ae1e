import LogbookCore
import LogbookHTTP
import Testing

@testable import LogbookDelivery

@Suite struct RetryAfterTests {
    /// 1999-12-31T23:58:59Z, one minute before the date that the tests name.
    let now = LogTime(nanoseconds: 946_684_739 * 1_000_000_000)

    @Test(arguments: [
        ("0", 0), ("120", 120), (" 7 ", 7), ("007", 7),
        ("Fri, 31 Dec 1999 23:59:59 GMT", 60), ("Friday, 31-Dec-99 23:59:59 GMT", 60), ("Fri Dec 31 23:59:59 1999", 60),
        ("Mon, 31 Dec 1999 23:59:59 GMT", 60), ("Frx, 31 Dec 1999 23:59:59 GMT", 60),
        ("Sat, 01 Jan 2000 00:00:00 GMT", 61),
        ("Sat Jan  1 00:00:00 2000", 61), ("Fri, 31 Dec 1999 23:59:60 GMT", 61),
        ("Thu, 30 Dec 1999 23:59:59 GMT", 0), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
    ])
    func secondsAndAllThreeDatesAreRead(field: String, seconds: Int) {
        #expect(RetryAfter.parse(field, now: now) == .seconds(seconds))
    }

    @Test(
        "42: garbage asks for nothing",
        arguments: [
            "", " ", "soon", "-5", "1.5", "+5", "1e3", "0x10", "12 s", "٣", "Fri, 31 Dec 1999 23:59:59",
            "Fri, 31 Dec 1999 23:59:59 CET",
            "Fri, 32 Dec 1999 23:59:59 GMT", "Mon, 29 Feb 1999 00:00:00 GMT", "Fri, 31 Dez 1999 23:59:59 GMT",
            "Fri, 31 Dec 1999 24:00:00 GMT", "Fri, 31 Dec 1999 23:60:00 GMT", "Fri, 31 Dec 1999 23:59 GMT",
            "Fri, 31 Dec 99999 23:59:59 GMT", "Fri, 31 Dec 1969 23:59:59 GMT", "Friday, 31-Dec-1999 23:59:59 GMT",
            "GMT", ", , , , ,",
        ])
    func garbageAsksForNothing(field: String) {
        #expect(RetryAfter.parse(field, now: now) == nil)
    }

    @Test(
        "42: too much is held at a limit",
        arguments: [
            "1000000000", "99999999999999999999999999", "Fri, 31 Dec 2199 23:59:59 GMT",
        ])
    func hugeNumbersAreHeld(field: String) {
        #expect(RetryAfter.parse(field, now: now) == RetryAfter.longest)
    }

    @Test("42: a date ends no program, however far behind its clock is")
    func aClockThatIsFarBehind() {
        #expect(RetryAfter.parse("Fri, 31 Dec 2199 23:59:59 GMT", now: LogTime(nanoseconds: .min)) == RetryAfter.longest)
        #expect(RetryAfter.parse("Thu, 01 Jan 1970 00:00:00 GMT", now: LogTime(nanoseconds: .max)) == .zero)
    }

    @Test func aLeapDayIsADate() {
        #expect(RetryAfter.date("Thu, 29 Feb 2024 12:00:00 GMT") == LogTime(nanoseconds: 1_709_208_000 * 1_000_000_000))
        #expect(RetryAfter.date("Sat, 21 Nov 2026 10:50:00 GMT") == LogTime(nanoseconds: 1_795_258_200 * 1_000_000_000))
    }

    @Test func aDateIsMeasuredByTheReceiversOwnClock() {
        let ours = LogClock.manual(ManualClock(now: LogTime(nanoseconds: 5)))
        let dated = HTTPResponse(
            status: 503,
            headers: [
                HTTPHeader("Date", "Fri, 31 Dec 1999 23:59:29 GMT"),
                HTTPHeader("retry-after", "Fri, 31 Dec 1999 23:59:59 GMT"),
            ])
        #expect(RetryAfter.asked(by: dated, clock: ours) == .seconds(30))
        #expect(RetryAfter.asked(by: HTTPResponse(status: 503), clock: ours) == nil)
    }
}
