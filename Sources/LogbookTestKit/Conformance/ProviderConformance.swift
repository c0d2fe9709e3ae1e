public import LogbookCore

/// Runs the provider contract against a provider, a sink or a queue: each of ``checks``, on a fresh specimen.
///
/// Say how to make one, and how to read back what it has written:
///
/// ```swift
/// @Test func conforms() async {
///     let report = await ProviderConformance {
///         let provider = RecordingProvider()
///         return ConformanceSpecimen(provider) { provider.events.map { RecordedEvent($0) } }
///     }.run()
///     #expect(report.findings.isEmpty, "\(report)")
/// }
/// ```
/// What the format keeps is compared, what it does not keep is not; what the provider promises beyond the contract, or does
/// not, is said in ``ConformanceClaims``. What a wrapper holds back on purpose, as its `suppression` says, need not arrive. A
/// provider that hangs does not hang the test: the check is given up after `patience`, and the finding names the call. No check
/// measures time, so a slow machine makes no findings; a call that is late is found where it outlasts `patience`, by itself or, if it is
/// `log`, or a `flush` whose deadline is over, together with others like it: 100, and 20. A sound provider takes well under two seconds.
public struct ProviderConformance: Sendable {
    private let claims: ConformanceClaims
    private let patience: Duration
    private let make: @Sendable (LogService) throws -> ConformanceSpecimen

    /// - Parameters:
    ///   - claims: What the provider claims; the contract and no more unless said.
    ///   - patience: How long one check may take before it counts as hanging. Only a provider that hangs waits for it.
    ///   - make: Makes a fresh specimen, once per check. The service is the one that the check will register the provider with,
    ///     for a provider that logs by itself.
    public init(
        _ claims: ConformanceClaims = ConformanceClaims(), patience: Duration = .seconds(30),
        withService make: @escaping @Sendable (_ service: LogService) throws -> ConformanceSpecimen
    ) {
        precondition(patience > .zero, "ProviderConformance.patience must be positive")
        self.claims = claims
        self.patience = patience
        self.make = make
    }

    /// - Parameters:
    ///   - claims: What the provider claims; the contract and no more unless said.
    ///   - patience: How long one check may take before it counts as hanging. Only a provider that hangs waits for it.
    ///   - make: Makes a fresh specimen, once per check.
    public init(
        _ claims: ConformanceClaims = ConformanceClaims(), patience: Duration = .seconds(30),
        _ make: @escaping @Sendable () throws -> ConformanceSpecimen
    ) {
        self.init(claims, patience: patience, withService: { _ in try make() })
    }

    /// Every check there is, in the order in which they run.
    public static var checks: [ConformanceCheck] { contract.map(\.check) }

    /// Runs every check, one after the other, on threads of its own.
    public func run() async -> ConformanceReport { await run(.system) }

    /// - Parameter clock: Measures the patience.
    func run(_ clock: LogClock) async -> ConformanceReport {
        let runner = ConformanceRunner<ProviderBench>(
            patience: patience, clock: clock,
            make: { [claims, patience, make] progress in
                let service = LogService()
                return ProviderBench(try make(service), claims: claims, service: service, patience: patience, progress: progress)
            },
            dispose: { $0.specimen.cleanUp() })
        return await runner.run(Self.contract)
    }

