internal import LogbookCore

/// What a check is doing, so that one that hangs can be told by name.
package final class CheckProgress: Sendable {
    private struct State {
        var step = "the check"
        var isAbandoned = false
        var release: (@Sendable () -> Void)?
    }
    private let state = Locked(State())

    /// Names what is being done while it is done; after an error the name stays.
    package func doing<Result>(_ step: String, _ body: () throws -> Result) rethrows -> Result {
        state.withLock { $0.step = step }
        return try body()
    }

    var step: String { state.withLock { $0.step } }

    /// What to do when the check is given up, so that its threads may end after all.
    package func whenAbandoned(_ release: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            state.release = release
            return state.isAbandoned
        }
        if isLate { release() }
    }

    /// - Returns: What the check was doing.
    func abandon() -> String {
        let (step, release) = state.withLock { state in
            state.isAbandoned = true
            return (state.step, state.release)
        }
        release?()
        return step
    }
}
