internal import LogbookCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// What listens on a datagram socket and keeps everything: the journal's side, or a syslog server's.
package final class FakeSystemLog: Sendable {
    package struct Message: Sendable {
        package let bytes: [UInt8]
        /// Whether it came as a descriptor of a file in memory.
        package let isFile: Bool
        /// The seals of that file.
        package let seals: Int32
    }
    private struct State {
        var messages: [Message] = []
        var isPaused = false
        var isOver = false
        var hasEnded = false
    }
    private let state: Monitor<State>
    private let descriptor: Int32
    /// 0 for a Unix socket.
    package let port: Int

    /// A Unix socket at a path, made anew.
    /// - Parameter isPaused: From the first message on; see ``pause(_:)``.
    package init(at path: String, isPaused: Bool = false) {
        unlink(path)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let descriptor = Unshared.socket(AF_UNIX, isStream: false), size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let failure = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
        }
        precondition(failure == 0, "the test's socket cannot be bound, errno \(errno)")
        state = Monitor(State(isPaused: isPaused))
        self.descriptor = descriptor
        port = 0
        start()
    }

    /// A UDP socket of this machine.
    package init() {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let descriptor = Unshared.socket(AF_INET, isStream: false)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let failure = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) | getsockname(descriptor, $0, &size)
            }
        }
        precondition(failure == 0, "the test's socket cannot be bound, errno \(errno)")
        state = Monitor(State())
        self.descriptor = descriptor
        port = Int(UInt16(bigEndian: address.sin_port))
        start()
    }

    deinit { stop() }

    private func start() {
        let state = state, descriptor = descriptor
        LogThread.start("fake-syslog") {
            var room = [UInt8](repeating: 0, count: 1 << 20)
            while true {
                let isOver = state.withLock { access in
                    while access.value.isPaused, !access.value.isOver { access.wait() }
                    return access.value.isOver
                }
                if isOver { break }
                var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                guard poll(&entry, 1, 20) > 0 else { continue }
                guard let message = Self.receive(descriptor, &room) else { continue }
                state.withLock { access in
                    access.value.messages.append(message)
                    access.broadcast()
                }
            }
            // A child that another test has forked may hold the socket a moment longer.
            _ = shutdown(descriptor, Int32(SHUT_RDWR))
            close(descriptor)
            state.withLock { access in
                access.value.hasEnded = true
                access.broadcast()
            }
        }
    }

    private static func receive(_ descriptor: Int32, _ room: inout [UInt8]) -> Message? {
        var control = [UInt64](repeating: 0, count: 8)
        let (count, controlBytes) = room.withUnsafeMutableBytes { room in
            control.withUnsafeMutableBytes { control in
                var part = iovec(iov_base: room.baseAddress, iov_len: room.count)
                return withUnsafeMutablePointer(to: &part) { part in
                    var header = msghdr()
                    header.msg_iov = part
                    header.msg_iovlen = 1
                    header.msg_control = control.baseAddress
                    header.msg_controllen = numericCast(control.count)
                    let count = recvmsg(descriptor, &header, 0)
                    return (count, Int(header.msg_controllen))
                }
            }
        }
        guard count >= 0 else { return nil }
        guard controlBytes > 0 else { return Message(bytes: Array(room[..<count]), isFile: false, seals: 0) }
        let file = control.withUnsafeBytes { $0.load(fromByteOffset: MemoryLayout<cmsghdr>.size, as: Int32.self) }
        defer { close(file) }
        var bytes: [UInt8] = []
        while true {
            let count = pread(file, &room, room.count, off_t(bytes.count))
            if count <= 0 { break }
            bytes += room[..<count]
        }
        return Message(bytes: bytes, isFile: true, seals: fcntl(file, 1034 /* F_GET_SEALS */))
    }

    /// No more is taken out of the socket until it is taken back.
    package func pause(_ isPaused: Bool) {
        state.withLock { access in
            access.value.isPaused = isPaused
            access.broadcast()
        }
    }

    /// Closes the socket.
    package func stop() {
        state.withLock { access in
            access.value.isOver = true
            access.broadcast()
            while !access.value.hasEnded { if !access.wait(until: .seconds(30)) { return } }
        }
    }

    package var messages: [Message] { state.withLock { $0.value.messages } }

    /// Waits until there are so many.
    package func messages(_ count: Int) -> [Message] {
        let deadline = LogDeadline.seconds(60)
        return state.withLock { access in
            while access.value.messages.count < count, access.wait(until: deadline) {}
            return access.value.messages
        }
    }
}
