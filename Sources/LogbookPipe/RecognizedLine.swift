public import LogbookCore

/// What a line of some program's log says.
public struct RecognizedLine: Sendable, Equatable {
    public var level: LogLevel
    public var message: String
    public var metadata: LogMetadata
    /// When the line says it was written; nil when it does not say.
    public var time: LogTime?
    /// Where in its program it was said.
    public var source: LogSource
    public var error: LogErrorDetails?

    public init(
        level: LogLevel, message: String, metadata: LogMetadata = [:], time: LogTime? = nil, source: LogSource = .unknown,
        error: LogErrorDetails? = nil
    ) {
        self.level = level
        self.message = message
        self.metadata = metadata
        self.time = time
        self.source = source
        self.error = error
    }
}
