#if SwiftLog
    import LogbookCore
    import LogbookTestKit
    import Logging
    import Testing

    @testable import LogbookSwiftLog

    /// The provider contract, for events that go on to a handler of swift-log.
    @Suite(.serialized) struct SwiftLogForwardingConformanceTests {
        private static func recorded(_ event: Logging.LogEvent) -> RecordedEvent {
            var metadata = event.metadata ?? [:]
            let stamp = metadata.removeValue(forKey: ForwardingStamp.key).flatMap { ForwardingStamp($0) }
            return RecordedEvent(
                time: stamp?.time, level: LogLevel(event.level), message: event.message.description,
                metadata: LogMetadata(metadata))
        }

        @Test func whatIsForwardedConforms() async {
            let report = await ProviderConformance(ConformanceClaims(visibility: .whenLogReturns), patience: .seconds(120)) {
                let store = RecordingLogHandler.Store()
                let provider = SwiftLogForwardingProvider(to: Logger(label: "out") { _ in RecordingLogHandler(store) })
                return ConformanceSpecimen(provider) { store.events.map(Self.recorded) }
            }.run()
            #expect(report.findings.isEmpty, "\(report)")
        }
    }
#endif
