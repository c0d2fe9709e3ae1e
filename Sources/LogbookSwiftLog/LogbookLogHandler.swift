#if SwiftLog
    // HOT PATH — a line nobody hears ends at the level: swift-log evaluates neither its message nor its metadata.
    public import LogbookCore
    public import Logging

    /// Hands what other packages say through swift-log to a ``LogService``.
    ///
    /// ```swift
    /// LoggingSystem.bootstrap { LogbookLogHandler(label: $0) }     // once, at program start
    /// ```
    /// | swift-log | Logbook |
    /// |---|---|
    /// | level | the level of the same name; `trace` is ``LogLevel/verbose`` |
    /// | metadata | typed values in the order of their keys; the call's beat the metadata provider's, those beat the logger's |
    /// | `Int`, `Bool`, `Double` … as `stringConvertible` | numbers and truth values; every other type its description |
    /// | value with the attribute ``LogPrivacy`` | public, private or secret value |
    /// | `error:` | ``LogEvent/error``; what a ``LogDescribableError`` marks in it stays marked |
    /// | label | metadata under `logger`, unless it is empty |
    /// | source | the file's module; metadata under ``sourceKey`` when the caller gave another one |
    ///
    /// A handler is a value: changing a copy's level or metadata changes nothing else.
    public struct LogbookLogHandler: LogHandler {
        /// Holds a source that is not the module of the event's file: `"logger.source"`.
        public static let sourceKey = "logger.source"

        public let label: String
        public var metadata: Logger.Metadata = [:]
        public var metadataProvider: Logger.MetadataProvider?
        /// Where the events go.
        public let service: LogService

        private let labelKey: String?
        private let privacy: (@Sendable (Logger.MetadataValueAttributes) -> LogPrivacy?)?
        private var ownLevel: Logger.Level?

        /// - Parameters:
        ///   - label: The logger's label, as `LoggingSystem` hands it to its factory.
        ///   - service: Where the events go.
        ///   - logLevel: The logger's own level; nil leaves it to the service, see ``logLevel``.
        ///   - metadataProvider: Adds metadata at every event that is heard; the system's own unless given.
        ///   - labelKey: The metadata key under which every event carries the label; nil leaves the label out.
        ///   - privacy: Says what attributes of other packages mean, for example
        ///     `{ $0[Sensitivity.self] == .sensitive ? .private : nil }`. The strictest of its answer and an attribute
        ///     ``LogPrivacy`` counts. Called only for values that have attributes.
        public init(
            label: String, service: LogService = .shared, logLevel: Logger.Level? = nil,
            metadataProvider: Logger.MetadataProvider? = LoggingSystem.metadataProvider, labelKey: String? = "logger",
            privacy: (@Sendable (Logger.MetadataValueAttributes) -> LogPrivacy?)? = nil
        ) {
            self.label = label
            self.service = service
            self.metadataProvider = metadataProvider
            self.labelKey = labelKey
            self.privacy = privacy
            ownLevel = logLevel
        }

        /// The level that was set on this very logger. Until one is set: the lowest level that somebody who listens to the
        /// service hears at this moment (`critical` when nobody listens), so that a line nobody hears costs next to nothing.
        ///
        /// A level that was set is kept, whoever listens. Give one to a handler that is put into a `MultiplexLogHandler`,
        /// which asks for levels only once.
        public var logLevel: Logger.Level {
            get { ownLevel ?? lowestHeardLevel }
            set { ownLevel = newValue }
        }

        public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        private var lowestHeardLevel: Logger.Level {
            if service.mayHearInThisTask(.verbose) { return .trace }
            if service.mayHearInThisTask(.debug) { return .debug }
            if service.mayHearInThisTask(.info) { return .info }
            if service.mayHearInThisTask(.notice) { return .notice }
            if service.mayHearInThisTask(.warning) { return .warning }
            return service.mayHearInThisTask(.error) ? .error : .critical
        }

        /// Takes an event from swift-log. One that a ``SwiftLogForwardingProvider`` of the same service sent is not said again.
        public func log(event: Logging.LogEvent) {
            let level = LogLevel(event.level)
            guard service.mayHearInThisTask(level) else { return }
            var stamp: ForwardingStamp?
            if let trace = event.metadata?[ForwardingStamp.key] {
                stamp = ForwardingStamp(trace)
                // A handler in between may have made text of the stamp: then the thread is still inside the provider.
                if service.isHeard(by: stamp?.mark ?? LogRegistration.currentMark) { return }
            }
            service.relay(
                level, LogMessage(text: event.message.description), metadata: facts(of: event, isStamped: stamp != nil),
                marked: event.error.map(MarkedError.init(loggedWith:)), at: stamp?.time,
                source: LogSource(
                    fileNamed: event.file, functionNamed: event.function, line: UInt32(clamping: event.line)))
        }

        @available(*, deprecated, renamed: "log(event:)")
        public func log(
            level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?, source: String, file: String,
            function: String, line: UInt
        ) {
            log(
                event: Logging.LogEvent(
                    level: level, message: message, metadata: metadata, source: source, file: file, function: function,
                    line: line))
        }

        /// In the order of the keys: a dictionary's own order changes from run to run.
        private func facts(of event: Logging.LogEvent, isStamped: Bool) -> LogMetadata {
            let provided = metadataProvider?.get() ?? [:], explicit = event.metadata ?? [:]
            func isTaken(_ key: String) -> Bool { explicit[key] != nil || provided[key] != nil }

            var members: [(String, LogValue)] = []
            members.reserveCapacity(metadata.count + provided.count + explicit.count + 2)
            if let labelKey, !label.isEmpty, !isTaken(labelKey), metadata[labelKey] == nil {
                members.append((labelKey, .string(label)))
            }
            if let source = ownSource(of: event), !isTaken(Self.sourceKey), metadata[Self.sourceKey] == nil {
                members.append((Self.sourceKey, .string(source)))
            }
            for (key, value) in metadata where !isTaken(key) { members.append((key, LogValue(value, privacy: privacy))) }
            for (key, value) in provided where explicit[key] == nil {
                members.append((key, LogValue(value, privacy: privacy)))
            }
            for (key, value) in explicit where !isStamped || key != ForwardingStamp.key {
                members.append((key, LogValue(value, privacy: privacy)))
            }
            if members.count > 1 { members.sort { $0.0 < $1.0 } }
            return LogMetadata(distinct: members)
        }

        /// The event's source, unless it is the module in front of the file's first slash.
        private func ownSource(of event: Logging.LogEvent) -> String? {
            let source = event.source, file = event.file.utf8
            if source == "n/a" { return nil }   // swift-log's word for a file without a module
            let isModule = file.starts(with: source.utf8) && file.dropFirst(source.utf8.count).first == UInt8(ascii: "/")
            return isModule ? nil : source
        }
    }
#endif
