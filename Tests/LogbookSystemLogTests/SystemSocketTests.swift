import LogbookCore
import LogbookTestKit
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@testable import LogbookSystemLog

@Suite struct SystemSocketTests {
    private static func addresses(_ port: Int) throws -> [HostLookup.Address] {
        try HostLookup("127.0.0.1", port, isStream: true, clock: .system).addresses(by: .now)
    }

    private static func lookup(_ addresses: [HostLookup.Address]) -> HostLookup {
        HostLookup(clock: .system) { () throws(SystemError) in addresses }
    }

    /// A listener of this machine that accepts nobody, with room for one.
    private static func silentListener() throws -> (descriptor: Int32, port: Int) {
        let listener = Unshared.socket(AF_INET)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let failure = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, size) | getsockname(listener, $0, &size) }
        }
        try #require(failure == 0 && listen(listener, 0) == 0, "errno \(errno)")
        return (listener, Int(UInt16(bigEndian: address.sin_port)))
    }

    @Test("an address that does not answer takes its own share of the time, and the next one is tried")
    func anAddressThatDoesNotAnswer() throws {
        let (listener, port) = try Self.silentListener()
        defer { close(listener) }
        let silent = try Self.addresses(port), server = FrameServer()
        // Whoever finds room is kept there; the next one waits in vain.
        var waiting: [SystemSocket] = []
        while waiting.count < 8, let socket = try? SystemSocket.remote(Self.lookup(silent), by: .milliseconds(50)) {
            waiting.append(socket)
        }
        #expect(waiting.count < 8)

        let answering = try Self.addresses(server.port), deadline = LogDeadline.seconds(10)
        let all = silent + Array(repeating: answering, count: 99).flatMap { $0 }
        let socket = try SystemSocket.remote(Self.lookup(all), by: deadline)
        #expect(!deadline.hasPassed)
        #expect(server.waitForConnections(1))
        withExtendedLifetime((socket, waiting)) {}
    }
}
