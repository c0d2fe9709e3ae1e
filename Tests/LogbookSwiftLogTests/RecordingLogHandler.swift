#if SwiftLog
    import LogbookCore
    import Logging

    /// A handler of swift-log that keeps every event for a test to look at.
    struct RecordingLogHandler: LogHandler {
        final class Store: Sendable {
            private let heard = Locked<[Logging.LogEvent]>([])
            var events: [Logging.LogEvent] { heard.withLock { $0 } }
            fileprivate func append(_ event: Logging.LogEvent) { heard.withLock { $0.append(event) } }
        }

        let store: Store
        var metadata: Logger.Metadata = [:]
        var metadataProvider: Logger.MetadataProvider?
        var logLevel = Logger.Level.trace

        init(_ store: Store) { self.store = store }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: Logging.LogEvent) { store.append(event) }
    }

    /// A handler of swift-log that does with each event what a test asks for.
    struct ClosureLogHandler: LogHandler {
        let body: @Sendable (Logging.LogEvent) -> Void
        var metadata: Logger.Metadata = [:]
        var metadataProvider: Logger.MetadataProvider?
        var logLevel = Logger.Level.trace

        init(_ body: @escaping @Sendable (Logging.LogEvent) -> Void) { self.body = body }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: Logging.LogEvent) { body(event) }
    }
#endif
