internal import LogbookCore

/// Lets threads that wait for the disk at the same time wait together: whoever finds nobody at it goes for all who came before.
final class GroupSynchronization: Sendable {
    private struct State {
        var latestTicket: UInt64 = 0
        /// Every ticket up to this one has its outcome.
        var settled: UInt64 = 0
        var isAtWork = false
        /// Failures of the tickets up to the key that nobody has been told yet.
        var failures: [UInt64: FileLogProviderError] = [:]
    }
    private let state = Monitor(State())

    /// Returns once everything the caller has written is safe.
    /// - Parameter synchronize: Makes safe what was written before its call.
    func join(_ synchronize: () throws(FileLogProviderError) -> Void) throws(FileLogProviderError) {
        let mine = state.withLock { access in
            access.value.latestTicket += 1
            return access.value.latestTicket
        }
        let last = state.withLock { access -> UInt64? in
            while access.value.settled < mine && access.value.isAtWork { access.wait() }
            if access.value.settled >= mine { return nil }
            access.value.isAtWork = true
            return access.value.latestTicket
        }
        guard let last else {
            if let failure = state.withLock({ $0.value.failures[mine] }) {
                state.withLock { _ = $0.value.failures.removeValue(forKey: mine) }
                throw failure
            }
            return
        }
        var failure: FileLogProviderError?
        do throws(FileLogProviderError) { try synchronize() } catch { failure = error }
        state.withLock { access in
            if let failure {
                for ticket in (access.value.settled + 1)...last where ticket != mine {
                    access.value.failures[ticket] = failure
                }
            }
            access.value.settled = last
            access.value.isAtWork = false
            access.broadcast()
        }
        if let failure { throw failure }
    }
}
