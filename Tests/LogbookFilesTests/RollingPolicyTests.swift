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

    private let now = LogTime(seconds: 1_763_720_960)

    /// Archives numbered from 1, closed a day apart, the last one a day ago.
    private func archives(_ bytes: [Int]) throws -> [KeptArchive] {
        let name = try LogFileName("app")
        return bytes.indices.map { index in
            let ended = now.adding(.seconds(-86_400 * (bytes.count - index)))
            let archive = ArchiveName(number: UInt64(index + 1), rolledAt: ended, of: name)
            return KeptArchive(number: archive.number, names: [archive], bytes: bytes[index], ended: ended)
        }
    }
    private func superfluous(_ policy: RollingPolicy, _ bytes: [Int]) throws -> [UInt64] {
        try policy.superfluous(archives(bytes), now: now).map(\.archive.number)
    }

    @Test("R1: the oldest beyond the number are superfluous")
    func number() throws {
        #expect(try superfluous(RollingPolicy(maximumArchives: 3), [1, 1, 1, 1]) == [1])
        #expect(try superfluous(RollingPolicy(maximumArchives: 4), [1, 1, 1, 1]).isEmpty)
    }

    @Test("R3: with no limit nothing is superfluous")
    func noLimit() throws {
        #expect(try superfluous(RollingPolicy(maximumArchives: 0), Array(repeating: 50 << 20, count: 100)).isEmpty)
    }

    @Test("R4: the oldest beyond the bytes are superfluous, the newest never")
    func bytes() throws {
        let policy = RollingPolicy(maximumArchives: 0, maximumTotalBytes: 100)
        #expect(try superfluous(policy, [10, 40, 30, 30]) == [1])
        #expect(try superfluous(policy, [40, 30, 30]).isEmpty)
        #expect(try superfluous(policy, [10, 500]) == [1])
        #expect(try superfluous(policy, [500]).isEmpty)
    }

    @Test("R5: what is older than the age is superfluous")
    func age() throws {
        let policy = RollingPolicy(maximumArchives: 0, maximumAge: .seconds(2 * 86_400))
        #expect(try superfluous(policy, [1, 1, 1, 1]) == [1, 2])
        #expect(try policy.nextDeletion(of: archives([1])) == now.adding(.seconds(86_400)).adding(.nanoseconds(1)))
    }

    @Test(
        "R5: an age of centuries makes nothing old",
        arguments: [(.seconds(86_400), [1]), (.seconds(240 * 366 * 86_400), []), (.seconds(Int64.max), [])]
            as [(age: Duration, old: [UInt64])])
    func longAge(age: Duration, old: [UInt64]) throws {
        let policy = RollingPolicy(maximumArchives: 0, maximumAge: age)
        #expect(try superfluous(policy, [1, 1]) == old)
        let next = try #require(try policy.nextDeletion(of: archives([1])))
        #expect(next > now)
    }

    @Test("the limits work together, and each archive has one reason")
    func together() throws {
        let policy = RollingPolicy(maximumArchives: 3, maximumTotalBytes: 100, maximumAge: .seconds(86_400))
        let reasons = try policy.superfluous(archives([1, 1, 90, 20]), now: now).map(\.reason)
        #expect(reasons == [.maximumArchives, .maximumTotalBytes, .maximumTotalBytes])
    }

    @Test("R8: what awaits delivery is touched by its own limit alone, and then also the newest")
    func undelivered() throws {
        var policy = RollingPolicy(
            maximumArchives: 1, maximumTotalBytes: 1, maximumAge: .seconds(1), awaitsDelivery: true,
            maximumUndeliveredBytes: 100)
        #expect(try superfluous(policy, [60, 50, 50]) == [1])
        #expect(try superfluous(policy, [500]) == [1])
        policy.maximumUndeliveredBytes = 0
        #expect(try superfluous(policy, [500, 500]).isEmpty)
        #expect(RollingPolicy().maximumUndeliveredBytes == 1 << 30)
    }
}
