#if Collector
    @testable import LogbookCollector
    import LogbookCore
    import Testing

    @Suite struct ClientTimesTests {
        @Test("S31: a time is far off from one microsecond beyond a week, in either direction")
        func theWindowEnds() {
            let now = LogTime(seconds: 1_500_000_000), week = Duration.seconds(7 * 86_400)
            func times(_ offset: Duration) -> [Int] {
                let times = ClientTimes([now.adding(offset)], now: now)
                return [times.past, times.future]
            }
            #expect(times(.zero) == [0, 0])
            #expect(times(week) == [0, 0])
            #expect(times(week + .microseconds(1)) == [0, 1])
            #expect(times(.zero - week) == [0, 0])
            #expect(times(.zero - week - .microseconds(1)) == [1, 0])
            for extreme in [LogTime.distantPast, .distantFuture] {
                #expect(ClientTimes([extreme], now: extreme) == ClientTimes())
            }
            #expect(ClientTimes([.distantPast, .distantFuture], now: now).past == 1)
        }
    }
#endif
