#if Transactions
internal import LogbookCore

/// Who uses a store's connection: one thread at a time, in the order in which they came. GRDB's queue lets them in like that as well, but
/// nobody can wait there until a deadline.
final class StoreTurn: Sendable {
    private struct State {
        var isTaken = false
        /// Those who wait, by number; the first goes next.
        var waiting: [UInt64] = []
        var latest: UInt64 = 0
    }
    private let state = Monitor(State())

    /// How many wait.
    var waitingCount: Int { state.withLock { $0.value.waiting.count } }

    /// - Returns: Nil when others had it until the deadline; what is free is had whatever the deadline.
    @discardableResult
    func take<Result>(by deadline: LogDeadline, _ work: () throws -> Result) rethrows -> Result? {
        guard begin(by: deadline) else { return nil }
        defer { end() }
        return try work()
    }

    private func begin(by deadline: LogDeadline) -> Bool {
        state.withLock { access -> Bool in
            if !access.value.isTaken && access.value.waiting.isEmpty {
                access.value.isTaken = true
                return true
            }
            access.value.latest += 1
            let number = access.value.latest
            access.value.waiting.append(number)
            func isNext() -> Bool { !access.value.isTaken && access.value.waiting.first == number }
            while !isNext() {
                if access.wait(until: deadline) || isNext() { continue }
                access.value.waiting.removeAll { $0 == number }
                access.broadcast()   // whoever stands behind may be the next
                return false
            }
            access.value.waiting.removeFirst()
            access.value.isTaken = true
            return true
        }
    }

    private func end() {
        state.withLock { access in
            access.value.isTaken = false
            if !access.value.waiting.isEmpty { access.broadcast() }
        }
    }
}
#endif
