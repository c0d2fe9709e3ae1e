import LogbookCore
import Testing

@Suite struct LogTimeTests {
    @Test(arguments: [
        (nanoseconds: 0, second: 0, rest: 0), (nanoseconds: -1, second: -1, rest: 999_999_999),
        (nanoseconds: -1_000_000_000, second: -1, rest: 0), (nanoseconds: 1_500_000_000, second: 1, rest: 500_000_000),
        (nanoseconds: Int64.min, second: -9_223_372_037, rest: 145_224_192),
        (nanoseconds: Int64.max, second: 9_223_372_036, rest: 854_775_807),
    ] as [(nanoseconds: Int64, second: Int64, rest: Int64)])
    func everyMomentHasASecondAndARest(nanoseconds: Int64, second: Int64, rest: Int64) {
        let time = LogTime(nanoseconds: nanoseconds)
        #expect(time.wholeSeconds == second)
        #expect(time.nanosecondOfSecond == rest)
    }

    @Test("a moment says itself as people write it", arguments: [
        (0, "1970-01-01T00:00:00Z"), (1_796_108_650_806_585_181, "2026-12-01T07:04:10.806585181Z"), (-1, "1969-12-31T23:59:59.999999999Z"),
        (1_500_000_000, "1970-01-01T00:00:01.5Z"), (951_782_400_000_001_000, "2000-02-29T00:00:00.000001Z"),
        (.min, "1677-09-21T00:12:43.145224192Z"), (.max, "2262-04-11T23:47:16.854775807Z"),
    ] as [(Int64, String)])
    func words(nanoseconds: Int64, text: String) { #expect("\(LogTime(nanoseconds: nanoseconds))" == text) }

    @Test(arguments: [
        (from: 5, span: .nanoseconds(-7), to: -2),
        (from: 1_763_720_960_000_000_000, span: .seconds(240 * 366 * 86_400), to: Int64.max),
        (from: Int64.max, span: .nanoseconds(1), to: Int64.max), (from: 1, span: .seconds(Int64.max), to: Int64.max),
        (from: Int64.min, span: .nanoseconds(-1), to: Int64.min), (from: -1, span: .seconds(Int64.min), to: Int64.min),
    ] as [(from: Int64, span: Duration, to: Int64)])
    func aSpanThatLeadsOutOfTimeLeadsToItsEnd(from: Int64, span: Duration, to: Int64) {
        #expect(LogTime(nanoseconds: from).adding(span) == LogTime(nanoseconds: to))
    }

    @Test(arguments: [
        (1.5, 1_500_000_000), (-1.000_001, -1_000_001_000), (.nan, 0), (.infinity, 9_223_372_036_854_774_000),
        (1e30, 9_223_372_036_854_774_000), (-.infinity, -9_223_372_036_854_774_000), (-1e30, -9_223_372_036_854_774_000),
    ] as [(seconds: Double, nanoseconds: Int64)])
    func secondsThatLeadOutOfTimeLeadToItsEnd(seconds: Double, nanoseconds: Int64) {
        #expect(LogTime(seconds: seconds).nanoseconds == nanoseconds)
    }

    @Test func aSpanOfMoreHoursThanThereAreIsAsLongAsThereIs() {
        #expect(Duration.minutes(2) == .seconds(120) && Duration.hours(-3) == .seconds(-10_800))
        #expect(Duration.hours(Int.max) == .seconds(Int64.max) && Duration.minutes(UInt64.max) == .seconds(Int64.max))
        #expect(Duration.hours(Int.min) == .seconds(Int64.min))
    }
}
