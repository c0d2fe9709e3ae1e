import LogbookCore
import LogbookTestKit

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A TCP server of this machine that keeps what it is sent.
final class FrameServer: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var open: [Int32] = []
        var connections = 0
        var endsAtOnce = false
        var isPaused = false
        var isOver = false
        var hasEnded = false
    }
    private let state = Monitor(State())
    let port: Int

    /// - Parameters:
    ///   - wanted: 0 for any free port.
    ///   - endsAtOnce: It closes each connection as soon as it has it.
    init(port wanted: Int = 0, endsAtOnce: Bool = false) {
        let listener = Unshared.socket(AF_INET)
        var yes: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = UInt16(wanted).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let failure = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, size) | getsockname(listener, $0, &size) }
        }
        precondition(failure == 0 && listen(listener, 16) == 0, "the test's server cannot listen, errno \(errno)")
        port = Int(UInt16(bigEndian: address.sin_port))
        let state = state
        state.withLock { $0.value.endsAtOnce = endsAtOnce }
        LogThread.start("frames") { Self.serve(listener, state) }
    }

    deinit { close() }

    private static func serve(_ listener: Int32, _ state: Monitor<State>) {
        var room = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let (open, isOver, isPaused) = state.withLock { ($0.value.open, $0.value.isOver, $0.value.isPaused) }
            if isOver { break }
            var entries = [pollfd(fd: listener, events: Int16(POLLIN), revents: 0)]
            if !isPaused { entries += open.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) } }
            guard poll(&entries, nfds_t(entries.count), 20) > 0 else { continue }
            if entries[0].revents != 0 {
                let connection = Unshared.accept(listener)
                state.withLock { access in
                    if access.value.endsAtOnce { _ = closeDescriptor(connection) } else { access.value.open.append(connection) }
                    access.value.connections += 1
                    access.broadcast()
                }
            }
            for entry in entries.dropFirst() where entry.revents != 0 {
                state.withLock { access in
                    guard access.value.open.contains(entry.fd) else { return }
                    let count = recv(entry.fd, &room, room.count, 0)
                    if count > 0 {
                        access.value.bytes += room[..<count]
                    } else {
                        access.value.open.removeAll { $0 == entry.fd }
                        _ = closeDescriptor(entry.fd)
                    }
                    access.broadcast()
                }
            }
        }
        _ = closeDescriptor(listener)
        state.withLock { access in
            for connection in access.value.open { _ = closeDescriptor(connection) }
            access.value.open = []
            access.value.hasEnded = true
            access.broadcast()
        }
    }

    var bytes: [UInt8] { state.withLock { $0.value.bytes } }
    var connections: Int { state.withLock { $0.value.connections } }

    /// Nothing more is read until it is taken back.
    func pause(_ isPaused: Bool) { state.withLock { $0.value.isPaused = isPaused } }

    /// Ends the connections there are, when what they sent is read.
    func closeConnections() {
        state.withLock { access in
            // Not the close alone: the thread that polls still holds what it closes.
            for connection in access.value.open {
                shutdown(connection, Int32(SHUT_RDWR))
                _ = closeDescriptor(connection)
            }
            access.value.open = []
        }
    }

    /// Listens no more.
    func close() {
        state.withLock { access in
            access.value.isOver = true
            access.broadcast()
            while !access.value.hasEnded { if !access.wait(until: .seconds(30)) { return } }
        }
    }

    /// Waits until it has had so many connections.
    func waitForConnections(_ count: Int) -> Bool {
        let deadline = LogDeadline.seconds(60)
        return state.withLock { access in
            while access.value.connections < count { if !access.wait(until: deadline) { return false } }
            return true
        }
    }

    /// Talks to whoever is connected, without a pause, until what was received is as expected.
    func talk(until isFine: ([UInt8]) -> Bool) -> Bool {
        let deadline = LogDeadline.seconds(60), words = [UInt8](repeating: 0x78, count: 1 << 16)
        #if canImport(Darwin)
            let flags = Int32(MSG_DONTWAIT)
        #else
            let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
        #endif
        while !deadline.hasPassed {
            let (bytes, open) = state.withLock { ($0.value.bytes, $0.value.open) }
            if isFine(bytes) { return true }
            for connection in open { _ = send(connection, words, words.count, flags) }
        }
        return false
    }

    /// Waits until what was received is as expected.
    func wait(until isFine: ([UInt8]) -> Bool) -> Bool {
        let deadline = LogDeadline.seconds(60)
        return state.withLock { access in
            while !isFine(access.value.bytes) { if !access.wait(until: deadline) { return false } }
            return true
        }
    }
}

/// close(2), which the type's own function hides.
private func closeDescriptor(_ descriptor: Int32) -> Int32 { close(descriptor) }
