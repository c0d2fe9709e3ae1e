public import LogbookCore

/// A fresh provider, sink or queue on the bench, and how to look at what it has written.
public struct ConformanceSpecimen: Sendable {
    enum Kind: Sendable { case provider, sink(any BatchSink, batchCount: Int), queue(BenchSink) }

    let kind: Kind
    let provider: any LogProvider
    let readBack: @Sendable () throws -> [RecordedEvent]
    let stall: (@Sendable (Bool) -> Void)?
    let fail: (@Sendable (Bool) -> Void)?
    let cleanUp: @Sendable () -> Void

    /// A provider that nothing has been logged to yet.
    /// - Parameters:
    ///   - readBack: Everything written so far, in its order: from the file, the table, the fake server. Called after a flush and
    ///     after a shutdown, by one thread at a time; of a provider without a ledger also while the destination does not answer or
    ///     fails, when a flush has returned all the same.
    ///   - stall: Makes the destination not answer (true) and answer again (false). Without it nothing is known of how the
    ///     provider bears that; the report names the checks that were not run.
    ///   - fail: Makes the destination fail (true), if it can in the middle of its work, and work again (false). Likewise.
    ///   - cleanUp: Called once when the check is over.
    public init(
        _ provider: any LogProvider, readBack: @escaping @Sendable () throws -> [RecordedEvent],
        stall: (@Sendable (Bool) -> Void)? = nil, fail: (@Sendable (Bool) -> Void)? = nil,
        cleanUp: @escaping @Sendable () -> Void = {}
    ) {
        kind = .provider
        self.provider = provider
        self.readBack = readBack
        self.stall = stall
        self.fail = fail
        self.cleanUp = cleanUp
    }

    /// A sink that nothing has been written to yet: it is driven directly, and as a provider through ``BatchingProvider``.
    /// - Parameters:
    ///   - batchCount: Events that it is given in one call at most, `1...1_000_000`, for a sink that relies on a
    ///     ``QueuePolicy/batchCount`` of its own.
    ///   - readBack, stall, fail, cleanUp: As for a provider.
    public init(
        sink: any BatchSink, batchCount: Int = QueuePolicy().batchCount, readBack: @escaping @Sendable () throws -> [RecordedEvent],
        stall: (@Sendable (Bool) -> Void)? = nil, fail: (@Sendable (Bool) -> Void)? = nil,
        cleanUp: @escaping @Sendable () -> Void = {}
    ) {
        kind = .sink(sink, batchCount: batchCount)
        let policy = QueuePolicy(
            capacity: max(QueuePolicy().capacity, batchCount), batchCount: batchCount, linger: .zero, firstPause: .milliseconds(1),
            longestPause: .milliseconds(5))
        provider = BatchingProvider(sink, policy: policy)
        self.readBack = readBack
        self.stall = stall
        self.fail = fail
        self.cleanUp = cleanUp
    }

    /// A provider that drives a sink as ``BatchingProvider`` does. The bench brings the sink, which it can look into, stall and
    /// fail.
    /// - Parameter make: Makes the provider around the sink it is given.
    public init(queue make: (any BatchSink) throws -> any LogProvider) rethrows {
        let sink = BenchSink()
        kind = .queue(sink)
        provider = try make(sink)
        readBack = { sink.written.map { RecordedEvent($0) } }
        stall = { sink.stall($0) }
        fail = { sink.fail($0 ? ScriptedFailure("the bench lets it fail") : nil) }
        cleanUp = {}
    }
}
