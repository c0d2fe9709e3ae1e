#if SwiftLog
    internal import LogbookCore

    /// Runs the contract of swift-log's handlers against any `LogHandler`: each of ``checks``, on a fresh one.
    ///
    /// Say how to make one, and how to read back what it has written:
    ///
    /// ```swift
    /// @Test func conforms() async {
    ///     let report = await LogHandlerConformance {
    ///         let file = TemporaryFile()
    ///         return LogHandlerSpecimen(MyHandler(label: "test", file)) { file.lines.map(recorded) }
    ///     }.run()
    ///     #expect(report.findings.isEmpty, "\(report)")
    /// }
    /// ```
    /// What a handler does not keep, the reader leaves nil, and it is not compared. A handler that hangs does not hang the test: the check
    /// is given up after `patience`.
    public struct LogHandlerConformance: Sendable {
        private let patience: Duration
        private let keepsText: Bool
        private let make: @Sendable () throws -> LogHandlerSpecimen

        /// - Parameters:
        ///   - keepsText: Messages are read back byte for byte, whatever they hold. False for a handler that replaces control
        ///     characters; still, one call then makes one line.
        ///   - patience: How long one check may take before it counts as hanging.
        ///   - make: Makes a fresh specimen, once per check.
        public init(
            keepsText: Bool = true, patience: Duration = .seconds(30),
            _ make: @escaping @Sendable () throws -> LogHandlerSpecimen
        ) {
            precondition(patience > .zero, "LogHandlerConformance.patience must be positive")
            self.keepsText = keepsText
            self.patience = patience
            self.make = make
        }

        /// Every check there is, in the order in which they run.
        public static var checks: [ConformanceCheck] { contract.map(\.check) }

        /// Runs every check, one after the other, on threads of its own.
        public func run() async -> ConformanceReport {
            let runner = ConformanceRunner<LogHandlerBench>(
                patience: patience,
                make: { [make, keepsText] progress in
                    LogHandlerBench(try make(), keepsText: keepsText, progress: progress)
                },
                dispose: { $0.specimen.cleanUp() })
            return await runner.run(Self.contract)
        }

        /// From the simple to the involved: a check comes after those that say the same in a smaller case.
        static let contract: [ConformanceRunner<LogHandlerBench>.Check] = {
            typealias Check = ConformanceRunner<LogHandlerBench>.Check
            let basics: [ConformanceCheck] = [.handlerTakesOne, .handlerWritesOnce]
            return [
                Check(.handlerTakesOne) { try $0.takesOne() },
                Check(.handlerWritesOnce, after: [.handlerTakesOne]) { try $0.writesOnce() },
                Check(.handlerEveryLevel, after: basics) { try $0.everyLevel() },
                Check(.handlerKeepsLevel, after: basics) { try $0.keepsLevel() },
                Check(.handlerLevelIsAValue, after: [.handlerKeepsLevel]) { try $0.levelIsAValue() },
                Check(.handlerKeepsMetadata) { try $0.keepsMetadata() },
                Check(.handlerMetadataIsAValue, after: [.handlerKeepsMetadata]) { try $0.metadataIsAValue() },
                Check(.handlerWritesMetadata, after: basics + [.handlerKeepsMetadata]) { try $0.writesMetadata() },
                Check(.handlerMetadataOfEveryKind, after: [.handlerWritesMetadata]) { try $0.metadataOfEveryKind() },
                Check(.handlerCallWins, after: [.handlerWritesMetadata]) { try $0.callWins() },
                Check(.handlerForgetsTheCall, after: [.handlerWritesMetadata]) { try $0.forgetsTheCall() },
                Check(.handlerAsksItsProvider, after: [.handlerWritesMetadata]) { try $0.asksItsProvider() },
                Check(.handlerProviderIsAValue, after: [.handlerAsksItsProvider]) { try $0.providerIsAValue() },
                Check(.handlerProviderWins, after: [.handlerAsksItsProvider]) { try $0.providerWins() },
                Check(.handlerCallWinsOverProvider, after: [.handlerCallWins, .handlerAsksItsProvider]) {
                    try $0.callWinsOverProvider()
                },
                Check(.handlerWritesAllMetadata, after: [.handlerAsksItsProvider]) { try $0.writesAllMetadata() },
                Check(.handlerKeepsSource, after: basics) { try $0.keepsSource() },
                Check(.handlerKeepsError, after: basics) { try $0.keepsError() },
                Check(.handlerOldForm, after: [.handlerWritesMetadata]) { try $0.oldForm() },
                Check(.handlerEmptyMessage, after: basics) { try $0.emptyMessage() },
                Check(.handlerOneInOneOut, after: basics) { try $0.oneInOneOut() },
                Check(.handlerHostileText, after: [.handlerOneInOneOut]) { try $0.hostileText() },
                Check(.handlerConcurrency, after: basics) { try $0.concurrency() },
            ]
        }()
    }
#endif
