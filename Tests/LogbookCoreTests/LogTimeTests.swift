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
}
