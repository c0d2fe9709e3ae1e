/// What makes two events of one kind, for samples and rate limits. What is too long to be remembered is told by its SHA-256.
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

    /// Of what tells one kind from others, in bytes: so much is remembered as it is.
    static let longestText = 128

    enum Value: Hashable {
        case source(LogSource)
        case message(LogLevel, String)
        case fact(LogValue?)
        /// Of what is longer.
        case digest(KindDigest)
        /// Every kind for which there is no room of its own.
        case rest
    }

    func value(of event: LogEvent) -> Value {
        switch self {
        case .callSite: event.source.heldBytes <= Self.longestText ? .source(event.source) : .digest(KindDigest(event.source))
        case .message:
            event.message.utf8.count <= Self.longestText
                ? .message(event.level, event.message) : .digest(KindDigest(event.level, event.message))
        case .category: fact(event.metadata[LogMetadata.categoryKey])
        case .metadata(let key): fact(event.metadata[key])
        case .everything: .rest
        }
    }

    private func fact(_ value: LogValue?) -> Value {
        guard let value, value.estimatedBytes > Self.longestText else { return .fact(value) }
        return .digest(KindDigest(value))
    }
}
