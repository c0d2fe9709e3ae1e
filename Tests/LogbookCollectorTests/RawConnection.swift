import LogbookCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A TCP connection to this machine that says whatever bytes a test wants.
final class RawConnection {
    private let descriptor: Int32
    struct Failure: Error { let errno: Int32 }

    init(port: Int) throws {
        #if canImport(Glibc)
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if connected != 0 { throw Failure(errno: errno) }
        var patience = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// Whether the other side has closed it, as far as is known by now.
    var isClosed: Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        return count == 0 || count < 0 && errno == ECONNRESET
    }

    /// Sends the bytes and reads one answer's beginning; empty when the connection was closed. Waits on a thread of its own,
    /// since the server needs those of Swift's pool.
    func exchange(_ text: String) async -> String { await exchange(Array(text.utf8)) }

    func exchange(_ bytes: [UInt8]) async -> String {
        let descriptor = descriptor
        return await withCheckedContinuation { continuation in
            LogThread.start("raw") {
                _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
                var answer = [UInt8](repeating: 0, count: 4096)
                let count = recv(descriptor, &answer, answer.count, 0)
                continuation.resume(returning: String(decoding: answer.prefix(max(0, count)), as: UTF8.self))
            }
        }
    }

    /// Sends the bytes and reads whatever comes until the other side closes the connection, for at most half a minute.
    /// - Parameter isWhole: Says that nothing more will be sent, so that the other side closes the connection when it has answered.
    func converse(_ bytes: [UInt8], isWhole: Bool) async -> (answer: String, isClosed: Bool) {
        let descriptor = descriptor
        return await withCheckedContinuation { continuation in
            LogThread.start("raw") {
                _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
                if isWhole { shutdown(descriptor, Int32(SHUT_WR)) }
                var all: [UInt8] = []
                var answer = [UInt8](repeating: 0, count: 4096)
                var count = 0
                repeat {
                    count = recv(descriptor, &answer, answer.count, 0)
                    all += answer.prefix(max(0, count))
                } while count > 0
                let isClosed = count == 0 || errno == ECONNRESET
                continuation.resume(returning: (String(decoding: all, as: UTF8.self), isClosed))
            }
        }
    }

    /// Sends the first text, and then the second again and again, until the other side closes the connection.
    /// - Returns: False when it has not after half a minute.
    func trickle(_ first: String, _ again: String, every pause: Duration) async -> Bool {
        let descriptor = descriptor
        return await withCheckedContinuation { continuation in
            LogThread.start("trickle") {
                let limit = LogDeadline.seconds(30)
                var bytes = Array(first.utf8)
                var isClosed = false
                while !isClosed && !limit.hasPassed {
                    isClosed = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) < 0
                    bytes = Array(again.utf8)
                    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                    if poll(&waiting, 1, Int32(pause.components.attoseconds / 1_000_000_000_000_000)) > 0 {
                        var answer = [UInt8](repeating: 0, count: 4096)
                        isClosed = recv(descriptor, &answer, answer.count, 0) <= 0
                    }
                }
                continuation.resume(returning: isClosed)
            }
        }
    }
}