    /// From the simple to the involved: a check comes after those that say the same in a smaller case.
    static let contract: [ConformanceRunner<ProviderBench>.Check] = {
        typealias Check = ConformanceRunner<ProviderBench>.Check
        let basics: [ConformanceCheck] = [.writesOnce, .flushMakesVisible, .shutdownWritesTheRest, .flushTwice]
        return [
            Check(.sinkTakesOne) { try $0.sinkTakesOne() },
            Check(.sinkTakesMany, after: [.sinkTakesOne]) { try $0.sinkTakesMany() },
            Check(.sinkKeepsBatchOrder, after: [.sinkTakesMany]) { try $0.sinkKeepsBatchOrder() },
            Check(.sinkFailsHonestly, after: [.sinkKeepsBatchOrder]) { try $0.sinkFailsHonestly() },
            Check(.sinkKeepsToDeadline, after: [.sinkTakesOne]) { try $0.sinkKeepsToDeadline() },
            Check(.sinkEndsAtDeadline, after: [.sinkKeepsToDeadline]) { try $0.sinkEndsAtDeadline() },

            Check(.oneEvent, after: [.sinkTakesMany]) { try $0.oneEvent() },
            Check(.writesOnce, after: [.oneEvent]) { try $0.writesOnce() },
            Check(.flushMakesVisible, after: [.writesOnce]) { try $0.flushMakesVisible() },
            Check(.shutdownWritesTheRest, after: [.writesOnce]) { try $0.shutdownWritesTheRest() },
            Check(.flushTwice, after: [.flushMakesVisible]) { try $0.flushTwice() },
            Check(.visibleWhenLogReturns, after: basics) { try $0.visibleWhenLogReturns() },

            Check(.everyLevel, after: basics) { try $0.everyLevel() },
            Check(.emptyMessage, after: basics) { try $0.emptyMessage() },
            Check(.unusualTimes, after: basics) { try $0.unusualTimes() },
            Check(.outOfSequence, after: basics) { try $0.outOfSequence() },
            Check(.error, after: basics) { try $0.error() },
            Check(.metadata, after: basics) { try $0.metadata() },
            Check(.largeMetadata, after: [.metadata]) { try $0.largeMetadata() },
            Check(.oneInOneOut, after: basics) { try $0.oneInOneOut() },
            Check(.hostileText, after: [.oneInOneOut]) { try $0.hostileText() },
            Check(.hugeEvent, after: basics) { try $0.hugeEvent() },

            Check(.keepsEverything, after: basics) { try $0.keepsEverything() },
            Check(.keepsOrder, after: [.keepsEverything, .sinkKeepsBatchOrder]) { try $0.keepsOrder() },
            Check(.concurrency, after: [.keepsEverything]) { try $0.concurrency() },
            Check(.ledgerAddsUp, after: [.keepsEverything]) { try $0.ledgerAddsUp() },
            Check(.ledgerNeverGoesBack, after: [.ledgerAddsUp, .concurrency]) { try $0.ledgerNeverGoesBack() },
            Check(.flushUnderLoad, after: [.concurrency, .ledgerNeverGoesBack]) { try $0.flushUnderLoad() },

            Check(.flushAfterShutdown, after: basics) { try $0.flushAfterShutdown() },
            Check(.shutdownTwice, after: basics) { try $0.shutdownTwice() },
            Check(.logAfterShutdown, after: basics + [.ledgerAddsUp]) { try $0.logAfterShutdown() },
            Check(.closeUnderLoad, after: [.concurrency, .logAfterShutdown, .flushAfterShutdown]) { try $0.closeUnderLoad() },

            Check(.queueCallsOneAtATime, after: basics) { try $0.queueCallsOneAtATime() },
            Check(.queueFlushesAfterBatches, after: [.queueCallsOneAtATime]) { try $0.queueFlushesAfterBatches() },
            Check(.queueClosesOnce, after: [.shutdownTwice]) { try $0.queueClosesOnce() },
            Check(.queueFlushesBeforeClose, after: [.queueFlushesAfterBatches, .queueClosesOnce]) {
                try $0.queueFlushesBeforeClose()
            },
            Check(.queueOffersAgain, after: [.keepsOrder, .queueCallsOneAtATime]) { try $0.queueOffersAgain() },
            Check(.queueGoesOnAfterPart, after: [.queueOffersAgain]) { try $0.queueGoesOnAfterPart() },
            Check(.queueCountsRefused, after: [.ledgerAddsUp, .queueCallsOneAtATime]) { try $0.queueCountsRefused() },
            Check(.queueCountsRefusedOne, after: [.queueGoesOnAfterPart, .queueCountsRefused]) { try $0.queueCountsRefusedOne() },
            Check(.queueCountsDropped, after: [.queueGoesOnAfterPart, .queueCountsRefused]) { try $0.queueCountsDropped() },

            Check(.logDoesNotWait, after: [.keepsEverything]) { try $0.logDoesNotWait() },
            Check(.accountAnswersAtOnce, after: [.logDoesNotWait]) { try $0.accountAnswersAtOnce() },
            Check(.flushKeepsToDeadline, after: [.logDoesNotWait, .ledgerAddsUp, .sinkEndsAtDeadline]) {
                try $0.flushKeepsToDeadline()
            },
            Check(.flushEndsAtDeadline, after: [.flushKeepsToDeadline]) { try $0.flushEndsAtDeadline() },
            Check(.shutdownKeepsToDeadline, after: [.logDoesNotWait, .ledgerAddsUp, .sinkEndsAtDeadline]) {
                try $0.shutdownKeepsToDeadline()
            },
            Check(.shutdownEndsAtDeadline, after: [.shutdownKeepsToDeadline]) { try $0.shutdownEndsAtDeadline() },
            Check(.staysBounded, after: [.logDoesNotWait, .ledgerAddsUp]) { try $0.staysBounded() },
            Check(
                .survivesFailure,
                after: [.keepsEverything, .ledgerAddsUp, .sinkFailsHonestly, .queueOffersAgain, .flushKeepsToDeadline]
            ) { try $0.survivesFailure() },
            Check(.failurePasses, after: [.survivesFailure]) { try $0.failurePasses() },

            Check(.interest, after: basics) { try $0.interest() },
            Check(.reentrancy, after: [.interest, .keepsEverything]) { try $0.reentrancy() },
        ]
    }()
}
