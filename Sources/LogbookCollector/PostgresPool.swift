#if Collector
    internal import LogbookCore

    /// Connections to one PostgreSQL database, each on a thread of its own. They are made when they are needed, and made anew when
    /// they break.
    final class PostgresPool: Sendable {
        /// Connections at the same time at most.
        static let maximumConnections = 4
        /// Who finds so many waiting is told to come again.
        static let maximumWaiting = 256
        /// How often something is tried whose cause may pass at once.
        static let maximumAttempts = 4

        private typealias Job = @Sendable (inout PostgresConnection?) -> Void

        private struct State {
            var waiting: [Job] = []
            var threads = 0
            var idle = 0
            var isClosed = false
        }

        private let address: PostgresAddress
        private let state = Monitor(State())

        init(_ address: PostgresAddress) { self.address = address }

        deinit { close() }

        /// What waits is still done; nothing else is taken.
        func close() {
            state.withLock { access in
                access.value.isClosed = true
                access.broadcast()
            }
        }

        /// Runs the body on a connection, and again on a new one where that may help. It must do the same each time.
        func run<Result: Sendable>(
            _ body: @escaping @Sendable (PostgresConnection) throws(PostgresFailure) -> Result
        ) async throws(ArchiveError) -> Result {
            let outcome = await withCheckedContinuation { continuation in
                start(body) { continuation.resume(returning: $0) }
            }
            return try Self.value(of: outcome)
        }

        /// The same, blocking the calling thread.
        func runAndWait<Result: Sendable>(
            _ body: @escaping @Sendable (PostgresConnection) throws(PostgresFailure) -> Result
        ) throws(ArchiveError) -> Result {
            let outcome = Monitor<Swift.Result<Result, PostgresFailure>?>(nil)
            start(body) { result in
                outcome.withLock { access in
                    access.value = result
                    access.broadcast()
                }
            }
            return try Self.value(
                of: outcome.withLock { access in
                    while access.value == nil { access.wait() }
                    return access.value!
                })
        }

        private static func value<Result>(of outcome: Swift.Result<Result, PostgresFailure>) throws(ArchiveError) -> Result {
            switch outcome {
            case .success(let result): return result
            case .failure(let failure): throw .unavailable(reason: failure.reason)
            }
        }

        /// Calls `completion` once, on a thread of the pool's own or, when it takes nothing, on the caller's.
        private func start<Result: Sendable>(
            _ body: @escaping @Sendable (PostgresConnection) throws(PostgresFailure) -> Result,
            completion: @escaping @Sendable (Swift.Result<Result, PostgresFailure>) -> Void
        ) {
            let address = address
            let refusal: String? = state.withLock { access in
                if access.value.isClosed { return "the archive is closed" }
                if access.value.waiting.count >= Self.maximumWaiting { return "too much is waiting for a connection" }
                if access.value.idle <= access.value.waiting.count, access.value.threads < Self.maximumConnections {
                    let state = state
                    if LogThread.start("postgres", { Self.serve(state) }) {
                        access.value.threads += 1
                    } else if access.value.threads == 0 {
                        return "the machine has no thread to give"
                    }
                }
                access.value.waiting.append { connection in
                    completion(Self.attempt(body, on: &connection, at: address))
                }
                access.broadcast()
                return nil
            }
            if let refusal { completion(.failure(.lost(refusal))) }
        }

        private static func serve(_ state: Monitor<State>) {
            var connection: PostgresConnection?
            while true {
                let job: Job? = state.withLock { access in
                    access.value.idle += 1
                    while access.value.waiting.isEmpty, !access.value.isClosed { access.wait() }
                    access.value.idle -= 1
                    return access.value.waiting.isEmpty ? nil : access.value.waiting.removeFirst()
                }
                guard let job else { return }
                job(&connection)
            }
        }

        private static func attempt<Result>(
            _ body: (PostgresConnection) throws(PostgresFailure) -> Result, on connection: inout PostgresConnection?,
            at address: PostgresAddress
        ) -> Swift.Result<Result, PostgresFailure> {
            var attempts = 0
            while true {
                attempts += 1
                // A server that cannot be reached is not asked again at once: the sender will.
                let isNew = connection == nil
                do throws(PostgresFailure) {
                    if connection == nil { connection = try PostgresConnection(address) }
                    let result = try body(connection!)
                    return .success(result)
                } catch {
                    if connection?.isUsable == false { connection = nil }
                    let isHopeless = isNew && connection == nil && error.isLoss
                    if !error.passes || isHopeless || attempts == maximumAttempts { return .failure(error) }
                }
            }
        }
    }

    extension PostgresFailure {
        fileprivate var isLoss: Bool { if case .lost = self { true } else { false } }
    }
#endif
