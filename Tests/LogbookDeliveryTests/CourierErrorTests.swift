import LogbookDelivery
import Testing

@Suite struct CourierErrorTests {
    @Test("what waits is said in words that are right for one as well", arguments: [
        (.deadlinePassed(pending: 1, reason: nil), "1 entry had not been delivered when the deadline passed"),
        (.deadlinePassed(pending: 2, reason: "500"), "2 entries had not been delivered when the deadline passed; the latest answer: 500"),
        (.misconfigured(pending: 1, reason: "401"), "the receiver refuses us: 401; 1 entry is kept, correct the token or the address"),
        (.misconfigured(pending: 2, reason: "401"), "the receiver refuses us: 401; 2 entries are kept, correct the token or the address"),
        (.heldBack(pending: 1, reason: "metered"), "1 entry is held back until the conditions hold: metered"),
        (.heldBack(pending: 2, reason: "metered"), "2 entries are held back until the conditions hold: metered"),
        (.stopped(pending: 1), "the courier was shut down; 1 entry stays with its source"),
        (.stopped(pending: 0), "the courier was shut down; 0 entries stay with their source"),
    ] as [(CourierError, String)])
    func countsInWords(error: CourierError, text: String) { #expect(error.description == text) }
}
