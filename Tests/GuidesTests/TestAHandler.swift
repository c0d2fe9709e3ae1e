#if SwiftLog
    import Foundation
    import LogbookTestKit
    import Logging
    import Testing

    // The code about handlers of swift-log in Plugins-Docs/TestAProvider.md, to the letter: GuideBlocksTests compares the two.

    final class LineStore: Sendable {
        private let kept = Locked<[RecordedLine]>([])
        var lines: [RecordedLine] { kept.withLock { $0 } }
        func append(_ line: RecordedLine) { kept.withLock { $0.append(line) } }
    }

    struct StoringHandler: LogHandler {
        let store: LineStore
        var metadata: Logger.Metadata = [:]
        var metadataProvider: Logger.MetadataProvider?
        var logLevel = Logger.Level.info

        init(store: LineStore) { self.store = store }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: Logging.LogEvent) {
            var facts = metadata
            facts.merge(metadataProvider?.get() ?? [:]) { _, provided in provided }
            facts.merge(event.metadata ?? [:]) { _, called in called }
            store.append(RecordedLine(level: event.level, message: event.message.description, metadata: facts, source: event.source))
        }
    }

    @Suite(.serialized) struct TestAHandlerTests {
        @Test func theHandlerConforms() async {
            let report = await LogHandlerConformance {
                let store = LineStore()
                return LogHandlerSpecimen(StoringHandler(store: store)) { store.lines }
            }.run()
            #expect(report.findings.isEmpty, "\(report)")
        }

        @Test func thePageNamesEveryCheckForHandlersWithItsPromise() throws {
            let text = try TestAProviderTests.page().components(separatedBy: "## The checks")[1]
            for check in LogHandlerConformance.checks {
                #expect(text.contains("| `\(check.name)` | \(check.promise) |"))
            }
            #expect(LogHandlerConformance.checks.count == TestAProviderTests.handlerChecks)
        }
    }
#endif
