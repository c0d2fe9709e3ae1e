#if Collector
    public import Hummingbird
    public import LogbookCore
    public import LogbookTransactions

    /// Says in the transaction that a request names that a Hummingbird server started to work on it, and how that ended:
    /// ``ServerTransaction``.
    ///
    /// ```swift
    /// router.add(middleware: TransactionMiddleware(events: events) { request in request.uri.path == "/session" ? 1 : nil })
    /// ```
    /// A status of 400 to 499 is invalid, 500 and more an error, whether answered or thrown; everything else is a success. An error without
    /// a status is described with the request's method and its route (`GET /users/{id}`; the path where it has found none), and with the
    /// place where the middleware was made; without the query, which may hold secrets. Answers and errors pass through unchanged.
    public struct TransactionMiddleware<Context: RequestContext>: RouterMiddleware {
        private let service: LogService
        private let prefix: String
        private let events: ServerTransaction.Events
        private let file: StaticString
        private let function: StaticString
        private let line: UInt32
        private let usecase: @Sendable (Request) -> Int?

        /// UTF-8 bytes of a request's method and route at most.
        private static var maximumNameBytes: Int { 256 }

        /// - Parameters:
        ///   - prefix: What the names of the header's fields begin with.
        ///   - usecase: The use case that a request is about; nil for none, and no entries.
        public init(
            service: LogService = .shared, prefix: String = "logbook-", events: ServerTransaction.Events,
            file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line,
            usecase: @escaping @Sendable (Request) -> Int?
        ) {
            self.service = service
            self.prefix = prefix
            self.events = events
            self.file = file
            self.function = function
            self.line = line
            self.usecase = usecase
        }

        public func handle(
            _ request: Request, context: Context, next: (Request, Context) async throws -> Response
        ) async throws -> Response {
            guard let usecase = usecase(request) else { return try await next(request, context) }
            return try await ServerTransaction.run(
                headers: request.headers.map { ($0.name.rawName, $0.value) }, prefix: prefix, usecase: usecase, events: events,
                service: service, outcome: { Self.outcome(of: $0.status.code, nil) },
                failure: { error in
                    guard let answer = error as? any HTTPResponseError else {
                        let words = ServerTransaction.words(for: error, function: function, file: file, line: line)
                        return .error("\(Self.name(of: request, at: context.endpointPath)): \(words)")
                    }
                    // What the error marks as private stays so.
                    let words: LogMessage = "\(String(describing: type(of: error))): \(error)"
                    return Self.outcome(of: answer.status.code, words.description)
                }, file: file, function: function, line: line
            ) { try await next(request, context) }
        }

        /// `GET /users/{id}`
        /// - Parameter route: Where the request has found one: the path itself may hold what is private.
        private static func name(of request: Request, at route: String?) -> String {
            LogLimits.cut("\(request.method.rawValue) \(route ?? request.uri.path)", toFit: maximumNameBytes)
        }

        private static func outcome(of status: Int, _ text: String?) -> ServerTransaction.Outcome {
            switch status {
            case 500...: .error(code: status, text ?? "answered with status \(status)")
            case 400...: .invalid(code: status, text)
            default: .success
            }
        }
    }
#endif
