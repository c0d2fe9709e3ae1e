/// The kind of program, as the rules of a syslog server know it. The raw values are those of RFC 5424.
public enum SyslogFacility: Int, Sendable, Hashable, CaseIterable {
    case user = 1
    case mail = 2
    case daemon = 3
    case authorization = 4
    case news = 7
    case cron = 9
    case privateAuthorization = 10
    case local0 = 16, local1, local2, local3, local4, local5, local6, local7
}
