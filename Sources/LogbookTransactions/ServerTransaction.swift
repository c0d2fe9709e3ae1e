public import LogbookCore

/// A server's part of a transaction that a client has begun: that work on its request started, and how it ended, on the server's clock.
///
/// ```swift
/// let answer = try await ServerTransaction.run(
///     headers: request.headers.map { ($0.name, $0.value) }, usecase: 1,
///     events: ServerTransaction.Events(started: 3, success: 6, invalid: 5, error: 4)
/// ) {
///     try await logIn(request)
/// }
/// ```
/// Messages that are logged in the work carry the transaction's id (``LogEvent/transactionID``).
///
/// Whatever becomes of the entries, the work is done and its answer or error handed on unchanged: a request that names no
/// transaction, or names it in a way that cannot be read, is served without entries. A provider that commits on the caller's
/// thread makes the request wait for it, at worst for a few times as long as a locked store is waited for
/// (`TransactionLogConfiguration.busyTimeout`); register it `.queued()` where that must not be. What could not be stored is counted in
/// the provider's ledger.
public enum ServerTransaction {
    /// The numbers that the use case gives to what a server may say.
    public struct Events: Sendable, Hashable {
        public var started: Int
        public var success: Int
        /// The client asked for something that cannot be.
        public var invalid: Int
        /// The server failed.
        public var error: Int

        public init(started: Int, success: Int, invalid: Int, error: Int) {
            self.started = started
            self.success = success
            self.invalid = invalid
            self.error = error
        }
    }

    /// How work on a request ended.
    public enum Outcome: Sendable, Hashable {
        case success
        case invalid(code: Int? = nil, String? = nil)
        case error(code: Int? = nil, String)
    }

    /// UTF-8 bytes of a description at most.
    static let maximumDescriptionBytes = 4096

    /// Does the work, and says in the transaction that the headers name that it started and how it ended.
    /// - Parameters:
    ///   - headers: The request's fields. Values of `Authorization`, `Cookie` and their like never get into an entry.
    ///   - prefix: What the names of ``TransactionHeaders`` begin with.
    ///   - outcome: What an answer means; every answer is a success where nothing is said.
    ///   - failure: What a thrown error means; nil for a failure of the server, described by its type, what it says, and the place.
    public static func run<Answer>(
        headers: some Sequence<(String, String)>, prefix: String = "logbook-", usecase: Int, events: Events,
        service: LogService = .shared, outcome: (Answer) -> Outcome = { _ in .success },
        failure: (any Error) -> Outcome? = { _ in nil }, isolation: isolated (any Actor)? = #isolation,
        file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line,
        _ work: () async throws -> Answer
    ) async rethrows -> Answer {
        let headers = Array(headers)
        guard let named = TransactionHeaders(from: headers, prefix: prefix) else { return try await work() }
        let transaction = service.transaction(continuing: named.transactionID, usecase: usecase, device: named.device)
        func say(_ outcome: Outcome) {
            switch outcome {
            case .success: transaction.log(events.success, file: file, function: function, line: line)
            case .invalid(let code, let text):
                transaction.log(
                    events.invalid, error: code, text.map { described($0, apartFrom: headers) }, file: file, function: function,
                    line: line)
            case .error(let code, let text):
                transaction.log(
                    events.error, error: code, described(text, apartFrom: headers), file: file, function: function, line: line)
            }
        }
        transaction.log(events.started, file: file, function: function, line: line)
        do {
            let answer = try await transaction.run(isolation: isolation, work)
            say(outcome(answer))
            return answer
        } catch {
            say(failure(error) ?? .error(words(for: error, function: function, file: file, line: line)))
            throw error
        }
    }

    /// An error by its type, what it says, and where the work was begun: where it was thrown nobody knows any more. What it marks as
    /// private stays so.
    package static func words(for error: any Error, function: StaticString, file: StaticString, line: UInt32) -> String {
        let words: LogMessage = "\(String(reflecting: type(of: error))): \(error), in \(function) at \(file):\(line)"
        return words.description
    }

    /// The text without secrets, and not too long.
    static func described(_ text: String, apartFrom headers: [(String, String)]) -> String {
        // What is cut off in the end may begin within a secret; so there is more of it here.
        let text = PrivacyRules.standard.masking(CredentialMask(headers).masking(text, upTo: 4 * maximumDescriptionBytes))
        guard text.utf8.count > maximumDescriptionBytes else { return text }
        return String(decoding: text.utf8.prefix(maximumDescriptionBytes), as: UTF8.self) + "…"
    }
}
