#if Transactions
internal import LogbookCore

/// Lets threads that store entries at the same time share one commit: whoever finds nobody at work commits for all who wait.
///
/// One commit waits for the disk once, however many entries are in it, and an entry that comes alone waits for nobody.
final class GroupCommit: Sendable {
    /// Entries in one commit at most.
    private static let maximumCount = 512

    private struct State {
        var waiting: [(ticket: UInt64, event: LogEvent)] = []
        var latestTicket: UInt64 = 0
        var isCommitting = false
        var outcomes: [UInt64: Outcome] = [:]
    }
    private enum Outcome {
        case stored
        /// A logout has ended what it belongs to.
        case ended
        case failed(TransactionStoreError)
    }
    private enum Turn {
        case done(Outcome)
        case commit([(ticket: UInt64, event: LogEvent)])
    }

    private let store: TransactionStore
    private let state = Monitor(State())

    init(_ store: TransactionStore) { self.store = store }

    /// Returns once the entry is stored.
    /// - Returns: False when it is not, because a logout has ended what it belongs to.
    func append(_ event: LogEvent) throws(TransactionStoreError) -> Bool {
        let ticket = state.withLock { access in
            access.value.latestTicket += 1
            access.value.waiting.append((access.value.latestTicket, event))
            return access.value.latestTicket
        }
        while true {
            switch turn(of: ticket) {
            case .done(.stored): return true
            case .done(.ended): return false
            case .done(.failed(let failure)): throw failure
            case .commit(let group):
                let outcomes = commit(group)
                state.withLock { access in
                    access.value.outcomes.merge(outcomes) { _, new in new }
                    access.value.isCommitting = false
                    access.broadcast()
                }
            }
        }
    }

    private func turn(of ticket: UInt64) -> Turn {
        state.withLock { access in
            while true {
                if let outcome = access.value.outcomes.removeValue(forKey: ticket) { return .done(outcome) }
                if !access.value.isCommitting {
                    access.value.isCommitting = true
                    let group = access.value.waiting.prefix(Self.maximumCount)
                    access.value.waiting.removeFirst(group.count)
                    return .commit(Array(group))
                }
                access.wait()
            }
        }
    }

    /// A group that fails is stored one by one, so that an entry that cannot be stored takes no other with it. Where none of them could
    /// be, nobody waits for the same again.
    private func commit(_ group: [(ticket: UInt64, event: LogEvent)]) -> [UInt64: Outcome] {
        var outcomes: [UInt64: Outcome] = [:]
        do throws(TransactionStoreError) {
            let ended = try store.append(group.map(\.event), isOfferedAgain: group.count > 1)
            for (ticket, _) in group { outcomes[ticket] = .stored }
            for place in ended { outcomes[group[place].ticket] = .ended }
        } catch let failure where group.count == 1 || failure.isOfTheWholeStore {
            for (ticket, _) in group { outcomes[ticket] = .failed(failure) }
        } catch {
            for (ticket, event) in group {
                do throws(TransactionStoreError) {
                    outcomes[ticket] = try store.append([event]).isEmpty ? .stored : .ended
                } catch {
                    outcomes[ticket] = .failed(error)
                }
            }
        }
        return outcomes
    }
}

extension TransactionStoreError {
    /// Whether every entry would fail alike, and nothing was written.
    fileprivate var isOfTheWholeStore: Bool {
        switch self {
        case .busy, .closed, .storeLocked: true
        default: false
        }
    }
}
#endif
