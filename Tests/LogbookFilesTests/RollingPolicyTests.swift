import LogbookCore
import Testing

@testable import LogbookFiles

@Suite struct RollingPolicyTests {
    @Test(arguments: [
        (current: 0, event: 999, rolls: false),  // an empty file takes any event
        (current: 90, event: 10, rolls: false),  // exactly full is not too full
        (current: 90, event: 11, rolls: true),
        (current: 500, event: 1, rolls: true),  // a file from before the limit was lowered
    ])
    func rollsOnlyWhenTheEventWouldCrossTheLimit(current: Int, event: Int, rolls: Bool) {
        #expect(RollingPolicy(maximumBytes: 100).rolls(before: event, into: current) == rolls)
    }

    @Test func theOldestArchivesBeyondTheLimitAreSuperfluous() throws {
        let name = try LogFileName("app")
        let archives = [3, 1, 4, 2].map {
            ArchiveName(number: $0, rolledAt: .init(nanoseconds: Int64(10 - $0) * 1_000_000_000), of: name)
        }
        #expect(RollingPolicy(maximumArchives: 3).superfluous(archives).map(\.number) == [1])
        #expect(RollingPolicy(maximumArchives: 4).superfluous(archives).isEmpty)
    }

    @Test("R3: with no limit nothing is superfluous") func noLimit() throws {
        let name = try LogFileName("app")
        let archives = (1...100).map { ArchiveName(number: $0, rolledAt: .init(nanoseconds: 0), of: name) }
        #expect(RollingPolicy(maximumArchives: 0).superfluous(archives).isEmpty)
    }
}
