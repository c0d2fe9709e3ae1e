internal import LogbookCore

extension RollingFile {
    /// An idle file waits this long past its boundary for events that were under way.
    private static var grace: Duration { .seconds(1) }
    /// The wall clock may be set while an alarm waits, so nothing waits longer.
    private static var longestWait: Duration { .seconds(900) }
    /// How often a file that others deliver or compress looks whether it still has its name.
    private static var lookAround: Duration { .seconds(1) }

    /// Why time has ended the active file; nil while it has not, and for an empty file.
    /// - Parameters:
    ///   - time: When the event happened that comes next; nil for now. It may come from elsewhere: one that has not come yet is taken for
    ///     now, or a line with another would begin one file after the other.
    ///   - isIdle: No event comes next.
    mutating func reasonToRoll(before time: LogTime?, isIdle: Bool = false) -> RollReason? {
        guard policy.isTimed, case .open(var active) = phase, active.beginning != nil else { return nil }
        if let age = policy.maximumFileAge, active.beginning!.age(at: clock.monotonicNanoseconds()) >= age { return .age }
        guard let boundary = policy.boundary else { return nil }
        let now = clock.now()
        active.beginning!.follow(now, boundary)
        phase = .open(active)
        guard let end = isIdle ? active.beginning!.idleBoundary : active.beginning!.boundary else { return nil }
        return min(time ?? now, now) >= end ? .boundary : nil
    }

    private mutating func reasonToRollIdle() -> RollReason? {
        reasonToRoll(before: clock.now().adding(.nanoseconds(-Self.grace.wholeNanoseconds)), isIdle: true)
    }

    /// Where a batch must be cut because the hour or day ends within it.
    func endOfPeriod(beginningWith time: LogTime?) -> LogTime? {
        guard let boundary = policy.boundary, case .open(let active) = phase else { return nil }
        return active.beginning?.boundary ?? time.map { boundary.next(after: $0) }
    }

    /// Remembers when the file began and when it was written last.
    /// - Parameter first: When the first event happened that was written now, where that is known.
    mutating func noteWritten(first: LogTime?) {
        writes &+= 1
        noteUnsafe()
        guard case .open(var active) = phase else { return }
        let now = clock.now()
        active.ended = (now, policy.maximumAge == nil ? nil : clock.monotonicNanoseconds())
        if policy.isTimed && active.beginning == nil {
            let began = min(first ?? now, now)
            active.beginning = FileBeginning(
                at: began, written: now, uptime: clock.monotonicNanoseconds(), boundary: policy.boundary)
            hasNewDue = true
            phase = .open(active)
            record(began, of: active.status)
        } else {
            phase = .open(active)
        }
    }

    /// For the next start: without this line it takes the file's latest change for its beginning.
    private mutating func record(_ began: LogTime, of status: FileStatus) {
        do throws(SystemError) {
            guard let lock = try lockedForRolling() else { return }
            defer { files.unlock(lock.descriptor) }
            try manifest.refresh(in: folder.descriptor)
            try manifest.append(
                ArchiveManifest.begin(inode: status.inode, at: began), in: folder.descriptor, isSafe: false)
        } catch { notes.append("\(folder.path)/\(name.manifest): \(error)") }
    }

    /// When a file that was found here began. Where nobody has recorded it that is its latest change, which is recorded then: the next
    /// start would find it changed once more.
    mutating func beginning(of status: FileStatus) -> FileBeginning? {
        guard policy.isTimed else { return nil }
        try? manifest.refresh(in: folder.descriptor)
        let now = clock.now(), recorded = manifest.manifest.active
        // What is still to come was recorded by a clock that was wrong.
        let isRecorded = recorded?.inode == status.inode && recorded!.began <= now
        let began = isRecorded ? recorded!.began : min(status.modified, now)
        if !isRecorded { record(began, of: status) }
        return FileBeginning(
            at: began, written: min(status.modified, now), age: .nanoseconds(now.nanoseconds &- began.nanoseconds),
            uptime: clock.monotonicNanoseconds(), boundary: policy.boundary)
    }

    /// At the start: closes what an earlier run left too old.
    mutating func rollWhatIsOld() {
        guard case .open(let active) = phase, active.end ?? 0 > 0 else { return }
        if policy.startsNewFile {
            roll(because: .start)
        } else if let reason = reasonToRoll(before: nil) {
            roll(because: reason)
        }
    }

    /// Takes other limits from now on. Another provider may have the log once this one is closed.
    mutating func follow(_ policy: RollingPolicy) {
        if case .closed = phase { return }
        self.policy = policy
        hasNewDue = true
        if case .open = phase {
            let size = (try? verifiedSize()) ?? 0
            // What others have written meanwhile is known only now.
            if case .open(var active) = phase {
                let status = (try? files.status(of: active.handle.descriptor)) ?? active.status
                active.beginning = size > 0 ? beginning(of: status) : nil
                phase = .open(active)
            }
        }
        tidyUp()
        // A new file is for a start: none follows from new limits, unless the old one is too large or too old for them.
        if case .open(let active) = phase, active.end ?? 0 > 0, let reason = reasonToRoll(before: nil) { roll(because: reason) }
    }

    /// What time asks for: a look at who has the name, a roll, the deletion of old archives.
    mutating func lookAtTheClock() {
        hasNewDue = true
        guard let size = try? verifiedSize() else { return }
        if let reason = reasonToRollIdle() {
            // One that has begun and whose size cannot be seen is tried again as one that cannot be rolled is: not at once.
            if size > 0 { roll(because: reason) } else { rollPause.begin(clock.monotonicNanoseconds()) }
        }
        if let nextDeletion, steady.now(clock) >= nextDeletion { tidyUp() }
    }

    /// Whether a synchronization was promised for now.
    var owesSynchronization: Bool {
        guard let unsafeSince, let synchronizesWithin else { return false }
        return clock.monotonicNanoseconds() >= unsafeSince + UInt64(synchronizesWithin.wholeNanoseconds)
    }

    /// When ``lookAtTheClock()`` or a synchronization has something to do, in monotonic nanoseconds; nil for never.
    var nextDue: UInt64? {
        guard case .open(let active) = phase else { return nil }
        let uptime = clock.monotonicNanoseconds()
        func after(_ span: Duration) -> UInt64 { uptime + UInt64(max(1, min(span, Self.longestWait).wholeNanoseconds)) }
        var due: [UInt64] = []
        if let unsafeSince, let synchronizesWithin {
            due.append(unsafeSince + UInt64(synchronizesWithin.wholeNanoseconds))
        }
        if let beginning = active.beginning {
            // A roll that failed is tried again, but not at once.
            let soonest = rollPause.isOver(uptime) ? uptime + 1 : rollPause.end
            if let age = policy.maximumFileAge {
                // An age of centuries ends after the clock does, which is never.
                let (end, isNever) = beginning.uptime.addingReportingOverflow(age.wholeNanoseconds)
                if !isNever { due.append(max(soonest, UInt64(clamping: end))) }
            }
            if let boundary = beginning.idleBoundary {
                let left = Duration.nanoseconds(boundary.nanoseconds &- clock.now().nanoseconds) + Self.grace
                due.append(max(soonest, after(left)))
            }
        }
        if let nextDeletion {
            due.append(after(Duration.nanoseconds(nextDeletion.nanoseconds) - .nanoseconds(steady.now(clock).nanoseconds)))
        }
        // Also one that nobody has written to: others may write to it, and roll it.
        if policy.awaitsDelivery || policy.compression != nil { due.append(after(Self.lookAround)) }
        return due.min()
    }
}
