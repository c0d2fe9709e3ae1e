#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// What is counted as one sender: an address of IPv4, or the first half of one of IPv6, of which whoever has one has all.
struct SenderAddress: Sendable, Hashable {
    /// `192.0.2.7`, or `20010db800010002/64`.
    let name: String
    /// Whether it is the machine that the collector runs on.
    let isThisMachine: Bool

    /// - Parameter text: As a socket says it, without a port.
    init(_ text: String) {
        let name = Self.name(text)
        self.name = name
        isThisMachine = name.hasPrefix("127.") || text == "::1"
    }

    private static func name(_ text: String) -> String {
        var address = in6_addr()
        guard inet_pton(AF_INET6, text, &address) == 1 else { return text }
        let bytes = withUnsafeBytes(of: address) { Array($0) }
        // One of IPv4 as a socket for both kinds says it: ::ffff:192.0.2.7
        if bytes[..<10].allSatisfy({ $0 == 0 }) && bytes[10] == 0xFF && bytes[11] == 0xFF {
            return bytes[12...].map { String($0) }.joined(separator: ".")
        }
        return bytes[..<8].map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() + "/64"
    }
}
