#if SwiftLog
    public import Logging

    /// A fresh handler on the bench, and how to look at what it has written.
    public struct LogHandlerSpecimen: Sendable {
        let handler: any LogHandler
        let readBack: @Sendable () throws -> [RecordedLine]
        let cleanUp: @Sendable () -> Void

        /// - Parameters:
        ///   - handler: Nothing has been logged through it yet.
        ///   - readBack: Everything written so far, in its order. A handler that writes later is flushed here first.
        ///   - cleanUp: Called once when the check is over.
        public init(
            _ handler: any LogHandler, readBack: @escaping @Sendable () throws -> [RecordedLine],
            cleanUp: @escaping @Sendable () -> Void = {}
        ) {
            self.handler = handler
            self.readBack = readBack
            self.cleanUp = cleanUp
        }
    }
#endif
