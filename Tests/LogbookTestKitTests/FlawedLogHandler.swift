#if SwiftLog
    @testable import LogbookTestKit
    import Logging

    /// A handler that keeps every rule of swift-log, and lines for a test to read. Give it a bad habit and it breaks one.
    struct FlawedLogHandler: LogHandler {
        enum Habit: String, CaseIterable {
            case none
            case losesEverything, rewritesText, writesTwice, standsOnItsHead, dropsALevel, namesALevelWrong
            case ignoresItsLevel, sharesItsLevel, keepsRemovedKeys, wholeMetadataIsAnother, sharesItsMetadata
            case dropsOwnMetadata, dropsCallMetadata, dropsNesting, describesNoNumber
            case ownMetadataWins, remembersTheCall
            case ignoresItsProvider, asksItsProviderOnce, sharesItsProvider, ownMetadataBeatsProvider, providerBeatsCall
            case callHidesProvider, providerHidesOwnMetadata
            case dropsTheSource, dropsTheError, oldFormLosesMetadata, oldFormIsSilent
            case skipsEmptyMessages, makesALineOfEachLine, writesMetadataAsItIs, writesPlacesAsTheyAre, replacesControls, hearsOneThread
        }

        /// What copies share.
        final class Store: Sendable {
            struct State {
                var lines: [RecordedLine] = []
                var level = Logger.Level.info
                var metadata: Logger.Metadata = [:]
                var provider: Logger.MetadataProvider?
                var provided: Logger.Metadata?
                var remembered: Logger.Metadata = [:]
                var thread: UInt64?
            }
            let state = Locked(State())
        }
        let habit: Habit
        let store = Store()
        private var ownLevel = Logger.Level.info
        private var ownMetadata: Logger.Metadata = [:]
        private var ownProvider: Logger.MetadataProvider?

        init(_ habit: Habit) { self.habit = habit }

        var specimen: LogHandlerSpecimen { LogHandlerSpecimen(self) { store.state.withLock { $0.lines } } }

        var logLevel: Logger.Level {
            get { habit == .sharesItsLevel ? store.state.withLock { $0.level } : ownLevel }
            set {
                if habit == .ignoresItsLevel, newValue == .error { return }
                if habit == .sharesItsLevel { store.state.withLock { $0.level = newValue } }
                ownLevel = newValue
            }
        }

        var metadata: Logger.Metadata {
            get { habit == .sharesItsMetadata ? store.state.withLock { $0.metadata } : ownMetadata }
            set {
                if habit == .wholeMetadataIsAnother { return }
                if habit == .sharesItsMetadata { store.state.withLock { $0.metadata = newValue } }
                ownMetadata = newValue
            }
        }

        subscript(metadataKey key: String) -> Logger.MetadataValue? {
            get { metadata[key] }
            set {
                if habit == .keepsRemovedKeys, newValue == nil { return }
                if habit == .wholeMetadataIsAnother { ownMetadata[key] = newValue } else { metadata[key] = newValue }
            }
        }

        var metadataProvider: Logger.MetadataProvider? {
            get { habit == .sharesItsProvider ? store.state.withLock { $0.provider } : ownProvider }
            set {
                if habit == .sharesItsProvider { store.state.withLock { $0.provider = newValue } }
                ownProvider = newValue
            }
        }

        private func provided() -> Logger.Metadata {
            switch habit {
            case .ignoresItsProvider: return [:]
            case .asksItsProviderOnce:
                return store.state.withLock { state in
                    if state.provided == nil { state.provided = ownProvider?.get() }
                    return state.provided ?? [:]
                }
            default: return metadataProvider?.get() ?? [:]
            }
        }

        private func merged(_ call: Logger.Metadata) -> Logger.Metadata {
            let own = habit == .dropsOwnMetadata ? [:] : metadata, call = habit == .dropsCallMetadata ? [:] : call
            var merged = habit == .providerHidesOwnMetadata && metadataProvider != nil ? [:] : own
            let isProviderHidden = habit == .callHidesProvider && !call.isEmpty
            merged.merge(isProviderHidden ? [:] : provided()) { own, provided in habit == .ownMetadataBeatsProvider ? own : provided }
            if habit == .remembersTheCall { merged.merge(store.state.withLock { $0.remembered }) { $1 } }
            merged.merge(call) { earlier, called in
                if habit == .ownMetadataWins, own.description.contains(earlier.description) { return earlier }
                if habit == .providerBeatsCall, earlier == "provider's" { return earlier }
                return called
            }
            store.state.withLock { $0.remembered = call }
            return merged.filter { _, value in
                switch value {
                case .dictionary, .array: habit != .dropsNesting
                case .stringConvertible: habit != .describesNoNumber
                default: true
                }
            }
        }

        func log(event: Logging.LogEvent) {
            var line = RecordedLine(
                level: event.level, message: event.message.description, metadata: merged(event.metadata ?? [:]), source: event.source,
                error: event.error.map { "\($0)" } ?? "")
            switch habit {
            case .losesEverything: return
            case .rewritesText: line.message = line.message?.uppercased()
            case .dropsALevel where event.level == .notice && line.message == "at notice": return
            case .namesALevelWrong where event.level == .trace: line.level = .debug
            case .dropsTheSource: line.source = "n/a"
            case .dropsTheError: line.error = ""
            case .skipsEmptyMessages where line.message == "": return
            case .replacesControls: line.message = line.message.map { String($0.map { $0 == "\u{1B}" ? "?" : $0 }) }
            case .hearsOneThread:
                let current = LogThread.currentNumber
                let isFirst = store.state.withLock { state in
                    if state.thread == nil { state.thread = current }
                    return state.thread == current
                }
                if !isFirst { return }
            default: break
            }
            store.state.withLock { state in
                if habit == .makesALineOfEachLine {
                    for part in (line.message ?? "").split(separator: "\n", omittingEmptySubsequences: false) {
                        line.message = String(part)
                        state.lines.append(line)
                    }
                } else {
                    state.lines.insert(line, at: habit == .standsOnItsHead ? 0 : state.lines.count)
                    let raw = habit == .writesMetadataAsItIs
                        ? line.metadata?.description : habit == .writesPlacesAsTheyAre ? event.file : nil
                    for part in (raw ?? "").split(separator: "\n").dropFirst() { state.lines.append(RecordedLine(message: String(part))) }
                    if habit == .writesTwice { state.lines.append(line) }
                }
            }
        }

        @available(*, deprecated)
        func log(
            level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?, source: String, file: String, function: String,
            line: UInt
        ) {
            if habit == .oldFormIsSilent { return }
            log(
                event: LogEvent(
                    level: level, message: message, metadata: habit == .oldFormLosesMetadata ? nil : metadata,
                    source: source, file: file, function: function, line: line))
        }
    }
#endif
