#if Collector
    internal import LogbookCore

    /// Connections to one PostgreSQL database, each on a thread of its own. They are made when they are needed, and made anew when
    /// they break.
    final class PostgresPool: Sendable {
        /// Connections at the same time at most.
        static let maximumConnections = 4
        /// Of these, for what may take long: so who stores finds one, however slowly others read.
        static let maximumLong = maximumConnections / 2
        /// Who finds so many of the same kind waiting is told to come again.
        static let maximumWaiting = 256
        /// How often something is tried whose cause may pass at once.
        static let maximumAttempts = 4

        private struct Job: Sendable {
            let isLong: Bool
            let run: @Sendable (inout PostgresConnection?) -> Void
        }

        private struct State {
            var waiting: [Job] = []
            /// Long ones that are under way.
            var long = 0
            var threads = 0
            var idle = 0
            var isClosed = false

            /// The first one that may begin.
            mutating func takeNext() -> Job? {
                guard let place = waiting.firstIndex(where: { !$0.isLong || long < maximumLong }) else { return nil }
                if waiting[place].isLong { long += 1 }
                return waiting.remove(at: place)
            }
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
        /// - Parameter isLong: Whether it may take so long that who stores must not wait for it.
        func run<Result: Sendable>(
            isLong: Bool = false, _ body: @escaping @Sendable (PostgresConnection) throws(PostgresFailure) -> Result
        ) async throws(ArchiveError) -> Result {
            let outcome = await withCheckedContinuation { continuation in
                start(isLong: isLong, body) { continuation.resume(returning: $0) }
            }
            return try Self.value(of: outcome)
        }

        /// The same, blocking the calling thread.
        func runAndWait<Result: Sendable>(
            _ body: @escaping @Sendable (PostgresConnection) throws(PostgresFailure) -> Result
        ) throws(ArchiveError) -> Result {
            let outcome = Monitor<Swift.Result<Result, PostgresFailure>?>(nil)
            start(isLong: false, body) { result in
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
            isLong: Bool, _ body: @escaping @Sendable (PostgresConnection) throws(PostgresFailure) -> Result,
            completion: @escaping @Sendable (Swift.Result<Result, PostgresFailure>) -> Void
        ) {
            let address = address
            let refusal: String? = state.withLock { access in
                if access.value.isClosed { return "the archive is closed" }
                if access.value.waiting.count(where: { $0.isLong == isLong }) >= Self.maximumWaiting {
                    return "too much is waiting for a connection"
                }
                if access.value.idle <= access.value.waiting.count, access.value.threads < Self.maximumConnections {
                    let state = state
                    if LogThread.start("postgres", { Self.serve(state) }) {
                        access.value.threads += 1
                    } else if access.value.threads == 0 {
                        return "the machine has no thread to give"
                    }
                }
                access.value.waiting.append(
                    Job(isLong: isLong) { connection in completion(Self.attempt(body, on: &connection, at: address)) })
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
                    defer { access.value.idle -= 1 }
                    while true {
                        if let job = access.value.takeNext() { return job }
                        if access.value.isClosed, access.value.waiting.isEmpty { return nil }
                        access.wait()
                    }
                }
                guard let job else { return }
                job.run(&connection)
                if !job.isLong { continue }
                state.withLock { access in
                    access.value.long -= 1
                    access.broadcast()   // the next of them may begin
                }
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
