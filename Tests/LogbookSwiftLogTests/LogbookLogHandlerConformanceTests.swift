#if SwiftLog
    import LogbookCore
    import LogbookTestKit
    import Logging
    import Testing

    @testable import LogbookSwiftLog

    /// The rules of swift-log's handlers, kept by ours.
    @Suite(.serialized) struct LogbookLogHandlerConformanceTests {
        private static func recorded(_ event: LogbookCore.LogEvent) -> RecordedLine {
            var source: String?
            if case .string(let text) = event.metadata[LogbookLogHandler.sourceKey] { source = text }
            return RecordedLine(
                level: Logger.Level(event.level), message: event.message, metadata: Logger.Metadata(event.metadata),
                source: source ?? String(event.source.module), error: event.error?.description ?? "")
        }

        @Test(arguments: [LogDelivery.immediate, .queued()])
        func whatOtherPackagesSayConforms(_ delivery: LogDelivery) async {
            let report = await LogHandlerConformance(patience: .seconds(120)) {
                let service = LogService(), heard = RecordingProvider()
                service.register(heard, delivery: delivery)
                return LogHandlerSpecimen(
                    LogbookLogHandler(label: "conformance", service: service, metadataProvider: nil),
                    readBack: {
                        guard service.flush(by: .seconds(60)).isComplete else { throw ScriptedFailure("the flush was not complete") }
                        return heard.events.map(Self.recorded)
                    },
                    cleanUp: { service.shutdown(by: .seconds(60)) })
            }.run()
            #expect(report.findings.isEmpty && report.notRun.isEmpty, "\(report)")
        }
    }
#endif
