#if Collector && canImport(Glibc)
    import Glibc
    import LogbookCore

    /// A TCP connection to this machine that says whatever bytes a test wants. No call waits for longer than half a minute.
    final class Connection {
        struct Failure: Error { let errno: Int32 }
        private let descriptor: Int32

        init(port: Int) throws {
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            if descriptor < 0 { throw Failure(errno: errno) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(port).bigEndian
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            var patience = timeval(tv_sec: 30, tv_usec: 0)
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

        /// - Returns: False when the other side has gone.
        @discardableResult
        func send(_ text: String) -> Bool { send(Array(text.utf8)) }

        @discardableResult
        func send(_ bytes: [UInt8]) -> Bool {
            var sent = 0
            while sent < bytes.count {
                let count = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL)) }
                if count <= 0 { return false }
                sent += count
            }
            return true
        }

        /// What comes next, as much as is there; nil when the connection was closed, or nothing has come for half a minute.
        func receive() -> String? {
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
        }

        /// Whether the other side has closed it; everything that it had said before is thrown away. Does not wait.
        var isClosed: Bool {
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
                if count > 0 { continue }
                return count == 0 || errno != EAGAIN
            }
        }
    }
#endif
