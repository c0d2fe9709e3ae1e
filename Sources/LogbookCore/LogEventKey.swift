/// What makes two events of one kind, for samples and rate limits.
public enum LogEventKey: Sendable, Hashable {
    /// The same line of the program.
    case callSite
    /// The same level and message.
    case message
    /// The same category, or none.
    case category
    /// The same value under a metadata key, or none.
    case metadata(String)
    /// All events are of one kind.
    case everything

    enum Value: Hashable {
        case source(LogSource)
        case message(LogLevel, String)
        case fact(LogValue?)
        /// Every kind for which there is no room of its own.
        case rest
    }

    func value(of event: LogEvent) -> Value {
        switch self {
        case .callSite: .source(event.source)
        case .message: .message(event.level, event.message)
        case .category: .fact(event.metadata[LogMetadata.categoryKey])
        case .metadata(let key): .fact(event.metadata[key])
        case .everything: .rest
        }
    }
}
