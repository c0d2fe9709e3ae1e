/// How a message to a syslog server of this machine is written.
public enum SyslogForm: Sendable, Hashable {
    /// As syslog(3) writes it, in local time, with everything else behind the text under the names of `LogfmtFormat`:
    ///
    /// ```
    /// <12>Nov 21 10:29:20 checkout[4711]: payment took 812 ms gateway=north level=warning seq=7 thread=12
    /// ```
    /// journald, and rsyslog as it is installed, read no other form on their sockets. In the program's name `:`, `[` and `]` are `_`.
    case traditional
    /// RFC 5424, as it goes over a network. For a server that was told so, such as rsyslog by
    /// `module(load="imuxsock" SysSock.UseSpecialParser="off" SysSock.ParseHostname="on")`, or, for another socket than the machine's, by
    /// `input(type="imuxsock" socket="/run/checkout" useSpecialParser="off" parseHostname="on")`. Any other takes the head for text.
    case rfc5424
}
