public import LogbookCore
internal import LogbookFormat

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Sends events to a syslog server, one message each: to the machine's own in the form of syslog(3), and elsewhere in that of RFC 5424.
///
/// ```swift
/// service.register(try SyslogLogProvider(), from: .notice)                                          // the machine's own
/// service.register(try SyslogLogProvider(to: .tcp(host: "logs.example.org")), delivery: .queued())   // one elsewhere
/// ```
/// The text is one line, with control characters escaped, and the error's description behind it. In RFC 5424 the category is the MSGID,
/// and structured data says the rest: `meta` the sequence, `logbook@<enterprise>` level, thread, place, error and transaction,
/// `metadata@<enterprise>` the event's metadata, where a value that is neither text nor number is JSON. In the form of syslog(3) all of
/// that stands behind the text as `key=value`; see ``SyslogForm``.
///
/// **Durability.** Local: when `log` returns, the message is in the server's socket and survives a `kill -9` of the program (`process`).
/// Over a network it is in the hands of the kernel (`memory`): syslog knows no answers, so what UDP loses is not seen, unless nobody takes
/// it at all (``SyslogReceiver/udp(host:port:)``); and of a connection that broke, or was given up in the middle of a message, only how
/// many messages may be lost, or at least how many where it took more: the next message, or the shutdown, tells ``LogDiagnostics``. Where
/// that matters use a destination of `LogbookRemote`. That room also speaks TLS: `SyslogLogProvider(overTLSTo:)`.
///
/// A server that does not keep up, or cannot be reached, never holds the program up for long; what it takes in vain is counted as
/// ``DropReason/inputOutputError`` when it was logged immediately, and offered again when the provider is registered with a queue, as it
/// should be for a server elsewhere: the thread that logs waits for its name and its connection, five seconds at most at a time. A shutdown
/// keeps to its deadline all the same.
public final class SyslogLogProvider: LogProvider, BatchSink {
    private let message: SyslogMessage
    private let channel: SystemLogChannel
    private let account: SystemLogAccount

    /// - Parameters:
    ///   - application: The program's name where the receiver shows it, 48 characters at most; that of the program otherwise.
    ///   - enterprise: The number under which IANA knows who defines the names of structured data. 32473, which is there for examples,
    ///     unless you have one of your own. The form of syslog(3) has no place for it.
    ///   - maximumBytes: Of one message, 480...65507: RFC 5424 has every server take 480, and most take 8 KiB. What is beyond is cut: the
    ///     end of the text, then the metadata, then the function, the file, the error's type and the transaction, and the ends of a long
    ///     host's and process's names.
    /// - Throws: ``SystemLogError/invalid(_:)`` for an address, number or size that cannot be right. A local server that is not there, as
    ///   ``SystemLogError/unreachable(address:reason:)``. One elsewhere is looked for when there is something to send.
    public convenience init(
        to receiver: SyslogReceiver = .local(), facility: SyslogFacility = .user, application: String? = nil,
        enterprise: Int = 32473, maximumBytes: Int = 8192
    ) throws(SystemLogError) {
        try self.init(
            to: receiver, facility: facility, host: ProgramName.host, application: application, process: String(getpid()),
            enterprise: enterprise, maximumBytes: maximumBytes, patience: Self.patience, clock: .system)
    }

    /// - Parameter lookup: Knows the addresses of a server elsewhere; nil asks the system.
    convenience init(
        to receiver: SyslogReceiver, facility: SyslogFacility, host: String, application: String?, process: String, enterprise: Int,
        maximumBytes: Int, patience: Duration, clock: LogClock, zone: LogTimeZone = .local, lookup: HostLookup? = nil
    ) throws(SystemLogError) {
        try receiver.check()
        let message = try SyslogMessage(
            receiver.form, facility: facility, host: host, application: application, process: process, enterprise: enterprise,
            maximumBytes: maximumBytes, zone: zone)
        let framing: SystemLogChannel.Framing
        let connect: @Sendable (DatagramRefusals) throws -> any SystemLogConnection
        switch receiver {
        case .local(let path, _):
            framing = .datagrams
            connect = { _ in try SystemSocket.local(path) }
        case .udp(let host, let port):
            framing = .packets
            let lookup = lookup ?? HostLookup(host, port, isStream: false, clock: clock)
            connect = { try SystemSocket.remote(lookup, after: $0, by: .after(Self.connectTimeout)) }
        case .tcp(let host, let port):
            framing = .lengths
            let lookup = lookup ?? HostLookup(host, port, isStream: true, clock: clock)
            connect = { _ in try SystemSocket.remote(lookup, by: .after(Self.connectTimeout)) }
        }
        let channel = SystemLogChannel(to: receiver.description, framing, patience: patience, clock: clock, connect: connect)
        self.init(message, channel)
        if case .local = receiver { try channel.open() }
    }

    /// Over connections that somebody else makes.
    /// - Parameters:
    ///   - address: For messages to people: `tls://logs.example.org:6514`.
    ///   - connect: Waits for ``connectTimeout`` at most. What it throws is said as it describes itself.
    package convenience init(
        to address: String, facility: SyslogFacility, application: String?, enterprise: Int, maximumBytes: Int,
        patience: Duration = SyslogLogProvider.patience, clock: LogClock = .system,
        connect: @escaping @Sendable () throws -> any SystemLogConnection
    ) throws(SystemLogError) {
        let message = try SyslogMessage(
            facility: facility, host: ProgramName.host, application: application, process: String(getpid()), enterprise: enterprise,
            maximumBytes: maximumBytes)
        self.init(message, SystemLogChannel(to: address, .lengths, patience: patience, clock: clock) { _ in try connect() })
    }

    private init(_ message: SyslogMessage, _ channel: SystemLogChannel) {
        self.message = message
        self.channel = channel
        account = SystemLogAccount("syslog", channel)
    }

    /// For one attempt to connect, with the search for the host's address.
    package static let connectTimeout = Duration.seconds(5)
    /// How long a message waits for room.
    package static let patience = Duration.milliseconds(250)

    public var ledger: LogLedger? { account.current }

    /// Why the latest event is lost, where it was logged immediately; nil when it is not.
    public var latestFailure: String? { account.latestFailure }

    public func log(_ event: LogEvent) { account.log(message.encode(event)) }

    public func write(_ batch: [LogEvent]) throws { try account.write(batch, message.encode) }

    /// Nothing is left to do: what was taken is on its way.
    public func flush(by deadline: LogDeadline) {}

    public func shutdown(by deadline: LogDeadline) { channel.close(by: deadline) }
    public func close(by deadline: LogDeadline) { channel.close(by: deadline) }
}
