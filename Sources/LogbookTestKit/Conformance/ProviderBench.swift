internal import LogbookCore
internal import Synchronization

/// One specimen under one check: makes events, drives the provider, reads back, and says what it is doing.
final class ProviderBench: Sendable {
    let specimen: ConformanceSpecimen
    let claims: ConformanceClaims
    let service: LogService
    private let patience: Duration
    let progress: CheckProgress
    private let sequence = Atomic<UInt64>(0)

    init(
        _ specimen: ConformanceSpecimen, claims: ConformanceClaims, service: LogService, patience: Duration,
        progress: CheckProgress
    ) {
        self.specimen = specimen
        self.claims = claims
        self.service = service
        self.patience = patience
        self.progress = progress
    }

    var provider: any LogProvider { specimen.provider }
    /// What wrappers have held back on purpose: it need not arrive, and no more than that.
    var suppression: LogSuppression { provider.wrappers.suppression }
    /// Half of what the check may take, so that a call that keeps to its deadline is not taken for one that hangs.
    var deadline: LogDeadline { .after(patience / 2) }

    /// So many events that come at once a provider takes for certain: of the capacity that it claims a third may be reserved, and a third
    /// be what is left of the batch that is being written.
    var room: Int { claims.capacity.map { max(1, $0 / 3) } ?? .max }

    // MARK: Events

    static let transactionID = "TXN7-586AB00B-F16E-4AE6-8A91-0210264925C7"
    private static let device = DeviceFacts(make: "bench", os: "conformance", osVersion: "1")

    /// An event that this bench has not made before; a transaction's entry when the provider wants nothing else.
    func event(
        _ message: String, level: LogLevel = .info, metadata: LogMetadata = [:], error: LogErrorDetails? = nil,
        from source: LogSource = LogSource(), at time: LogTime? = nil, sequence given: UInt64? = nil
    ) -> LogEvent {
        let sequence = given ?? sequence.add(1, ordering: .relaxed).newValue
        var entry: TransactionEntry?
        if provider.interest == .transactionEntries {
            entry = TransactionEntry(
                transactionID: Self.transactionID, usecase: 7, kind: .happened(Int(sequence)), errorDescription: message,
                device: Self.device)
        }
        return LogEvent(
            sequence: sequence, time: time ?? LogTime(nanoseconds: 1_767_225_600_000_000_000 + Int64(sequence) * 1_000_000),
            level: level, message: entry?.description ?? message, metadata: metadata, thread: LogThread.currentNumber,
            source: source, transaction: entry, error: error)
    }

    /// `number 1`, `number 2`, …
    func events(_ count: Int, _ word: String = "number") -> [LogEvent] { (1...count).map { event("\(word) \($0)") } }

    // MARK: Driving

    func log(_ events: [LogEvent]) {
        doing("log") { for event in events { provider.log(event) } }
    }
    func log(_ event: LogEvent) { log([event]) }

    func flush() throws { try doing("flush") { try provider.flush(by: deadline) } }
    func shutdown() throws { try doing("shutdown") { try provider.shutdown(by: deadline) } }
    func readBack(_ logged: [LogEvent]) throws -> Reading {
        Reading(try doing("readBack") { try specimen.readBack() }, of: logged, suppression)
    }

    /// Flushes, shuts down and reads back: nothing can come after that.
    func settled(_ logged: [LogEvent]) throws -> Reading {
        try flush()
        try shutdown()
        return try readBack(logged)
    }

    func doing<Result>(_ step: String, _ body: () throws -> Result) rethrows -> Result { try progress.doing(step, body) }

    /// Runs `body` on so many threads at the same time and returns when all are through.
    func onThreads(_ count: Int, _ step: String, _ body: @escaping @Sendable (Int) -> Void) throws {
        try startThreads(count, body).wait(step, progress)
    }

    /// Starts threads that begin together.
    func startThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) throws -> Crew {
        let crew = Crew()
        for number in 0..<count {
            guard crew.add(number, body) else { throw CheckFailed("the machine gives no thread to log from") }
        }
        crew.begin()
        return crew
    }

    // MARK: Disturbing

    /// The destination does not answer while `body` runs.
    func stalled(_ body: () throws -> Void) throws {
        guard let stall = specimen.stall else { throw CheckNotApplicable("the specimen has no way to stall its destination") }
        stall(true)
        defer { stall(false) }
        progress.whenAbandoned { stall(false) }
        try body()
    }

    func failing(_ body: () throws -> Void) throws {
        guard let fail = specimen.fail else { throw CheckNotApplicable("the specimen has no way to let its destination fail") }
        fail(true)
        defer { fail(false) }
        progress.whenAbandoned { fail(false) }
        try body()
    }

    func whenAbandoned(_ release: @escaping @Sendable () -> Void) { progress.whenAbandoned(release) }

    var sink: any BatchSink {
        get throws {
            guard case .sink(let sink, _) = specimen.kind else { throw CheckNotApplicable("the specimen is not a sink") }
            return sink
        }
    }

    /// Events that a sink is given in one call at most.
    var batchCount: Int { if case .sink(_, let count) = specimen.kind { count } else { .max } }

    var queueSink: BenchSink {
        get throws {
            guard case .queue(let sink) = specimen.kind else {
                throw CheckNotApplicable("the specimen is not a queue around a sink")
            }
            return sink
        }
    }

    // MARK: Judging

    func require(_ isKept: Bool, _ explanation: @autoclosure () -> String) throws {
        if !isKept { throw CheckFailed(explanation()) }
    }

    /// Fails with the explanation, if there is one.
    func refuse(_ explanation: String?) throws {
        if let explanation { throw CheckFailed(explanation) }
    }

    /// Nothing is missing but what a wrapper held back, and what the ledger counts; it may do so only when more came than the provider
    /// has room for.
    func requireEverything(_ reading: Reading) throws {
        guard let missing = reading.missingInWords else { return }
        let ledger = provider.ledger
        let dropped = Int(ledger?.droppedTotal ?? 0)
        if reading.logged.count > room, dropped == reading.lost { return }
        try refuse(missing + Self.inWords(ledger))
    }

    func requireOnce(_ reading: Reading) throws {
        try refuse(reading.repeatedInWords)
        try refuse(reading.strangersInWords)
    }

    /// Everything is there, once, and with its text.
    func requireIntact(_ reading: Reading) throws {
        try requireEverything(reading)
        try requireOnce(reading)
        try refuse(reading.alteredTextInWords)
    }

    static func inWords(_ ledger: LogLedger?) -> String {
        guard let ledger else { return " (it keeps no ledger, so nothing may be missing)" }
        let dropped = ledger.dropped.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.key) \($0.value)" }
        return " (ledger: submitted \(ledger.submitted), delivered \(ledger.delivered), pending \(ledger.pending), dropped "
            + (dropped.isEmpty ? "0)" : dropped.joined(separator: ", ") + ")")
    }
}
