#if Collector
    @testable import LogbookCollector
    import Testing

    @Suite struct BodyPaceTests {
        private let limits = ConnectionLimits()
        private static let second: Int64 = 1_000_000_000

        /// Looks once a second, for so long at most, at a body of which so much comes in each second.
        /// - Returns: After how many seconds it was given up; nil when it was not.
        private func giveUp(_ pace: inout BodyPace, seconds: Int, _ bytes: (_ second: Int) -> Int) -> Int? {
            for second in 1...seconds {
                pace.wait(Self.second)
                pace.take(bytes(second))
                if pace.fault(limits) != nil { return second }
            }
            return nil
        }

        @Test func whatNeverComesIsGivenUpAfterTheGrace() {
            var pace = BodyPace()
            #expect(pace.fault(waiting: 5 * Self.second, limits) == nil)
            #expect(pace.fault(waiting: 6 * Self.second, limits)?.contains("too slowly") == true)
        }

        @Test("1 MiB at once buys no more than a window, and not 17 minutes")
        func aBurstBuysLittle() {
            var pace = BodyPace()
            pace.take(1 << 20)
            let end = giveUp(&pace, seconds: 1000) { _ in 1 } ?? 1000
            #expect((20...40).contains(end), "\(end)")
        }

        @Test func whoIsSlowAndSteadyIsNotGivenUp() {
            var pace = BodyPace()
            let end = giveUp(&pace, seconds: 3600) { _ in 1024 }
            #expect(end == nil)
        }

        @Test("a link that is gone for twenty seconds a minute ends nothing")
        func aLinkMayBeGoneForAWhile() {
            var pace = BodyPace()
            let end = giveUp(&pace, seconds: 3600) { $0 % 60 < 40 ? 8 << 10 : 0 }
            #expect(end == nil)
        }

        @Test func noBodyIsWaitedForWithoutEnd() {
            var pace = BodyPace()
            let end = giveUp(&pace, seconds: 20_000) { _ in 64 << 10 }
            #expect(end == 4 * 3600 + 1)
            #expect(pace.fault(limits)?.contains("too long") == true)
        }

        @Test func whileNobodyWaitsNoTimePasses() {
            var pace = BodyPace()
            for _ in 0..<1000 {
                pace.take(1)
                #expect(pace.fault(limits) == nil)
            }
        }
    }
#endif
