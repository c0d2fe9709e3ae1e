extension LogService {
    /// Adds metadata to everything that is said inside, also by child tasks, to every service.
    ///
    /// ```swift
    /// try await LogService.with(["request": .string(id)]) { try await answer() }
    /// ```
    /// An inner scope adds to the outer one and decides a key that both have; a call's own metadata decides over both. Looked up
    /// only when a provider wants it, see ``LogProvider/wantsContext``.
    public static func with<Result>(_ metadata: LogMetadata, _ body: () throws -> Result) rethrows -> Result {
        try LogContext.$current.withValue(.current(adding: metadata), operation: body)
    }

    /// The same around asynchronous work.
    public static func with<Result>(
        _ metadata: LogMetadata, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await LogContext.$current.withValue(.current(adding: metadata), operation: body)
    }

    /// Lets everything from `level` on be heard that is said inside, also by child tasks: for one request that is to be followed
    /// closely.
    ///
    /// It adds to what is heard and silences nobody. Of nested scopes the inner one counts. Registrations whose levels are fixed
    /// (``LogRegistration/isFixed``) are left alone, and filters still decide.
    public static func withLevel<Result>(_ level: LogLevel, _ body: () throws -> Result) rethrows -> Result {
        try LogContext.$current.withValue(.current(at: level), operation: body)
    }

    /// The same around asynchronous work.
    public static func withLevel<Result>(
        _ level: LogLevel, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await LogContext.$current.withValue(.current(at: level), operation: body)
    }
}

extension LogTransaction {
    /// The transaction whose ``run(_:)`` this task is inside; nil outside of every one.
    public static var current: LogTransaction? { LogContext.current?.transaction }

    /// Makes this the current transaction: messages that are said inside, also by child tasks, carry its id, see
    /// ``LogEvent/transactionID``.
    public func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        try LogContext.$current.withValue(.current(in: self), operation: body)
    }

    /// The same around asynchronous work.
    public func run<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await LogContext.$current.withValue(.current(in: self), operation: body)
    }
}
