internal import LogbookCore
public import LogbookHTTP
public import LogbookSystemLog

extension SyslogLogProvider {
    /// Sends to a syslog server elsewhere over TLS (RFC 5425): a connection that is kept, with the length before each message.
    ///
    /// ```swift
    /// let syslog = try SyslogLogProvider(overTLSTo: "logs.example.org", trust: HTTPTrust(authorities: "/etc/ssl/ours.pem"))
    /// service.register(syslog, delivery: .queued())
    /// ```
    /// The server's certificate is always verified, with the system's authorities unless `trust` names others; without trust nothing is
    /// sent, and what is queued waits. A message that is given up in its middle, because the server stands still, is counted as lost and
    /// arrives all the same when it goes on. Do not use an instance in a child made by `fork`: both would speak over one connection.
    ///
    /// It is here rather than in `LogbookSystemLog` because it needs libcurl.
    ///
    /// - Parameters:
    ///   - host: A name that the server's certificate is for. It is looked up when there is something to send.
    ///   - trust: Whom to trust, and the certificate by which the server can know us.
    /// - Throws: ``SystemLogError/invalid(_:)`` for an address, number or size that cannot be right.
    public convenience init(
        overTLSTo host: String, port: Int = 6514, trust: HTTPTrust = HTTPTrust(), facility: SyslogFacility = .user,
        application: String? = nil, enterprise: Int = 32473, maximumBytes: Int = 8192
    ) throws(SystemLogError) {
        try self.init(
            overTLSTo: host, port: port, trust: trust, facility: facility, application: application, enterprise: enterprise,
            maximumBytes: maximumBytes, patience: Self.patience, clock: .system)
    }

    convenience init(
        overTLSTo host: String, port: Int, trust: HTTPTrust, facility: SyslogFacility = .user, application: String? = nil,
        enterprise: Int = 32473, maximumBytes: Int = 8192, patience: Duration, clock: LogClock
    ) throws(SystemLogError) {
        try SyslogReceiver.tcp(host: host, port: port).check()
        if !TLSConnection.isHost(host) { throw .invalid("'\(host)' is not the name of a host") }
        trust.check()
        try self.init(
            to: SyslogReceiver.address("tls", host, port), facility: facility, application: application, enterprise: enterprise,
            maximumBytes: maximumBytes, patience: patience, clock: clock
        ) { try TLSConnection(host: host, port: port, trust: trust, timeout: Self.connectTimeout) }
    }
}

extension TLSConnection: SystemLogConnection {}
