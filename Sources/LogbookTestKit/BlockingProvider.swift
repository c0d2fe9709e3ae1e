public import LogbookCore

/// A provider that does not come back from `log` until its gate opens.
public final class BlockingProvider: LogProvider {
    public let gate = Gate()
    private let inner = RecordingProvider()
    public init() {}
    public func log(_ event: LogEvent) {
        gate.wait()
        inner.log(event)
    }
    public func flush(by deadline: LogDeadline) throws { gate.wait() }
    public var messages: [String] { inner.messages }
}
