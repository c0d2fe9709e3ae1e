#if Collector
    internal import GRDB
    internal import LogbookCore

    /// Lets those who store at the same time share one commit, and with it one wait for the disk: while one commit is under way, the
    /// next ones gather.
    final class SharedCommit: Sendable {
        /// Of those in one commit at most.
        private static let maximumCount = 64
        /// Commits one after the other at most, before whoever else writes has a turn.
        private static let maximumCommits = 16

        private struct Job: Sendable {
            let run: @Sendable (Database) throws -> Void
            /// Hears of the commit that its work was part of.
            let end: @Sendable ((any Error)?) -> Void
        }

        private struct State {
            var waiting: [Job] = []
            var isCommitting = false
        }

        private let pool: DatabasePool
        private let state = Locked(State())

        init(_ pool: DatabasePool) { self.pool = pool }

        /// Returns what the body does once it is committed. It may be run again, when another one's work in the same commit fails.
        func run<Result: Sendable>(_ body: @escaping @Sendable (Database) throws -> Result) async throws -> Result {
            try await withCheckedThrowingContinuation { continuation in
                let result = Locked<Result?>(nil)
                let job = Job(
                    run: { database in
                        let value = try body(database)
                        result.withLock { $0 = value }
                    },
                    end: { failure in
                        if let failure { return continuation.resume(throwing: failure) }
                        continuation.resume(returning: result.withLock { $0! })   // it was run, or there would be a failure
                    })
                let isFirst = state.withLock { state in
                    state.waiting.append(job)
                    defer { state.isCommitting = true }
                    return !state.isCommitting
                }
                if isFirst { takeTurn() }
            }
        }

        /// Several groups in one turn: another turn may be taken on another thread, which has to be woken first.
        private func takeTurn() {
            pool.asyncWriteWithoutTransaction { [self] database in
                for _ in 0..<Self.maximumCommits {
                    let group = state.withLock { state in
                        let group = Array(state.waiting.prefix(Self.maximumCount))
                        state.waiting.removeFirst(group.count)
                        state.isCommitting = !group.isEmpty
                        return group
                    }
                    if group.isEmpty { return }
                    Self.commit(group, database)
                }
                takeTurn()
            }
        }

        /// A group that fails is stored one by one, so that what cannot be stored takes nothing else with it; but where the file is
        /// locked nobody waits for it again.
        private static func commit(_ group: [Job], _ database: Database) {
            do {
                try database.inTransaction(.immediate) {
                    for job in group { try job.run(database) }
                    return .commit
                }
                for job in group { job.end(nil) }
            } catch {
                if group.count == 1 || (error as? DatabaseError)?.resultCode == .SQLITE_BUSY {
                    for job in group { job.end(error) }
                } else {
                    for job in group { commit([job], database) }
                }
            }
        }
    }
#endif
