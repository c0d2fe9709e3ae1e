#if SwiftLog
    public import Logging

    /// One call as it was read back from where a handler wrote it. What the handler does not keep is nil and is not compared.
    public struct RecordedLine: Sendable {
        public var level: Logger.Level?
        /// The text as it was logged, with the handler's own escapes undone.
        public var message: String?
        /// May hold more than was logged, such as the logger's label.
        public var metadata: Logger.Metadata?
        public var source: String?
        /// The error in words; empty for a call without one.
        public var error: String?

        public init(
            level: Logger.Level? = nil, message: String? = nil, metadata: Logger.Metadata? = nil, source: String? = nil,
            error: String? = nil
        ) {
            self.level = level
            self.message = message
            self.metadata = metadata
            self.source = source
            self.error = error
        }
    }
#endif
