internal import LogbookCore

/// Answers whatever it hears, and flushes everybody, before it returns.
final class Echo: LogProvider {
    private let service: LogService
    private let deadline: LogDeadline
    private let heard = Locked<[String]>([])

    init(_ service: LogService, deadline: LogDeadline) {
        self.service = service
        self.deadline = deadline
    }

    func log(_ event: LogEvent) {
        guard event.message.hasPrefix("said") else { return }
        service.info("echo of \(event.message)")
        service.flush(by: deadline)
        heard.withLock { $0.append("echo of \(event.message)") }
    }
    func flush(by deadline: LogDeadline) throws {}

    var answers: [String] { heard.withLock { $0 } }
}
