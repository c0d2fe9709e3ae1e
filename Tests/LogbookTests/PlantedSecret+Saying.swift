import Logbook
import LogbookSwiftLog
import LogbookTestKit

#if SwiftLog
    import Logging
#endif

extension PlantedSecret {
    private struct PlainFailure: Error, CustomStringConvertible { let description: String }
    private struct MarkedFailure: LogDescribableError {
        let text: String
        let privacy: LogPrivacy
        var logDescription: LogMessage { "refused: \(text, privacy: privacy)" }
    }

    private var mark: LogPrivacy { kind == .secretWord ? .secret : .private }
    private var isMarked: Bool { kind == .privateWord || kind == .secretWord }
    private var key: String {
        kind == .underKey ? ["password", "x-api-key", "Authorization", "set-cookie", "userPin", "clientSecret"][number % 6] : "note"
    }
    private var value: LogValue { isMarked ? .protected(mark, .string(text)) : .string(text) }
    private var level: LogLevel { [.debug, .info, .warning, .error][number % 4] }

    private var failure: any Error {
        isMarked ? MarkedFailure(text: text, privacy: mark) : PlainFailure(description: "refused: \(text)")
    }

    /// As a key, at the top and within.
    private var keyed: LogMetadata {
        var inner = LogMetadata(), outer = LogMetadata()
        inner[text] = 2
        outer[text] = 1
        outer["in"] = [.object(inner)]
        return outer
    }

    /// Says it in its place, with its tag beside it.
    func say(to service: LogService) {
        switch place {
        case .message:
            if isMarked { service.log(level, "\(tag) said \(text, privacy: mark).") } else { service.log(level, "\(tag) said \(text) .") }
        case .metadata: service.log(level, "\(tag)", metadata: [key: value, "n": 1])
        case .nested: service.log(level, "\(tag)", metadata: ["outer": [1, ["inner": [key: value]], "x"]])
        case .key: service.log(level, "\(tag)", metadata: keyed)
        case .error: service.log(level, "\(tag)", error: failure)
        case .errorInMessage: service.log(level, "\(tag) after \(failure) .")
        case .errorAsMessage: service.log(level, failure, metadata: ["tag": .string(tag)])
        case .anythingInMessage: service.log(level, "\(tag) after \(failure as Any) .")
        case .anythingInMetadata: service.log(level, "\(tag)", metadata: ["failure": .describing(failure)])
        case .entry:
            let transaction = service.transaction(usecase: number)
            if isMarked { transaction.log(1, error: number, "\(tag) refused \(text, privacy: mark)") }
            else { transaction.log(1, error: number, "\(tag) refused \(text)") }
        case .context: LogService.with([key: value]) { service.log(level, "\(tag)") }
        case .relayed:
            service.relay(
                level, LogMessage(text: isMarked || kind == .underKey ? tag : "\(tag) \(text)"), metadata: [key: value],
                error: isMarked || kind == .underKey ? nil : LogErrorDetails(type: "Foreign", description: "said \(text)"))
        case .swiftLog:
            #if SwiftLog
                var logger = Logger(label: "planted") { LogbookLogHandler(label: $0, service: service) }
                logger.logLevel = .trace
                let value: Logger.MetadataValue = isMarked ? "\(text, privacy: mark)" : "\(text)"
                logger.log(
                    level: Logger.Level(level), isMarked || kind == .underKey ? "\(tag)" : "\(tag) \(text)", metadata: [key: value],
                    source: "planted")
            #else
                service.log(level, "\(tag)", metadata: [key: value])
            #endif
        case .sinkFailure:
            let failure = text
            service.register(
                sink: FailingSink { _ in ScriptedFailure("cannot write: \(failure)") }, from: .critical, name: "sink \(number)")
            service.log(level, "\(tag)")
        }
    }
}
