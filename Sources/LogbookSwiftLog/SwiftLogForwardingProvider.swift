#if SwiftLog
    public import LogbookCore
    public import Logging

    /// Passes what a ``LogService`` says on to a swift-log logger, for handlers that exist only there.
    ///
    /// ```swift
    /// LogService.register(provider: SwiftLogForwardingProvider(to: Logger(label: "app") { StreamLogHandler.standardError(label: $0) }))
    /// ```
    /// The logger's own level applies; many handlers start at `info`. Level, message, metadata, error, file, function and line
    /// arrive as they were said. Private values are masked or written out as the service decided. swift-log has no place for
    /// the time of an event, so it travels as metadata under `logbook.time`, and a transaction's entry under `transaction`, or
    /// `transaction_2` where the program has metadata of that name.
    ///
    /// When the logger leads back to the same service through a ``LogbookLogHandler``, directly or among others, the event is not
    /// said again there; another service says it once, with its time.
    ///
    /// When `log` returns, the logger's handler has the event and its promises count. `flush` does nothing: swift-log has none.
    public struct SwiftLogForwardingProvider: LogProvider {
        /// Where the events go.
        public let logger: Logger

        public init(to logger: Logger) { self.logger = logger }

        public func log(_ event: LogbookCore.LogEvent) {
            let source = explicitSource(of: event)
            logger.log(
                level: Logger.Level(event.level), Logger.Message(stringLiteral: event.message),
                error: event.error.map(ForwardedError.init), metadata: metadata(of: event), source: source,
                file: event.source.file, function: event.source.function, line: UInt(event.source.line))
        }

        public func flush(by deadline: LogDeadline) throws {}

        /// The source that a ``LogbookLogHandler`` kept; nil for the file's module.
        private func explicitSource(of event: LogbookCore.LogEvent) -> String? {
            guard case .string(let source) = event.metadata[LogbookLogHandler.sourceKey] else { return nil }
            return source
        }

        private func metadata(of event: LogbookCore.LogEvent) -> Logger.Metadata {
            var metadata = Logger.Metadata(event.metadata)
            if explicitSource(of: event) != nil { metadata[LogbookLogHandler.sourceKey] = nil }
            if let entry = event.transaction {
                var keys = NumberedKeys(taken: metadata.keys)
                metadata[keys.take("transaction")] = .dictionary(facts(of: entry))
            }
            metadata[ForwardingStamp.key] = .stringConvertible(
                ForwardingStamp(time: event.time, mark: LogRegistration.currentMark))
            return metadata
        }

        private func facts(of entry: TransactionEntry) -> Logger.Metadata {
            var facts: Logger.Metadata = ["id": .string(entry.transactionID), "usecase": .stringConvertible(entry.usecase)]
            if let number = entry.event { facts["event"] = .stringConvertible(number) }
            if let code = entry.errorCode { facts["error_code"] = .stringConvertible(code) }
            if let text = entry.errorDescription { facts["error_description"] = .string(text) }
            return facts
        }
    }
#endif
