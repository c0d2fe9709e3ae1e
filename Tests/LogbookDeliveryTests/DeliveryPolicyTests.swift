import LogbookCore
import Testing

@testable import LogbookDelivery

@Suite struct DeliveryPolicyTests {
    @Test("41: pauses lie between the first and a ceiling that doubles up to the longest")
    func backoffGrowsAndIsBounded() {
        let policy = DeliveryPolicy(firstPause: .seconds(1), longestPause: .seconds(300))
        for (failures, ceiling) in [(1, 2), (2, 4), (3, 8), (8, 256), (9, 300), (10, 300), (1_000_000, 300)] {
            #expect(policy.backoff(afterFailures: failures, fraction: 0) == .seconds(1))
            #expect(policy.backoff(afterFailures: failures, fraction: 0.5) == .milliseconds(500 * (ceiling + 1)))
            #expect(policy.backoff(afterFailures: failures, fraction: 0.999_999_999) <= .seconds(ceiling))
        }
    }

    @Test(
        "42: what the receiver asks for is held within limits",
        arguments: [(0, 1), (1, 1), (5, 5), (3600, 3600), (1_000_000_000, 3600)])
    func askedPauses(asked: Int, pause: Int) {
        #expect(DeliveryPolicy().pause(asked: .seconds(asked)) == .seconds(pause))
    }
}
