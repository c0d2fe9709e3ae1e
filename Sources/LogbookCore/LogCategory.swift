// HOT PATH — the calls cost what those of the service do: nothing else happens before somebody may listen.

/// A part of the program that logs under a name: what elsewhere is a logger with a category, a name or a source context.
///
/// ```swift
/// let http = LogService.category("net.http")
/// http.debug("\(method) \(path)")
/// ```
/// The name goes with every event as the metadata `category`, so every format shows it that shows metadata. ``LevelRules``, ``LogFilter``
/// and ``LogService/raise(to:for:during:)`` find events by it; a rule for `net` covers `net.http`. A category that is given in the
/// metadata of a call, or of ``LogService/with(_:_:)``, is the same thing.
public struct LogCategory: Sendable {
    /// Parts with dots between them, the widest first: `net.http`.
    public let name: String
    public let service: LogService

    public init(_ name: String, of service: LogService = .shared) {
        self.name = name
        self.service = service
    }

    /// Whether a message of this level, said here, has a listener; see ``LogService/isEnabled(_:category:file:)``.
    public func isEnabled(_ level: LogLevel, file: StaticString = #fileID) -> Bool {
        service.isEnabled(level, category: name, file: file)
    }

    @usableFromInline
    func adding(_ metadata: LogMetadata) -> LogMetadata {
        LogMetadata([(LogMetadata.categoryKey, .string(name))]).merging(metadata)
    }

    /// Says something at a level chosen at run time.
    @inlinable
    public func log(
        _ level: LogLevel, _ message: @autoclosure () -> LogMessage, metadata: @autoclosure () -> LogMetadata = [:],
        error: (any Error)? = nil, file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
        service.log(level, message(), metadata: adding(metadata()), error: error, file: file, function: function, line: line)
    }

    /// The same for text, or any value, that is at hand as a variable.
    @inlinable
    @_disfavoredOverload
    public func log<Value>(
        _ level: LogLevel, _ value: @autoclosure () -> Value, metadata: @autoclosure () -> LogMetadata = [:],
        error: (any Error)? = nil, file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
        service.log(level, value(), metadata: adding(metadata()), error: error, file: file, function: function, line: line)
    }
}

extension LogService {
    /// A part of the program that logs to this service under a name.
    public func category(_ name: String) -> LogCategory { LogCategory(name, of: self) }
    /// A part of the program that logs to ``shared`` under a name.
    public static func category(_ name: String) -> LogCategory { LogCategory(name) }
}
