#if Collector
    @testable import LogbookCollector
    import LogbookCore
    import Testing

    @Suite struct ClockDoubtTests {
        private static let start = 1_700_000_000.0

        /// One look after another.
        /// - Parameter looks: The hours that have passed at each, and by how many hours the wall clock is wrong.
        private func verdicts(_ looks: [(passed: Double, wrong: Double)]) -> [ClockDoubt.Verdict] {
            var doubt = ClockDoubt()
            return looks.map { look -> ClockDoubt.Verdict in
                let wall = LogTime(seconds: Self.start + (look.passed + look.wrong) * 3600)
                return doubt.look(at: wall, uptime: UInt64((1 + look.passed) * 3600) * 1_000_000_000)
            }
        }

        @Test func theFirstLookAndWhatATimeServerCorrectsAreBelieved() {
            let found = verdicts([(0, 100_000), (2, 100_023), (3, 100_046), (4, 0), (5, -50_000), (100, -50_000), (101, -49_977)])
            #expect(found.allSatisfy { $0 == .believed }, "\(found)")
        }

        @Test func aJumpIsDoubtedForADayAndOnceToldOf() {
            let expected: [ClockDoubt.Verdict] = [
                .believed, .doubted(days: 2, isNew: true), .doubted(days: 2, isNew: false), .doubted(days: 2, isNew: false),
                .doubted(days: 2, isNew: false), .believed, .believed,
            ]
            #expect(verdicts([(0, 0), (1, 48), (2, 48), (24, 50), (24.5, 48), (25, 48), (26, 48)]) == expected)
        }

        @Test func aClockThatIsSetRightIsBelievedAtOnceAndTheNextJumpDoubtedAnew() {
            let expected: [ClockDoubt.Verdict] = [
                .believed, .doubted(days: 10, isNew: true), .believed, .doubted(days: 10, isNew: true),
                .doubted(days: 10, isNew: false), .believed,
            ]
            #expect(verdicts([(0, 0), (1, 240), (2, 0), (3, 240), (26, 240), (27, 240)]) == expected)
        }

        @Test func aSecondJumpIsDoubtedForADayOfItsOwn() {
            let expected: [ClockDoubt.Verdict] = [
                .believed, .doubted(days: 10, isNew: true), .doubted(days: 20, isNew: true), .doubted(days: 20, isNew: false),
                .doubted(days: 20, isNew: false), .believed,
            ]
            #expect(verdicts([(0, 0), (1, 240), (20, 480), (26, 480), (43, 480), (44, 480)]) == expected)
        }
    }
#endif
