#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Ports of 127.0.0.1 for servers that cannot take any free one.
package enum FreePorts {
    /// Below those that the system gives to connections and to whoever asks for any port: nobody gets one of these by chance
    /// between the look at it and the server's start.
    private static let range: ClosedRange<UInt16> = 12_000...31_999

    /// Different ports, free for TCP and UDP at the moment.
    package static func take(_ count: Int) throws -> [UInt16] {
        var found: [UInt16] = []
        for _ in 0..<10_000 where found.count < count {
            let port = UInt16.random(in: range)
            if !found.contains(port), isFree(port, isStream: true), isFree(port, isStream: false) { found.append(port) }
        }
        guard found.count == count else { throw ScriptedFailure("this machine has no \(count) free ports") }
        return found
    }

    private static func isFree(_ port: UInt16, isStream: Bool) -> Bool {
        let descriptor = Unshared.socket(AF_INET, isStream: isStream)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
