/// One run of a use case whose events the compiler knows; see ``UsecaseEvent``.
public struct TypedTransaction<Event: UsecaseEvent>: Sendable {
    /// The same transaction, for events that are known by their numbers alone.
    public let untyped: LogTransaction

    init(_ untyped: LogTransaction) { self.untyped = untyped }

    /// `TXN<usecase>-<UUID>`, to be sent along with the requests the use case makes.
    public var id: String { untyped.id }
    public var usecase: Int { untyped.usecase }
    public var device: DeviceFacts { untyped.device }

    /// Says that an event of the use case happened; see ``LogTransaction/log(_:error:_:file:function:line:)``.
    public func log(
        _ event: Event, error code: Int? = nil, _ description: String? = nil,
        file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
        untyped.log(event.rawValue, error: code, description, file: file, function: function, line: line)
    }

    /// The same with an error in words of which not every reader may see every part.
    @_disfavoredOverload
    public func log(
        _ event: Event, error code: Int? = nil, _ description: LogMessage,
        file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
        untyped.log(event.rawValue, error: code, description, file: file, function: function, line: line)
    }

    /// The same for an event that has a number and no name here, such as one that only servers report.
    @_disfavoredOverload
    public func log(
        _ event: Int, error code: Int? = nil, _ description: String? = nil,
        file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
        untyped.log(event, error: code, description, file: file, function: function, line: line)
    }

    /// Makes this the current transaction; see ``LogTransaction/run(_:)``.
    public func run<Result>(_ body: () throws -> Result) rethrows -> Result { try untyped.run(body) }

    /// The same around asynchronous work.
    public func run<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await untyped.run(isolation: isolation, body)
    }

    /// Reports how a piece of work goes; see ``LogTransaction/measure(started:done:failed:file:function:line:_:)``.
    public func measure<Result>(
        started: Event, done: Event, failed: Event,
        file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line, _ body: () throws -> Result
    ) rethrows -> Result {
        try untyped.measure(
            started: started.rawValue, done: done.rawValue, failed: failed.rawValue, file: file, function: function, line: line,
            body)
    }

    /// The same around asynchronous work.
    public func measure<Result>(
        started: Event, done: Event, failed: Event, isolation: isolated (any Actor)? = #isolation,
        file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await untyped.measure(
            started: started.rawValue, done: done.rawValue, failed: failed.rawValue, isolation: isolation, file: file,
            function: function, line: line, body)
    }
}

extension LogService {
    /// Begins a transaction of the use case that the events belong to: `service.transaction(LoginEvent.self)`.
    public func transaction<Event: UsecaseEvent>(
        _ events: Event.Type,
        file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) -> TypedTransaction<Event> {
        TypedTransaction(transaction(usecase: Event.usecase, file: file, function: function, line: line))
    }

    /// Goes on with a transaction of that use case that began elsewhere; see ``transaction(continuing:usecase:device:)``.
    public func transaction<Event: UsecaseEvent>(
        continuing id: String, _ events: Event.Type, device: DeviceFacts
    ) -> TypedTransaction<Event> {
        TypedTransaction(transaction(continuing: id, usecase: Event.usecase, device: device))
    }
}
