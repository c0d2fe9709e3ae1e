public import LogbookCore

/// A provider that does not come back from `log` or `flush` until its gate opens: what others must not suffer from.
public final class BlockingProvider: LogProvider {
    /// Open it at the end of the test, so that nothing is left waiting.
    public let gate = Gate()
    private let inner = RecordingProvider()
    public init() {}
    public func log(_ event: LogEvent) {
        gate.wait()
        inner.log(event)
    }
    public func flush(by deadline: LogDeadline) throws { gate.wait() }
    /// What came through, in order.
    public var messages: [String] { inner.messages }
}
