#if os(Linux)
    internal import CLogbookSystem
    internal import LogbookCore

    #if canImport(Glibc)
        internal import Glibc
    #elseif canImport(Musl)
        internal import Musl
    #endif

    /// A connection to the machine's message bus, to ask for properties and nothing else. Belongs to one thread.
    ///
    /// - Note: Source: "D-Bus Specification", on the authentication protocol and on `org.freedesktop.DBus.Properties`.
    final class SystemBus {
        enum Failure: Error {
            /// There is no bus, or it does not let us in.
            case unreachable
            case deadlinePassed
            case malformed
            /// Nobody has the property.
            case refused
        }

        private let socket: Int32
        private let deadline: LogDeadline
        private var arrived: [UInt8] = []
        private var serial: UInt32 = 0

        /// Where the bus is: `DBUS_SYSTEM_BUS_ADDRESS`, or where systems have it.
        static var path: String {
            guard let variable = LogEnvironment.variable(named: "DBUS_SYSTEM_BUS_ADDRESS") else { return "/run/dbus/system_bus_socket" }
            for address in variable.split(separator: ";") where address.hasPrefix("unix:") {
                for pair in address.dropFirst("unix:".count).split(separator: ",") where pair.hasPrefix("path=") {
                    return String(pair.dropFirst("path=".count))
                }
            }
            return ""
        }

        /// Connects as the user that this process runs as.
        /// - Parameter deadline: For everything that is asked over this connection.
        init(at path: String, by deadline: LogDeadline) throws(Failure) {
            self.deadline = deadline
            #if canImport(Glibc)
                let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
            #else
                let kind = SOCK_STREAM | SOCK_NONBLOCK
            #endif
            guard !path.isEmpty, !path.utf8.contains(0) else { throw .unreachable }
            socket = logbook_socket(AF_UNIX, kind, 0)   // never in the place of a standard stream that is closed
            guard socket >= 0 else { throw .unreachable }
            // A local socket is connected at once or not now.
            guard logbook_connect_local(socket, path) == 0 else { throw .unreachable }
            let user = String(geteuid()).utf8.map { String($0, radix: 16) }.joined()
            try send(Array("\0AUTH EXTERNAL \(user)\r\n".utf8))
            guard try line().hasPrefix("OK ") else { throw .unreachable }
            try send(Array("BEGIN\r\n".utf8))
            _ = try answer(
                to: BusMessage(
                    kind: .call, serial: 0, path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus", member: "Hello",
                    destination: "org.freedesktop.DBus"))
        }

        deinit { if socket >= 0 { close(socket) } }

        /// A property that is a number without sign. No service is started to have it.
        func number(_ property: String, of interface: String, at path: String, from service: String) throws(Failure) -> UInt32 {
            var body = BusMessage.Writer()
            body.text(interface)
            body.text(property)
            let answer = try answer(
                to: BusMessage(
                    kind: .call, flags: BusMessage.startsNothing, serial: 0, path: path,
                    interface: "org.freedesktop.DBus.Properties", member: "Get", destination: service, signature: "ss",
                    body: body.bytes))
            guard answer.signature == "v" else { throw .malformed }
            var reader = BusMessage.Reader(bytes: answer.body)
            do throws(BusMessage.Damage) {
                guard try reader.signature() == "u" else { throw .malformed }
                return try reader.number()
            } catch { throw .malformed }
        }

        /// Sends a call and waits for what answers it; everything else that arrives is passed over.
        private func answer(to call: BusMessage) throws(Failure) -> BusMessage {
            serial += 1
            var call = call
            call.serial = serial
            try send(call.bytes)
            while true {
                let message: BusMessage?
                do throws(BusMessage.Damage) { message = try BusMessage.take(from: &arrived) } catch { throw .malformed }
                guard let message else {
                    try receive()
                    continue
                }
                guard message.answered == serial else { continue }
                switch message.kind {
                case .answer: return message
                case .failure: throw .refused
                case .call, .signal: continue
                }
            }
        }

        /// One line of the authentication, without its end.
        private func line() throws(Failure) -> String {
            while true {
                if let end = arrived.firstIndex(of: 0x0A) {
                    defer { arrived.removeFirst(end + 1) }
                    return String(decoding: arrived[..<end].prefix { $0 != 0x0D }, as: UTF8.self)
                }
                guard arrived.count < 4096 else { throw .malformed }
                try receive()
            }
        }

        private func receive() throws(Failure) {
            var piece = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(socket, &piece, piece.count)
                if count > 0 {
                    arrived += piece[..<count]
                    return
                }
                guard count < 0 else { throw .unreachable }
                if errno == EAGAIN { try wait(for: Int16(POLLIN)) } else if errno != EINTR { throw .unreachable }
            }
        }

        private func send(_ bytes: [UInt8]) throws(Failure) {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { logbook_write(socket, $0.baseAddress, $0.count) }
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if count < 0 && errno == EAGAIN {
                    try wait(for: Int16(POLLOUT))
                } else if count == 0 || errno != EINTR {
                    throw .unreachable
                }
            }
        }

        private func wait(for events: Int16) throws(Failure) {
            var entry = pollfd(fd: socket, events: events, revents: 0)
            let left = deadline.remaining.map { min($0.wholeNanoseconds / 1_000_000 + 1, 60_000) } ?? 60_000
            guard !deadline.hasPassed else { throw .deadlinePassed }
            // Whatever it says, the next read or write knows better.
            _ = poll(&entry, 1, Int32(left))
        }
    }
#endif
