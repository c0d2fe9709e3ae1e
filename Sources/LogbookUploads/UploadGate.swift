internal import LogbookCore
internal import LogbookDelivery
internal import LogbookFiles

/// Decides whether a file may go now.
final class UploadGate: Sendable {
    private let conditions: UploadConditions
    private let clock: LogClock
    /// Files up to this number were called urgent.
    private let urgent = Locked<UInt64>(0)
    /// Files that were read, and whether they hold something urgent.
    private let known = Locked<[UInt64: Bool]>([:])

    init(_ conditions: UploadConditions, clock: LogClock) {
        self.conditions = conditions
        self.clock = clock
    }

    func hurry(upTo number: UInt64) { urgent.withLock { $0 = max($0, number) } }

    /// Whether files may go now that nothing makes urgent.
    func isOpen() -> Bool { conditions.obstacle(at: clock.now()) == nil }

    /// Which files may go now whatever the conditions are. One answer for all files, so that what becomes urgent meanwhile does
    /// not let a newer file overtake an older one.
    func passes() -> (LogArchive) -> Bool {
        let urgent = urgent.withLock { $0 }
        let now = clock.now()
        return { [conditions] archive in
            archive.number <= urgent || conditions.isOverdue(since: archive.ended, at: now)
        }
    }

    /// Whether a file that is in hand may go on: conditions that held when it was taken may not hold any more.
    func mayGoOn(_ claim: ArchiveClaim) -> Bool {
        passes()(claim.archive) || isOpen() || isUrgent(claim)
    }

    /// Whether a file is urgent, or it is worth reading it to find out.
    func mayBeUrgent(_ archive: LogArchive) -> Bool {
        conditions.urgentFrom != nil && known.withLock { $0[archive.number] } != false
    }

    /// Reads a file, once, until it finds something urgent.
    func isUrgent(_ claim: ArchiveClaim) -> Bool {
        guard let level = conditions.urgentFrom else { return false }
        let number = claim.archive.number
        if let isUrgent = known.withLock({ $0[number] }) { return isUrgent }
        do {
            let isUrgent = try UrgentLines(from: level, reading: conditions.reading).isOne(in: claim)
            known.withLock { $0[number] = isUrgent }
            return isUrgent
        } catch { return false }   // what cannot be read now is looked at again
    }

    /// Forgets files that are gone.
    func keep(_ numbers: some Sequence<UInt64>) {
        known.withLock { known in
            if known.isEmpty { return }
            let present = Set(numbers)
            known = known.filter { present.contains($0.key) }
        }
    }
}
