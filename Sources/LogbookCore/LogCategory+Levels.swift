// HOT PATH — the everyday calls of a category: each is `LogCategory.log` with its level, inlined into the caller.

extension LogCategory {
    /// Says something that is only of interest when following every step.
    @inlinable
    public func verbose(
        _ message: @autoclosure () -> LogMessage, metadata: @autoclosure () -> LogMetadata = [:],
        error: (any Error)? = nil, file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
        log(.verbose, message(), metadata: metadata(), error: error, file: file, function: function, line: line)
    }

    /// The same for text, or any value, that is at hand as a variable.
    @inlinable
    @_disfavoredOverload
    public func verbose<Value>(
        _ value: @autoclosure () -> Value, metadata: @autoclosure () -> LogMetadata = [:],
        error: (any Error)? = nil, file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
        log(.verbose, value(), metadata: metadata(), error: error, file: file, function: function, line: line)
    }

    /// Says something that helps to find a fault.
    @inlinable
    public func debug(
        _ message: @autoclosure () -> LogMessage, metadata: @autoclosure () -> LogMetadata = [:],
        error: (any Error)? = nil, file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
        log(.debug, message(), metadata: metadata(), error: error, file: file, function: function, line: line)
    }

    /// The same for text, or any value, that is at hand as a variable.
    @inlinable
    @_disfavoredOverload
    public func debug<Value>(
        _ value: @autoclosure () -> Value, metadata: @autoclosure () -> LogMetadata = [:],
        error: (any Error)? = nil, file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
        log(.debug, value(), metadata: metadata(), error: error, file: file, function: function, line: line)
    }

    /// Says that something expected happened.
    @inlinable
    public func info(
        _ message: @autoclosure () -> LogMessage, metadata: @autoclosure () -> LogMetadata = [:],
        error: (any Error)? = nil, file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
        log(.info, message(), metadata: metadata(), error: error, file: file, function: function, line: line)
    }

    /// The same for text, or any value, that is at hand as a variable.
    @inlinable
    @_disfavoredOverload
    public func info<Value>(
        _ value: @autoclosure () -> Value, metadata: @autoclosure () -> LogMetadata = [:],
        error: (any Error)? = nil, file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
        log(.info, value(), metadata: metadata(), error: error, file: file, function: function, line: line)
    }

    /// Says something expected that somebody should notice.
    @inlinable
    public func notice(
        _ message: @autoclosure () -> LogMessage, metadata: @autoclosure () -> LogMetadata = [:],
        error: (any Error)? = nil, file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
        log(.notice, message(), metadata: metadata(), error: error, file: file, function: function, line: line)
    }

    /// The same for text, or any value, that is at hand as a variable.
    @inlinable
    @_disfavoredOverload
    public func notice<Value>(
        _ value: @autoclosure () -> Value, metadata: @autoclosure () -> LogMetadata = [:],
        error: (any Error)? = nil, file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
        log(.notice, value(), metadata: metadata(), error: error, file: file, function: function, line: line)
    }

    /// Says something that may become a fault.
    @inlinable
    public func warning(
        _ message: @autoclosure () -> LogMessage, metadata: @autoclosure () -> LogMetadata = [:],
        error: (any Error)? = nil, file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
        log(.warning, message(), metadata: metadata(), error: error, file: file, function: function, line: line)
    }

    /// The same for text, or any value, that is at hand as a variable.
    @inlinable
    @_disfavoredOverload
    public func warning<Value>(
        _ value: @autoclosure () -> Value, metadata: @autoclosure () -> LogMetadata = [:],
        error: (any Error)? = nil, file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
        log(.warning, value(), metadata: metadata(), error: error, file: file, function: function, line: line)
    }

    /// Says that something failed.
    @inlinable
    public func error(
        _ message: @autoclosure () -> LogMessage, metadata: @autoclosure () -> LogMetadata = [:],
        error: (any Error)? = nil, file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
        log(.error, message(), metadata: metadata(), error: error, file: file, function: function, line: line)
    }

    /// The same for text, or any value, that is at hand as a variable.
    @inlinable
    @_disfavoredOverload
    public func error<Value>(
        _ value: @autoclosure () -> Value, metadata: @autoclosure () -> LogMetadata = [:],
        error: (any Error)? = nil, file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
        log(.error, value(), metadata: metadata(), error: error, file: file, function: function, line: line)
    }

    /// Says that something failed and people must act.
    @inlinable
    public func critical(
        _ message: @autoclosure () -> LogMessage, metadata: @autoclosure () -> LogMetadata = [:],
        error: (any Error)? = nil, file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
        log(.critical, message(), metadata: metadata(), error: error, file: file, function: function, line: line)
    }

    /// The same for text, or any value, that is at hand as a variable.
    @inlinable
    @_disfavoredOverload
    public func critical<Value>(
        _ value: @autoclosure () -> Value, metadata: @autoclosure () -> LogMetadata = [:],
        error: (any Error)? = nil, file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
        log(.critical, value(), metadata: metadata(), error: error, file: file, function: function, line: line)
    }
}
