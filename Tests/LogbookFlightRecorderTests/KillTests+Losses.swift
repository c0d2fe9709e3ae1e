#if canImport(Glibc)
    import Glibc
    import LogbookCore
    import LogbookTestKit
    import Testing

    @testable import LogbookFlightRecorder

    extension KillTests {
        private static let rounds = 60
        private static let losers = 3
        /// As the victim's queue has it.
        private static let batch = 16

        @Test("60 random kills: the next run knows how many events are lost")
        func killedWithAFullQueue() async throws {
            let (lost, exact) = try await onThread { try Self.killLosers() }
            print("kills: \(lost) events lost in \(Self.rounds) rounds; the largest number that was told was the true one in \(exact)")
            // Otherwise the rounds would have proved nothing.
            #expect(lost > 1000 && exact > Self.rounds / 2)
        }

        /// - Returns: Events that were lost, and in how many rounds the largest number that was told was the true one, but for a batch that
        ///   was being written: nobody else hears the events. One that is killed while it hands events to the queue counts those twice.
        private static func killLosers() throws -> (lost: Int, exact: Int) {
            let folder = TemporaryFolder(inMemory: true), random = LogRandomness.seeded(5)
            var lost = 0, exact = 0, missing: ClosedRange<Int>?
            for round in 0...rounds {
                let victim = try Victim(ring: folder("record"), threads: losers, written: folder("written \(round)"))
                var lines = victim.waitForLines()
                if lines.allSatisfy({ $0.hasPrefix("lost") }) { lines += victim.waitForLines() }   // it says that first
                usleep(UInt32(random.next() % 8000) + (round % 10 == 0 ? 50_000 : 0))
                lines += victim.killAndDrainLines()
                let told = lines.filter { $0.hasPrefix("lost") }
                try #require(lines.count > told.count, "round \(round): the victim never came to log")
                if let missing {
                    let numbers = told.first.map { $0.split(separator: " ").dropFirst().compactMap { Int($0) } } ?? [0, 0]
                    let isTrue = numbers[0] <= missing.upperBound && numbers[1] >= missing.lowerBound
                    #expect(isTrue, "round \(round): \(told), \(missing) are missing")
                    if numbers[1] <= missing.upperBound + batch { exact += 1 }
                    lost += missing.lowerBound
                }
                // A call that has not returned may have said its event.
                let acknowledged = lines.count - told.count, written = folder.text("written \(round)").split(separator: "\n").count
                missing = max(0, acknowledged - written)...max(0, acknowledged + losers - written)
            }
            return (lost, exact)
        }
    }
#endif
