/// Where a syslog server takes messages.
public enum SyslogReceiver: Sendable, Hashable, CustomStringConvertible {
    /// The machine's own, by its datagram socket: `/dev/log`. In the form that journald and rsyslog read there, unless they were told
    /// to read another one.
    case local(path: String = "/dev/log", form: SyslogForm = .traditional)
    /// One message in each datagram. What the network loses nobody knows of. Where the kernel is told that nobody takes them at one of the
    /// host's addresses, the next is tried; where nobody does at any, messages are lost and counted.
    case udp(host: String, port: Int = 514)
    /// A connection that is kept, with the length before each message (RFC 6587, "octet counting"). It is not encrypted:
    /// see `SyslogLogProvider(overTLSTo:)` of `LogbookRemote` where it should be.
    case tcp(host: String, port: Int = 601)

    /// `/dev/log`, `udp://logs.example.org:514`.
    public var description: String {
        switch self {
        case .local(let path, _): path
        case .udp(let host, let port): Self.address("udp", host, port)
        case .tcp(let host, let port): Self.address("tcp", host, port)
        }
    }

    /// Over a network there is one form only.
    var form: SyslogForm { if case .local(_, let form) = self { form } else { .rfc5424 } }

    package static func address(_ scheme: String, _ host: String, _ port: Int) -> String {
        "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    package func check() throws(SystemLogError) {
        switch self {
        case .local(let path, _):
            if path.isEmpty || path.utf8.contains(0) { throw .invalid("the path of a syslog socket is empty or holds a NUL") }
        case .udp(let host, let port), .tcp(let host, let port):
            if host.isEmpty || host.utf8.contains(0) { throw .invalid("the name of the syslog server is empty or holds a NUL") }
            if !(1...65535).contains(port) { throw .invalid("the port of the syslog server must be 1 to 65535, and not \(port)") }
        }
    }
}
