internal import Synchronization

/// What one queue has in hand, where it outlives the process. Its owner lets one thread at a time in.
package final class PendingSlot: Sendable {
    /// Of its numbers behind the beginning of the slot.
    static let offset = 128
    private static let tallyOffset = 64, tallyBytes = 64

    private let page: LossPage
    private let number: Int
    private nonisolated(unsafe) let base: UnsafeMutableRawPointer

    init(on page: LossPage, number: Int, at base: UnsafeMutableRawPointer) {
        self.page = page
        self.number = number
        self.base = base
    }

    deinit {
        guard page.isOfThisProcess else { return }
        turn.pointee.store(0, ordering: .releasing)
        page.give(back: number)
    }

    private var turn: UnsafeMutablePointer<Atomic<UInt64>> { base.assumingMemoryBound(to: Atomic<UInt64>.self) }

    /// What a queue has in hand.
    package struct Tally {
        private var submitted: UInt64
        /// Delivered or dropped.
        private var settled: UInt64
        /// Of what is pending, what may have arrived.
        private var inHand: UInt64
        /// Of the oldest that is pending, and of the latest that came.
        private var firstSequence: UInt64, lastSequence: UInt64
        private var firstTime: LogTime, lastTime: LogTime

        /// - Parameters:
        ///   - inHand: How many of those that are pending are being written, or sent.
        ///   - oldest: The oldest that is pending; nil when none is.
        ///   - latest: The latest that came; nil before the first.
        package init(_ ledger: LogLedger, inHand: Int, oldest: Stamp?, latest: Stamp?) {
            submitted = ledger.submitted
            settled = ledger.submitted - ledger.pending
            self.inHand = UInt64(inHand)
            let latest = latest ?? Stamp(sequence: 0, time: LogTime(nanoseconds: 0)), oldest = oldest ?? latest
            (firstSequence, lastSequence) = (oldest.sequence, latest.sequence)
            (firstTime, lastTime) = (oldest.time, latest.time)
        }

        init(_ numbers: LossPage.Numbers, at offset: Int) {
            (submitted, settled, inHand) = (numbers[offset], numbers[offset + 8], numbers[offset + 16])
            (firstSequence, lastSequence) = (numbers[offset + 24], numbers[offset + 32])
            firstTime = LogTime(nanoseconds: Int64(bitPattern: numbers[offset + 40]))
            lastTime = LogTime(nanoseconds: Int64(bitPattern: numbers[offset + 48]))
        }

        private var pending: UInt64 { submitted - min(settled, submitted) }

        /// Takes another queue's in.
        mutating func join(_ other: Tally) {
            if other.pending > 0 {
                firstSequence = pending > 0 ? min(firstSequence, other.firstSequence) : other.firstSequence
                firstTime = pending > 0 ? min(firstTime, other.firstTime) : other.firstTime
            }
            lastSequence = max(lastSequence, other.lastSequence)
            lastTime = max(lastTime, other.lastTime)
            inHand = min(inHand, pending).cappedSum(min(other.inHand, other.pending))
            (submitted, settled) = (pending.cappedSum(other.pending), 0)
        }

        func write(to place: UnsafeMutableRawPointer) {
            place.storeBytes(of: submitted, toByteOffset: 0, as: UInt64.self)
            place.storeBytes(of: settled, toByteOffset: 8, as: UInt64.self)
            place.storeBytes(of: inHand, toByteOffset: 16, as: UInt64.self)
            place.storeBytes(of: firstSequence, toByteOffset: 24, as: UInt64.self)
            place.storeBytes(of: lastSequence, toByteOffset: 32, as: UInt64.self)
            place.storeBytes(of: firstTime.nanoseconds, toByteOffset: 40, as: Int64.self)
            place.storeBytes(of: lastTime.nanoseconds, toByteOffset: 48, as: Int64.self)
        }

        /// What is lost when the process has ended like this; nil when nothing is.
        /// - Parameters:
        ///   - unplaced: Events that had been said and not reached the queues.
        ///   - latest: The latest sequence.
        func loss(
            unplaced: UInt64, latest: UInt64
        ) -> (count: ClosedRange<UInt64>, sequences: ClosedRange<UInt64>, times: ClosedRange<LogTime>?)? {
            if pending == 0 && unplaced == 0 { return nil }
            let first = pending > 0 ? firstSequence : lastSequence.cappedSum(1)
            let last = unplaced > 0 ? latest : max(firstSequence, lastSequence)
            let times = pending > 0 ? min(firstTime, lastTime)...max(firstTime, lastTime) : nil
            return (pending - min(inHand, pending)...pending.cappedSum(unplaced), min(first, last)...max(first, last), times)
        }
    }

    /// Says what the queue has in hand now.
    package func note(_ tally: Tally) {
        guard page.isOfThisProcess else { return }
        let next = turn.pointee.load(ordering: .relaxed) == 1 ? 2 : 1
        tally.write(to: base + Self.tallyOffset + (next - 1) * Self.tallyBytes)
        turn.pointee.store(UInt64(next), ordering: .releasing)
    }

    /// Says that there is nothing, and that it is not meant either with what has reached no queue.
    package func noteNothing() { if page.isOfThisProcess { turn.pointee.store(0, ordering: .releasing) } }

    /// What the slot that begins there says; nil when it is nobody's.
    static func tally(in numbers: LossPage.Numbers, at offset: Int) -> Tally? {
        let turn = numbers[offset]
        guard turn == 1 || turn == 2 else { return nil }
        return Tally(numbers, at: offset + tallyOffset + (Int(turn) - 1) * tallyBytes)
    }

    /// When an event was said, and its sequence.
    package struct Stamp: Sendable {
        let sequence: UInt64
        let time: LogTime

        package init(sequence: UInt64, time: LogTime) { (self.sequence, self.time) = (sequence, time) }
        package init(_ event: LogEvent) { self.init(sequence: event.sequence, time: event.time) }
    }
}

/// A provider that keeps events in memory of its own, and says where it outlives the process how many those are.
package protocol PendingHolder: LogProvider {
    /// Begins to note what it has in hand, unless it does already.
    func notePending(on page: LossPage, as name: String)
}

extension LogProvider {
    /// Has it, or who stands behind its wrappers, note what is in hand there.
    func notePendingWithin(on page: LossPage, as name: String) {
        ((wrappers.last?.wrapped ?? self) as? any PendingHolder)?.notePending(on: page, as: name)
    }
}
