@testable import LogbookCollector
import Testing

@Suite struct SenderAddressTests {
    @Test(
        "S19: whoever has an address of IPv6 has 2^64 of them, which are one sender",
        arguments: [
            ("2001:db8:1:2::7", "2001:db8:1:2:ffff:ffff:ffff:ffff", true), ("2001:db8:1:2::7", "2001:db8:1:3::7", false),
            ("192.0.2.7", "192.0.2.7", true), ("192.0.2.7", "192.0.2.8", false), ("::ffff:192.0.2.7", "192.0.2.7", true),
            ("::ffff:192.0.2.7", "::ffff:192.0.2.8", false),
        ])
    func senders(one: String, other: String, isSame: Bool) {
        #expect((SenderAddress(one) == SenderAddress(other)) == isSame)
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("127.1.2.3", true), ("::1", true), ("::ffff:127.0.0.1", true), ("::2", false), ("10.0.0.1", false),
        ("fe80::1%eth0", false), ("", false),
    ])
    func thisMachine(text: String, isThisMachine: Bool) { #expect(SenderAddress(text).isThisMachine == isThisMachine) }
}
