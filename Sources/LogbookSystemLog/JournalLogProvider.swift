internal import CLogbookSystem
public import LogbookCore

/// Sends events to systemd's journal, each with its fields: `journalctl PRIORITY=3 GATEWAY=north -o verbose` finds them.
///
/// ```swift
/// LogService.register(provider: try JournalLogProvider())
/// ```
/// An event has `MESSAGE` (with the error's description behind it, where there is one), `PRIORITY`, `SYSLOG_IDENTIFIER`, `CODE_FILE`,
/// `CODE_LINE`, `CODE_FUNC`, `TID`, `LOGBOOK_LEVEL`, `LOGBOOK_SEQUENCE`, `LOGBOOK_TIME`, `ERROR_TYPE` and `ERROR_MESSAGE`; an entry of a
/// transaction `TRANSACTION_ID`, `_USECASE`, `_EVENT`, `_ERROR_CODE` and `_ERROR`. Each member of the metadata is a field in capitals:
/// `order.id` is `ORDER_ID`; a name that means something else in the journal begins with `X_`. Arrays and objects are JSON.
///
/// **Durability.** When `log` returns, the event is in the journal's socket: it survives a `kill -9` of the program (`process`), not
/// one of the journal's own service before it has read it. The journal makes it safe on disk in its own time: at once for critical
/// events, within five minutes for others, unless `SyncIntervalSec=` says otherwise.
///
/// A journal that does not keep up holds an event up by 250 ms at most, and not every one; what it takes in vain is counted as
/// ``DropReason/inputOutputError`` when it was logged immediately, and offered again when the provider is registered with a queue. A
/// journal that was restarted is found again. Messages of any size arrive.
public final class JournalLogProvider: LogProvider, BatchSink {
    private let identifier: String
    private let channel: SystemLogChannel
    private let account: SystemLogAccount

    /// - Parameters:
    ///   - identifier: What `journalctl -t` finds; the program's name otherwise.
    ///   - namespace: The journal of that name, as `LogNamespace=` gives a service; nil for the machine's.
    /// - Throws: ``SystemLogError/unreachable(address:reason:)`` where no journal listens.
    public convenience init(identifier: String? = nil, namespace: String? = nil) throws(SystemLogError) {
        try self.init(
            identifier: identifier, socket: "/run/systemd/journal" + (namespace.map { ".\($0)" } ?? "") + "/socket",
            patience: .milliseconds(250), clock: .system)
    }

    package init(identifier: String?, socket path: String, patience: Duration, clock: LogClock) throws(SystemLogError) {
        if path.utf8.contains(0) { throw .invalid("the name of a journal holds no NUL") }
        self.identifier = identifier ?? ProgramName.current
        channel = SystemLogChannel(to: path, .datagramsOrMemory, patience: patience, clock: clock) { _ throws(SystemError) in
            try SystemSocket.local(path)
        }
        account = SystemLogAccount("journal", channel)
        try channel.open()
    }

    public var ledger: LogLedger? { account.current }

    /// Why the latest event is lost, where it was logged immediately; nil when it is not.
    public var latestFailure: String? { account.latestFailure }

    public func log(_ event: LogEvent) { account.log(JournalRecord(event, identifier: identifier).bytes) }

    public func write(_ batch: [LogEvent]) throws {
        try account.write(batch) { JournalRecord($0, identifier: identifier).bytes }
    }

    /// Nothing is left to do: what was taken is with the journal.
    public func flush(by deadline: LogDeadline) {}

    public func shutdown(by deadline: LogDeadline) { channel.close(by: deadline) }
    public func close(by deadline: LogDeadline) { channel.close(by: deadline) }
}
