internal import LogbookCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A TCP connection to this machine that says whatever bytes a test wants. No call waits for longer than two minutes.
package final class RawConnection {
    package struct Failure: Error { package let errno: Int32 }
    private let descriptor: Int32

    package init(port: Int) throws {
        descriptor = Unshared.socket(AF_INET)
        if descriptor < 0 { throw Failure(errno: errno) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var patience = timeval(tv_sec: 120, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
        }
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if connected != 0 {
            defer { close(descriptor) }
            throw Failure(errno: errno)
        }
    }

    deinit { close(descriptor) }

    /// Whether the other side has closed it; everything that it had said before is thrown away. Does not wait.
    package var isClosed: Bool {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            if count > 0 { continue }
            return count == 0 || errno != EAGAIN
        }
    }

    /// - Returns: False when the other side has gone.
    @discardableResult
    package func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool { Self.send(bytes, over: descriptor) }

    private static func send(_ bytes: [UInt8], over descriptor: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = write(descriptor, bytes, from: sent)
            if count <= 0 { return false }
            sent += count
        }
        return true
    }

    /// What comes next, as much as is there; nil when the connection was closed, or nothing has come for two minutes.
    package func receive() -> String? {
        let bytes = Self.receive(from: descriptor)
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    private static func receive(from descriptor: Int32) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return Array(bytes.prefix(max(0, count)))
    }

    /// Sends the bytes and reads one answer's beginning; empty when the connection was closed. Waits on a thread of its own,
    /// since the server needs those of Swift's pool.
    package func exchange(_ text: String) async -> String { await exchange(Array(text.utf8)) }

    package func exchange(_ bytes: [UInt8]) async -> String {
        let descriptor = descriptor
        return await onThread {
            _ = Self.send(bytes, over: descriptor)
            return String(decoding: Self.receive(from: descriptor), as: UTF8.self)
        }
    }

    /// Sends the bytes and reads whatever comes until the other side closes the connection, or nothing has come for two minutes.
    /// - Parameter isWhole: Says that nothing more will be sent, so that the other side closes the connection when it has answered.
    package func converse(_ bytes: [UInt8], isWhole: Bool) async -> (answer: String, isClosed: Bool) {
        let descriptor = descriptor
        return await onThread {
            _ = Self.send(bytes, over: descriptor)
            if isWhole { shutdown(descriptor, Int32(SHUT_WR)) }
            var all: [UInt8] = []
            var answer = [UInt8](repeating: 0, count: 4096)
            var count = 0
            repeat {
                count = recv(descriptor, &answer, answer.count, 0)
                all += answer.prefix(max(0, count))
            } while count > 0
            let isClosed = count == 0 || errno == ECONNRESET
            return (answer: String(decoding: all, as: UTF8.self), isClosed: isClosed)
        }
    }

    /// Sends the first text, and then the second again and again, until the other side closes the connection.
    /// - Returns: False when it has not after two minutes.
    package func trickle(_ first: String, _ again: String, every pause: Duration) async -> Bool {
        let descriptor = descriptor
        return await onThread {
            let limit = LogDeadline.seconds(120)
            var bytes = Array(first.utf8)
            var isClosed = false
            while !isClosed && !limit.hasPassed {
                isClosed = !Self.send(bytes, over: descriptor)
                bytes = Array(again.utf8)
                var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                if poll(&waiting, 1, Int32(pause.components.attoseconds / 1_000_000_000_000_000)) > 0 {
                    isClosed = Self.receive(from: descriptor).isEmpty
                }
            }
            return isClosed
        }
    }
}

/// send(2), which the type's own function hides; does not end the process when the other side has gone.
private func write(_ descriptor: Int32, _ bytes: [UInt8], from start: Int) -> Int {
    bytes.withUnsafeBytes { send(descriptor, $0.baseAddress! + start, bytes.count - start, Int32(MSG_NOSIGNAL)) }
}
