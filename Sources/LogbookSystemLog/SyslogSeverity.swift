internal import LogbookCore

extension LogLevel {
    /// The severity of syslog, 0 for emergencies to 7 for debugging, as syslog(3) and the journal number them.
    var syslogSeverity: Int {
        switch self {
        case .verbose, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}
