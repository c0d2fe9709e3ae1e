import Logbook
import Synchronization

/// Entries as the provider is handed them: twenty to a transaction, the last of them with an error.
final class Entries: LogProvider {
    static let ofTransaction = 20
    private let events = Mutex<[LogEvent]>([])

    func log(_ event: LogEvent) { events.withLock { $0.append(event) } }
    func flush(by deadline: LogDeadline) {}

    /// Different ones each time.
    static func make(_ count: Int) -> [LogEvent] {
        let service = LogService(), entries = Entries()
        service.register(entries)
        for _ in 0..<count / ofTransaction { log(to: service.transaction(usecase: 1)) }
        return entries.events.withLock { $0 }
    }

    static func log(to transaction: LogTransaction) {
        for event in 0..<ofTransaction - 1 { transaction.log(event) }
        transaction.log(ofTransaction, error: 422, "the tank holds 40 liters")
    }
}
