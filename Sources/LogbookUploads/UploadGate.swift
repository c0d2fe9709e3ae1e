internal import LogbookCore
internal import LogbookDelivery
internal import LogbookFiles

/// Decides whether a file may go now.
final class UploadGate: Sendable {
    private let conditions: UploadConditions
    private let clock: LogClock
    /// Files up to this number were called urgent.
    private let urgent = Locked<UInt64>(0)
    /// Files that were read and hold nothing urgent.
    private let ordinary = Locked<Set<UInt64>>([])

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

    /// Whether it is worth reading a file to find out whether it is urgent.
    func mayBeUrgent(_ archive: LogArchive) -> Bool {
        conditions.urgentFrom != nil && !ordinary.withLock { $0.contains(archive.number) }
    }

    /// Reads a file until it finds something urgent.
    func isUrgent(_ claim: ArchiveClaim) -> Bool {
        guard let level = conditions.urgentFrom else { return false }
        do {
            if try UrgentLines(from: level, reading: conditions.reading).isOne(in: claim) { return true }
            ordinary.withLock { _ = $0.insert(claim.archive.number) }
        } catch {}  // what cannot be read now is looked at again
        return false
    }

    /// Forgets files that are gone.
    func keep(_ numbers: some Sequence<UInt64>) { ordinary.withLock { if !$0.isEmpty { $0.formIntersection(numbers) } } }
}
