// HOT PATH — the static calls: the same on `LogService.shared`.

extension LogService {
    /// Lets a provider listen to ``shared``: the article's call at program start.
    @discardableResult
    public static func register(provider: any LogProvider) -> LogRegistration { shared.register(provider) }

    /// Says something that is only of interest when following every step.
    @inlinable
    public static func verbose(
        _ message: @autoclosure () -> LogMessage, metadata: @autoclosure () -> LogMetadata = [:],
        error: (any Error)? = nil, file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
        shared.log(.verbose, message(), metadata: metadata(), error: error, file: file, function: function, line: line)
    }

    /// The same for text, or any value, that is at hand as a variable.
    @inlinable
    @_disfavoredOverload
    public static func verbose<Value>(
        _ value: @autoclosure () -> Value, metadata: @autoclosure () -> LogMetadata = [:],
        error: (any Error)? = nil, file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
        shared.log(.verbose, value(), metadata: metadata(), error: error, file: file, function: function, line: line)
    }

    /// Says something that helps to find a fault.
    @inlinable
    public static func debug(
        _ message: @autoclosure () -> LogMessage, metadata: @autoclosure () -> LogMetadata = [:],
        error: (any Error)? = nil, file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
        shared.log(.debug, message(), metadata: metadata(), error: error, file: file, function: function, line: line)
    }

    /// The same for text, or any value, that is at hand as a variable.
    @inlinable
    @_disfavoredOverload
    public static func debug<Value>(
        _ value: @autoclosure () -> Value, metadata: @autoclosure () -> LogMetadata = [:],
        error: (any Error)? = nil, file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
        shared.log(.debug, value(), metadata: metadata(), error: error, file: file, function: function, line: line)
    }

    /// Says that something expected happened.
    @inlinable
    public static func info(
        _ message: @autoclosure () -> LogMessage, metadata: @autoclosure () -> LogMetadata = [:],
        error: (any Error)? = nil, file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
        shared.log(.info, message(), metadata: metadata(), error: error, file: file, function: function, line: line)
    }

    /// The same for text, or any value, that is at hand as a variable.
    @inlinable
    @_disfavoredOverload
    public static func info<Value>(
        _ value: @autoclosure () -> Value, metadata: @autoclosure () -> LogMetadata = [:],
        error: (any Error)? = nil, file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
        shared.log(.info, value(), metadata: metadata(), error: error, file: file, function: function, line: line)
    }

    /// Says something expected that somebody should notice.
    @inlinable
    public static func notice(
        _ message: @autoclosure () -> LogMessage, metadata: @autoclosure () -> LogMetadata = [:],
        error: (any Error)? = nil, file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
        shared.log(.notice, message(), metadata: metadata(), error: error, file: file, function: function, line: line)
    }

    /// The same for text, or any value, that is at hand as a variable.
    @inlinable
    @_disfavoredOverload
    public static func notice<Value>(
        _ value: @autoclosure () -> Value, metadata: @autoclosure () -> LogMetadata = [:],
        error: (any Error)? = nil, file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
        shared.log(.notice, value(), metadata: metadata(), error: error, file: file, function: function, line: line)
    }

    /// Says something that may become a fault.
    @inlinable
    public static func warning(
        _ message: @autoclosure () -> LogMessage, metadata: @autoclosure () -> LogMetadata = [:],
        error: (any Error)? = nil, file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
        shared.log(.warning, message(), metadata: metadata(), error: error, file: file, function: function, line: line)
    }

    /// The same for text, or any value, that is at hand as a variable.
    @inlinable
    @_disfavoredOverload
    public static func warning<Value>(
        _ value: @autoclosure () -> Value, metadata: @autoclosure () -> LogMetadata = [:],
        error: (any Error)? = nil, file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
        shared.log(.warning, value(), metadata: metadata(), error: error, file: file, function: function, line: line)
    }

    /// Says that something failed.
    @inlinable
    public static func error(
        _ message: @autoclosure () -> LogMessage, metadata: @autoclosure () -> LogMetadata = [:],
        error: (any Error)? = nil, file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
        shared.log(.error, message(), metadata: metadata(), error: error, file: file, function: function, line: line)
    }

    /// The same for text, or any value, that is at hand as a variable.
    @inlinable
    @_disfavoredOverload
    public static func error<Value>(
        _ value: @autoclosure () -> Value, metadata: @autoclosure () -> LogMetadata = [:],
        error: (any Error)? = nil, file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
        shared.log(.error, value(), metadata: metadata(), error: error, file: file, function: function, line: line)
    }

    /// Says that something failed and people must act.
    @inlinable
    public static func critical(
        _ message: @autoclosure () -> LogMessage, metadata: @autoclosure () -> LogMetadata = [:],
        error: (any Error)? = nil, file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
        shared.log(.critical, message(), metadata: metadata(), error: error, file: file, function: function, line: line)
    }

    /// The same for text, or any value, that is at hand as a variable.
    @inlinable
    @_disfavoredOverload
    public static func critical<Value>(
        _ value: @autoclosure () -> Value, metadata: @autoclosure () -> LogMetadata = [:],
        error: (any Error)? = nil, file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
        shared.log(.critical, value(), metadata: metadata(), error: error, file: file, function: function, line: line)
    }
}
