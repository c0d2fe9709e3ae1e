internal import LogbookCore

/// The transactions that a plan has opened and not closed, by use case and by whom they belong to.
final class OpenTransactions: Sendable {
    /// Beyond so many the eighth that was opened first is given up: that is what people do who never come back.
    static let maximumOpen = 10_000

    /// Whom a transaction belongs to: an object, which is not kept alive, or whatever a plan's `by` says.
    enum Owner {
        case object(AnyObject)
        case text(String)
    }

    private enum Key: Hashable {
        case object(Int, ObjectIdentifier)
        case text(Int, String)
    }

    private final class Open: @unchecked Sendable {   // written once, in init
        let transaction: LogTransaction
        let number: UInt64
        weak let object: AnyObject?
        init(_ transaction: LogTransaction, number: UInt64, object: AnyObject?) {
            self.transaction = transaction
            self.number = number
            self.object = object
        }
    }

    private struct State {
        var open: [Key: Open] = [:]
        var opened: UInt64 = 0
        var closed: UInt64 = 0
        var unmatched: UInt64 = 0
    }
    private let state = Locked(State())

    private static func key(_ usecase: Int, _ owner: Owner) -> (Key, AnyObject?) {
        switch owner {
        case .object(let object): (.object(usecase, ObjectIdentifier(object)), object)
        case .text(let text): (.text(usecase, text), nil)
        }
    }

    func open(_ transaction: LogTransaction, usecase: Int, for owner: Owner) {
        let (key, object) = Self.key(usecase, owner)
        let seen = state.withLock { state in
            state.opened += 1
            state.open[key] = Open(transaction, number: state.opened, object: object)
            return state.open.count > Self.maximumOpen ? Self.giveUp(&state) : []
        }
        withExtendedLifetime(seen) {}
    }

    /// - Returns: What was looked at, to be held until the lock is let go: it may be the last to hold it, and an object's end is the
    ///   program's code.
    private static func giveUp(_ state: inout State) -> [AnyObject] {
        var seen: [AnyObject] = []
        state.open = state.open.filter { key, open in
            guard case .object = key else { return true }
            guard let object = open.object else { return false }
            seen.append(object)
            return true
        }
        if state.open.count > maximumOpen * 7 / 8 {
            let numbers = state.open.values.map(\.number).sorted()
            let first = numbers[numbers.count - maximumOpen * 7 / 8]
            state.open = state.open.filter { $1.number >= first }
        }
        return seen
    }

    func find(_ usecase: Int, of owner: Owner, closing: Bool) -> LogTransaction? {
        let (key, object) = Self.key(usecase, owner)
        return state.withLock { state in
            guard let found = state.open[key], object == nil || found.object === object else {
                state.unmatched += 1
                return nil
            }
            if closing {
                state.open[key] = nil
                state.closed += 1
            }
            return found.transaction
        }
    }

    /// Counts a call that belongs to nobody.
    func miss() { state.withLock { $0.unmatched += 1 } }

    var counts: TrackedTransactionCounts {
        state.withLock {
            TrackedTransactionCounts(opened: $0.opened, closed: $0.closed, unmatched: $0.unmatched)
        }
    }
}
