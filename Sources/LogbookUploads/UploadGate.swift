internal import LogbookCore
internal import LogbookDelivery
internal import LogbookFiles

/// Decides whether a file may go now.
final class UploadGate: Sendable {
    /// A moment, on both clocks.
    private struct Moment {
        let wall: LogTime
        let uptime: UInt64

        init(_ clock: LogClock) {
            wall = clock.now()
            uptime = clock.monotonicNanoseconds()
        }
    }
    private let conditions: UploadConditions
    private let clock: LogClock
    /// Ids of the files that were called urgent, with the number of that call.
    private let urgent = Locked<(calls: UInt64, ids: [String: UInt64])>((0, [:]))
    /// When files were first seen, by their ids. How old a file is then the wall clock says; what passes afterwards is measured, because
    /// somebody may set that clock.
    private let seen = Locked<[String: Moment]>([:])
    /// Files that were read, by their ids, and whether they hold something urgent.
    private let known = Locked<[String: Bool]>([:])

    init(_ conditions: UploadConditions, clock: LogClock) {
        self.conditions = conditions
        self.clock = clock
    }

    /// - Parameter waiting: Everything that waits now.
    func hurry(_ waiting: [LogArchive]) {
        urgent.withLock { urgent in
            urgent.calls += 1
            for archive in waiting { urgent.ids[archive.id] = urgent.calls }
        }
    }

    /// How often files were called urgent: for ``keep(_:listedAfter:)``, before files are listed.
    var calls: UInt64 { urgent.withLock { $0.calls } }

    /// Whether files may go now that nothing makes urgent.
    func isOpen() -> Bool { conditions.obstacle(at: clock.now()) == nil }

    /// Which files may go now whatever the conditions are. One answer for all files, so that what becomes urgent meanwhile does
    /// not let a newer file overtake an older one.
    func passes() -> (LogArchive) -> Bool {
        let urgent = urgent.withLock { $0.ids }
        let seen = seen.withLock { $0 }
        let now = Moment(clock)
        return { [conditions] archive in
            if urgent[archive.id] != nil { return true }
            let first = seen[archive.id] ?? now
            let passed = Duration.nanoseconds(Int64(clamping: now.uptime - first.uptime))
            return conditions.isOverdue(since: min(archive.ended, first.wall), at: first.wall.adding(passed))
        }
    }

    /// Whether a file that is in hand may go on: conditions that held when it was taken may not hold any more.
    func mayGoOn(_ claim: ArchiveClaim) -> Bool {
        passes()(claim.archive) || isOpen() || isUrgent(claim)
    }

    /// Whether a file is urgent, or it is worth reading it to find out.
    func mayBeUrgent(_ archive: LogArchive) -> Bool {
        conditions.urgentFrom != nil && known.withLock { $0[archive.id] } != false
    }

    /// Reads a file, once, until it finds something urgent.
    func isUrgent(_ claim: ArchiveClaim) -> Bool {
        guard let level = conditions.urgentFrom else { return false }
        let id = claim.archive.id
        if let isUrgent = known.withLock({ $0[id] }) { return isUrgent }
        do {
            let isUrgent = try UrgentLines(from: level, reading: conditions.reading).isOne(in: claim)
            known.withLock { $0[id] = isUrgent }
            return isUrgent
        } catch { return false }   // what cannot be read now is looked at again
    }

    /// Takes note of files that are new, and forgets those that are gone.
    /// - Parameter calls: ``calls`` as it was before they were listed. What was called urgent since then is not gone.
    func keep(_ archives: [LogArchive], listedAfter calls: UInt64) {
        let now = Moment(clock), ids = Set(archives.map(\.id))
        let gone = seen.withLock { seen in
            let before = seen
            seen = Dictionary(uniqueKeysWithValues: ids.map { ($0, before[$0] ?? now) })
            return before.keys.filter { !ids.contains($0) }
        }
        urgent.withLock { urgent in
            for id in gone where urgent.ids[id] ?? .max <= calls { urgent.ids[id] = nil }
        }
        known.withLock { $0 = $0.filter { ids.contains($0.key) } }
    }
}
