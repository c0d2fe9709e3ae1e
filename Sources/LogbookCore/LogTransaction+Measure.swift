extension LogTransaction {
    /// Reports how a piece of work goes: `started` before it, then `done`, or `failed` with the error's code and description when
    /// it throws. What is said inside carries the transaction's id, see ``run(_:)``.
    ///
    /// ```swift
    /// let account = try await login.measure(started: 2, done: 7, failed: 4) { try await client.signIn(name, password) }
    /// ```
    /// The code is that of `NSError` where the error has one, and of an enum of whole numbers (`enum SignInError: Int, Error`) the number.
    /// Swift numbers the cases of other enums itself, those with associated values first, so a new case or value may give them other codes;
    /// errors of structures and classes have the code 1. Where analysts are to compare codes, take an enum of whole numbers, or log the
    /// event with the code that is meant. Of a ``LogDescribableError`` the description is what it says of itself, and private parts stay
    /// private.
    ///
    /// - Throws: What `body` throws.
    public func measure<Result>(
        started: Int, done: Int, failed: Int,
        file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line, _ body: () throws -> Result
    ) rethrows -> Result {
        log(started, file: file, function: function, line: line)
        do {
            let result = try run(body)
            log(done, file: file, function: function, line: line)
            return result
        } catch {
            log(failed, for: error, file: file, function: function, line: line)
            throw error
        }
    }

    /// The same around asynchronous work. A cancelled task has failed, too.
    public func measure<Result>(
        started: Int, done: Int, failed: Int, isolation: isolated (any Actor)? = #isolation,
        file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        log(started, file: file, function: function, line: line)
        do {
            let result = try await run(isolation: isolation, body)
            log(done, file: file, function: function, line: line)
            return result
        } catch {
            log(failed, for: error, file: file, function: function, line: line)
            throw error
        }
    }

    /// Says that an event happened because of an error.
    private func log(
        _ event: Int, for error: any Error, file: StaticString, function: StaticString, line: UInt32
    ) {
        let code = error._code   // what `NSError` calls `code`, without Foundation
        if let describable = error as? any LogDescribableError {
            log(event, error: code, describable.logDescription, file: file, function: function, line: line)
        } else {
            log(event, error: code, String(describing: error), file: file, function: function, line: line)
        }
    }
}
