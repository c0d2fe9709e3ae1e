internal import CLogbookSystem
internal import LogbookCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A connected socket, closed when it is let go.
final class SystemSocket: SystemLogConnection {
    let descriptor: Int32
    /// Whether the kernel may say afterwards that nobody takes what was sent.
    private let hearsRefusals: Bool

    private init(_ descriptor: Int32, hearsRefusals: Bool) {
        self.descriptor = descriptor
        self.hearsRefusals = hearsRefusals
    }
    deinit { close(descriptor) }

    // MARK: Connecting

    /// A datagram socket of this machine.
    static func local(_ path: String) throws(SystemError) -> SystemSocket {
        let socket = try open(AF_UNIX, Self.datagram, 0)
        let failure = logbook_connect_local(socket.descriptor, path)
        if failure != 0 { throw SystemError(failure, in: "connect") }
        return socket
    }

    /// The first address of a host that can be connected to, or where datagrams were refused, the first behind those. Each has an equal
    /// share of the time that is left when its turn comes, so that one which says nothing does not take it from those behind it.
    static func remote(
        _ lookup: HostLookup, after refusals: DatagramRefusals = DatagramRefusals(), by deadline: LogDeadline
    ) throws -> SystemSocket {
        let addresses = refusals.rest(of: try lookup.addresses(by: deadline))
        var failure = refusals.inARow > 0 ? SystemError(ECONNREFUSED, in: "send") : SystemError(EHOSTUNREACH, in: "getaddrinfo")
        for (place, address) in addresses.enumerated() {
            let share = deadline.remaining.map { LogDeadline.after($0 / (addresses.count - place)) } ?? deadline
            do throws(SystemError) {
                let socket = try open(address.family, address.kind, address.number)
                try socket.connect(address, by: share)
                return socket
            } catch { failure = error }
        }
        throw failure
    }

    private static func open(_ family: Int32, _ kind: Int32, _ number: Int32) throws(SystemError) -> SystemSocket {
        let descriptor = logbook_socket(family, kind, number)
        guard descriptor >= 0 else { throw SystemError(errno, in: "socket") }
        let socket = SystemSocket(descriptor, hearsRefusals: family != AF_UNIX && kind == Self.datagram)
        guard fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else { throw SystemError(errno, in: "fcntl") }
        #if canImport(Darwin)
            var yes: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
        #endif
        return socket
    }

    private func connect(_ address: HostLookup.Address, by deadline: LogDeadline) throws(SystemError) {
        let failure = address.bytes.withUnsafeBytes { bytes -> Int32 in
            let place = bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
            return connectSocket(descriptor, place, socklen_t(bytes.count)) == 0 ? 0 : errno
        }
        if failure == 0 { return }
        guard failure == EINPROGRESS else { throw SystemError(failure, in: "connect") }
        guard wait(for: POLLOUT, by: deadline) else { throw SystemError(ETIMEDOUT, in: "connect") }
        var outcome: Int32 = 0, size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &outcome, &size) == 0 else { throw SystemError(errno, in: "getsockopt") }
        if outcome != 0 { throw SystemError(outcome, in: "connect") }
    }

    // MARK: Sending

    /// Sends what there is room for at once.
    /// - Returns: How many bytes that are.
    /// - Throws: `ECONNREFUSED` where nobody takes datagrams. On this machine that is known at once, and elsewhere with a later one.
    func send(_ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int {
        while true {
            let count = sendBytes(descriptor, bytes.baseAddress, bytes.count, Self.noSignal)
            if count >= 0 {
                if hearsRefusals, let failure = takeFailure() { throw failure }
                return count
            }
            if errno != EINTR { throw SystemError(errno, in: "send") }
        }
    }

    private func takeFailure() -> SystemError? {
        var number: Int32 = 0, size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &size) == 0, number != 0 else { return nil }
        return SystemError(number, in: "send")
    }

    /// The kernel sees to it, as nobody has sent us anything.
    func finish(by deadline: LogDeadline) {}

    /// How often what has come is read before a message goes: a peer that never stops sending would hold it up for ever.
    private static let mostReads = 64

    /// Whether the other end has closed the connection: what is sent now would be lost.
    var isClosedByPeer: Bool {
        withUnsafeTemporaryAllocation(byteCount: 512, alignment: 1) { room in
            for _ in 0..<Self.mostReads {
                let count = recv(descriptor, room.baseAddress, room.count, 0)
                if count > 0 { continue }   // nobody answers to syslog; what comes all the same is not ours
                if count == 0 { return true }
                if errno == EINTR { continue }
                return errno != EAGAIN && errno != EWOULDBLOCK
            }
            return false
        }
    }

    #if canImport(Darwin)
        private static var noSignal: Int32 { 0 }
        static var datagram: Int32 { SOCK_DGRAM }
        static var stream: Int32 { SOCK_STREAM }
    #elseif canImport(Glibc)
        private static var noSignal: Int32 { Int32(MSG_NOSIGNAL) }
        static var datagram: Int32 { Int32(SOCK_DGRAM.rawValue) }
        static var stream: Int32 { Int32(SOCK_STREAM.rawValue) }
    #else
        private static var noSignal: Int32 { Int32(MSG_NOSIGNAL) }
        static var datagram: Int32 { SOCK_DGRAM }
        static var stream: Int32 { SOCK_STREAM }
    #endif
}

// connect(2) and send(2), which the type's own functions hide.
private func connectSocket(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ size: socklen_t) -> Int32 {
    connect(descriptor, address, size)
}
private func sendBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
    send(descriptor, bytes, count, flags)
}
