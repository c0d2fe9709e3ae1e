import LogbookCore
import LogbookHTTP
import LogbookTestKit
import Testing
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

@Suite struct InheritedConnectionsTests {
    private func port(of descriptor: Int32, isPeer: Bool) -> UInt16? {
        var address = sockaddr_in(), size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let failure = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                isPeer ? getpeername(descriptor, $0, &size) : getsockname(descriptor, $0, &size)
            }
        }
        return failure == 0 && address.sin_family == sa_family_t(AF_INET) ? UInt16(bigEndian: address.sin_port) : nil
    }

    @Test func aProgramThatIsStartedInheritsNoConnection() async throws {
        let server = try LoopbackServer { _ in .status(200) }, transport = CurlTransport()
        _ = try await transport.send(HTTPRequest(url: server.url))
        let sockets = (0..<Int32(4096)).filter { descriptor in
            [false, true].contains { port(of: descriptor, isPeer: $0) == server.port }
        }
        // The listener, and both ends of the connection, which is kept.
        #expect(sockets.map { fcntl($0, F_GETFD) } == [FD_CLOEXEC, FD_CLOEXEC, FD_CLOEXEC])
        withExtendedLifetime(transport) {}
    }
}
