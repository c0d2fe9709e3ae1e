#if Collector
    import LogbookCore
    import LogbookTestKit

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// Stands between a client and a server of this machine, hands everything on, and keeps what the client said, connection by connection.
    final class RecordingProxy: Sendable {
        struct Failure: Error { let errno: Int32 }

        let port: Int
        private let listener: Int32
        private let said = Locked<[Int32: [UInt8]]>([:])

        /// What each client said, in the order of their connections.
        var conversations: [[UInt8]] { said.withLock { said in said.keys.sorted().map { said[$0]! } } }

        init(to server: Int) throws {
            let listener = Unshared.socket(AF_INET)
            var address = Self.address(0)
            let size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let bound = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, size) }
            }
            guard bound == 0, listen(listener, 16) == 0 else { throw Failure(errno: errno) }
            var length = size
            _ = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &length) }
            }
            self.listener = listener
            port = Int(UInt16(bigEndian: address.sin_port))
            LogThread.start("proxy") { [said] in
                var number: Int32 = 0
                while true {
                    let client = Unshared.accept(listener)
                    guard client >= 0 else { return }
                    let upstream = Unshared.socket(AF_INET)
                    var address = Self.address(server)
                    _ = withUnsafePointer(to: &address) {
                        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(upstream, $0, size) }
                    }
                    number += 1
                    let connection = number
                    let ends = Locked(0)
                    func relay(_ source: Int32, _ target: Int32, _ note: @escaping @Sendable ([UInt8]) -> Void) {
                        LogThread.start("relay") {
                            var bytes = [UInt8](repeating: 0, count: 1 << 16)
                            while case let count = recv(source, &bytes, bytes.count, 0), count > 0 {
                                note(Array(bytes[..<count]))
                                if send(target, bytes, count, Int32(MSG_NOSIGNAL)) != count { break }
                            }
                            shutdown(target, Int32(SHUT_WR))
                            let isLast = ends.withLock { ends in
                                ends += 1
                                return ends == 2
                            }
                            if isLast {
                                close(source)
                                close(target)
                            }
                        }
                    }
                    relay(client, upstream) { bytes in said.withLock { $0[connection, default: []] += bytes } }
                    relay(upstream, client) { _ in }
                }
            }
        }

        deinit {
            shutdown(listener, Int32(SHUT_RDWR))
            close(listener)
        }

        private static func address(_ port: Int) -> sockaddr_in {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(port).bigEndian
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            return address
        }
    }
#endif
