#if os(Linux)
    import LogbookCore
    import LogbookTestKit
    import Testing

    @testable import LogbookDelivery

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// A message bus of a test's own: the `dbus-daemon` of the system, with everything allowed to this user.
    final class PrivateBus: Sendable {
        let path: String
        private let daemon: ChildProcess

        init(in folder: String) throws {
            path = folder + "/bus"
            let configuration = folder + "/bus.conf"
            let file = try #require(fopen(configuration, "we"))
            fputs(
                """
                <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
                 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
                <busconfig>
                  <type>system</type>
                  <auth>EXTERNAL</auth>
                  <listen>unix:path=\(path)</listen>
                  <policy context="default">
                    <allow user="*"/><allow own="*"/><allow send_destination="*"/><allow receive_sender="*"/>
                    <allow send_type="method_call"/>
                  </policy>
                </busconfig>
                """, file)
            fclose(file)
            daemon = try ChildProcess(
                ["dbus-daemon", "--nofork", "--nosyslog", "--nopidfile", "--config-file=\(configuration)"], errors: folder + "/bus.errors")
            for _ in 1...6000 where LocalSocket.connected(to: path).map({ close($0) }) == nil { usleep(5000) }
            try #require(access(path, F_OK) == 0, "dbus-daemon did not start")
        }
    }

    enum LocalSocket {
        static func listening(at path: String) -> Int32? { make(at: path) { bind($0, $1, $2) == 0 && listen($0, 4) == 0 } }
        static func connected(to path: String) -> Int32? { make(at: path) { connect($0, $1, $2) == 0 } }

        private static func make(at path: String, _ use: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Bool) -> Int32? {
            let number = Unshared.socket(AF_UNIX)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            let isUsed = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    use(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            if isUsed { return number }
            close(number)
            return nil
        }
    }

    /// Something that has NetworkManager's name on a bus, and answers one question.
    final class FakeNetworkManager: Sendable {
        enum Answer: Sendable {
            case value(UInt32)
            case failure, text, nothing
        }
        private let questions = Locked<[String]>([])
        private let socket: Int32
        private let hasEnded = Monitor(false)

        /// What it was asked: an interface and a property.
        var asked: [String] { questions.withLock { $0 } }

        /// Returns when it has its name.
        init(on path: String, answering answer: Answer) throws {
            socket = try #require(LocalSocket.connected(to: path))
            // No read waits for ever.
            var patience = timeval(tv_sec: 60, tv_usec: 0)
            setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
            let user = String(geteuid()).utf8.map { String($0, radix: 16) }.joined()
            Self.send(Array("\0AUTH EXTERNAL \(user)\r\n".utf8), to: socket)
            var arrived: [UInt8] = []
            while !arrived.contains(0x0A) { try #require(Self.receive(from: socket, into: &arrived)) }
            arrived = []
            func call(_ member: String, _ serial: UInt32, _ signature: String = "", _ body: [UInt8] = []) -> [UInt8] {
                BusMessage(
                    kind: .call, serial: serial, path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus", member: member,
                    destination: "org.freedesktop.DBus", signature: signature, body: body
                ).bytes
            }
            var name = BusMessage.Writer()
            name.text("org.freedesktop.NetworkManager")
            name.number(0)
            Self.send(Array("BEGIN\r\n".utf8) + call("Hello", 1) + call("RequestName", 2, "su", name.bytes), to: socket)
            while true {
                if let message = try BusMessage.take(from: &arrived) {
                    guard message.answered == 2 else { continue }
                    try #require(message.kind == .answer && message.body == [1, 0, 0, 0], "it did not get the name")
                    break
                }
                try #require(Self.receive(from: socket, into: &arrived))
            }
            let (socket, questions, hasEnded, rest) = (socket, questions, hasEnded, arrived)
            LogThread.start("network-manager") {
                var arrived = rest
                repeat {
                    while let message = try? BusMessage.take(from: &arrived) {
                        guard message.kind == .call, message.member == "Get", message.signature == "ss" else { continue }
                        var reader = BusMessage.Reader(bytes: message.body)
                        let words = [try? reader.text(), try? reader.text()].compactMap(\.self)
                        questions.withLock { $0.append(words.joined(separator: " ")) }
                        Self.answer(message, answer, on: socket)
                    }
                } while Self.receive(from: socket, into: &arrived)
                hasEnded.withLock { access in
                    access.value = true
                    access.broadcast()
                }
            }
        }

        deinit {
            shutdown(socket, Int32(SHUT_RDWR))
            hasEnded.withLock { access in
                while !access.value { if !access.wait(until: .seconds(60)) { break } }
            }
            close(socket)
        }

        private static func answer(_ call: BusMessage, _ answer: Answer, on socket: Int32) {
            var message = BusMessage(kind: .answer, serial: 9, answered: call.serial, destination: call.sender)
            var body = BusMessage.Writer()
            switch answer {
            case .value(let value):
                body.signature("u")
                body.number(value)
            case .text:
                body.signature("s")
                body.text("yes")
            case .failure:
                send(failure(call), to: socket)
                return
            case .nothing: return
            }
            message.signature = "v"
            message.body = body.bytes
            send(message.bytes, to: socket)
        }

        /// An error needs a name, which a client of ours never writes.
        private static func failure(_ call: BusMessage) -> [UInt8] {
            var fields = BusMessage.Writer()
            fields.bytes.append(4)
            fields.signature("s")
            fields.text("org.freedesktop.DBus.Error.Failed")
            fields.align(to: 8)
            fields.bytes.append(5)
            fields.signature("u")
            fields.number(call.serial)
            fields.align(to: 8)
            fields.bytes.append(6)
            fields.signature("s")
            fields.text(call.sender ?? "")
            var message = BusMessage.Writer()
            message.bytes = [UInt8(ascii: "l"), BusMessage.Kind.failure.rawValue, 0, 1]
            for number in [0, 9, UInt32(fields.bytes.count)] { message.number(number) }
            message.bytes += fields.bytes
            message.align(to: 8)
            return message.bytes
        }

        private static func send(_ bytes: [UInt8], to socket: Int32) { _ = bytes.withUnsafeBytes { write(socket, $0.baseAddress, $0.count) } }

        private static func receive(from socket: Int32, into bytes: inout [UInt8]) -> Bool {
            var piece = [UInt8](repeating: 0, count: 4096)
            let count = read(socket, &piece, piece.count)
            if count > 0 { bytes += piece[..<count] }
            return count > 0
        }
    }
#endif
