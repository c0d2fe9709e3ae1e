internal import LogbookCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

// What a crash of the machine must not take. The kernel says once that the disk has not taken something, and calls the same bytes well when
// it is asked again: they are written anew, to another file, before they are called safe.
extension Spool {
    /// So many files are written anew for one event at most: whoever logs waits for it.
    private static var mostRenewedAtOnce: Int { 8 }

    // MARK: With each event

    /// For ``SpoolPolicy/Durability/power``: makes the event safe that was just written. What the disk does not confirm is tried again with
    /// the events that follow.
    func synchronize(_ state: inout State) {
        synchronizeActive(&state)
        renewDistrusted(&state)
        synchronizeFolder(&state)
    }

    private func synchronizeActive(_ state: inout State) {
        guard let active = state.active else { return }
        do throws(SystemError) {
            try files.synchronize(active.file)
            state.active?.segment.isUnsafe = false
        } catch {
            say("the disk does not confirm what is in the spool: \(error)", &state)
            distrust(active.segment.name, &state)
        }
    }

    private func renewDistrusted(_ state: inout State) {
        for _ in 0..<Self.mostRenewedAtOnce {
            guard let place = state.sealed.firstIndex(where: { mayBeRenewed($0, state) }),
                clock.monotonicNanoseconds() >= state.nextRenewal
            else { return }
            do throws(SystemError) {
                if let content = try readOrLeave(place, &state) { _ = try renew(place, as: content, &state) }
            } catch {
                state.nextRenewal = clock.monotonicNanoseconds() + UInt64(Self.renewAgain.wholeNanoseconds)
                return say("what the disk does not confirm cannot be written anew now either: \(error)", &state)
            }
        }
    }

    private func mayBeRenewed(_ segment: Segment, _ state: State) -> Bool {
        segment.isDistrusted && !rests(segment.name, state) && !(segment.isMissingLines && state.inHand.contains(segment.name))
    }

    private func synchronizeFolder(_ state: inout State) {
        guard state.isFolderUnsafe else { return }
        do throws(SystemError) {
            try files.synchronizeFolder(folder)
            state.safeFolderChanges = state.folderChanges
        } catch {
            say("the disk does not confirm which files are in the spool: \(error)", &state)
        }
    }

    /// The disk has not confirmed a file: nothing is added to it.
    private func distrust(_ segment: SpoolName, _ state: inout State) {
        if state.active?.segment.name == segment { sealActive(&state) }
        guard let place = state.sealed.firstIndex(where: { $0.name == segment }) else { return }
        state.sealed[place].isDistrusted = true
        state.sealed[place].isUnsafe = true   // another flush may have been told otherwise
    }

    // MARK: With a flush

    /// First the file that is written to, for its events are the latest. Then the others until the deadline, the oldest first, and one of
    /// them also where that has passed; those that the disk has refused already come last. One that fails keeps no other from it.
    func makeSafe(by deadline: LogDeadline) throws(RemoteLogProviderError) -> Bool {
        let (active, others, isFolderUnsafe) = state.withLock { state -> (Segment?, [Segment], Bool) in
            // What another run left and nobody can read stops no flush of this one, as it stops nothing else.
            let sealed = state.sealed.filter { $0.isUnsafe && !($0.isInherited && state.unreadable[$0.name] != nil) }
            return (
                state.active?.segment, sealed.filter { !$0.isDistrusted } + sealed.filter { $0.isDistrusted }, state.isFolderUnsafe
            )
        }
        defer { sayRemarks() }
        var failure = active.flatMap { attempt($0) }
        var left = others[...]
        while let segment = left.first, left.count == others.count || !deadline.hasPassed {
            let another = attempt(segment)
            failure = failure ?? another
            left.removeFirst()
        }
        if left.isEmpty, active != nil || !others.isEmpty || isFolderUnsafe {
            let another = makeFolderSafe()
            failure = failure ?? another
        }
        let lost = state.withLock { state -> Int in
            defer { state.unreported = 0 }
            return state.unreported
        }
        if lost > 0 { throw .lost(count: lost) }   // first: what is not safe the next flush says again
        if let failure { throw .notSafe(folder: path, reason: failure.description) }
        if !left.isEmpty { throw .notSafeInTime(folder: path, files: left.count) }
        return true
    }

    /// - Returns: Why it is not safe. Nil also where the file is gone: then its events are lost.
    private func attempt(_ segment: Segment) -> SystemError? {
        do throws(SystemError) {
            try makeSafe(segment)
        } catch {
            guard error.number == ENOENT, !isThere(segment.name) else { return error }
            if isInMemoryAlone(segment.name) { return error }
            let lost = loseVanished(segment.name)   // none when it was delivered meanwhile
            state.withLock { $0.unreported += lost }
        }
        return nil
    }

    /// Whether the courier has the events of a file in hand that somebody else has removed.
    private func isInMemoryAlone(_ segment: SpoolName) -> Bool {
        state.withLock { state in
            !state.isReleased && state.inHand.contains(segment) && state.sealed.contains { $0.name == segment && !$0.isRemoved }
        }
    }

    /// - Returns: Why it is not safe.
    private func makeFolderSafe() -> SystemError? {
        let changes = state.withLock { $0.folderChanges }   // what comes while the disk is at work is for the next flush
        do throws(SystemError) {
            try files.synchronizeFolder(folder)
        } catch {
            return error
        }
        state.withLock { $0.safeFolderChanges = max($0.safeFolderChanges, changes) }
        return nil
    }

    private func sayRemarks() {
        let remarks = state.withLock { state -> [String] in
            defer { state.remarks = [] }
            return state.remarks
        }
        for remark in remarks { LogDiagnostics.report(name, remark) }   // whoever hears it may log
    }

    private func isThere(_ segment: SpoolName) -> Bool { (try? files.status(of: segment.text, in: folder)) != nil }

    private func makeSafe(_ listed: Segment) throws(SystemError) {
        var segment = listed
        while true {
            if try renew(segment.name) { return }
            guard let file = try open(segment) else { return }
            defer { files.close(file) }
            do throws(SystemError) {
                try files.synchronize(file)
            } catch {
                state.withLock { distrust(segment.name, &$0) }
                throw error
            }
            guard let other = confirm(segment) else { return }
            segment = other
        }
    }

    /// - Returns: Nil for a file of another run that cannot be opened.
    private func open(_ segment: Segment) throws(SystemError) -> FileDescriptor? {
        do throws(SystemError) {
            return try files.openForReading(segment.name.text, in: folder)
        } catch {
            guard segment.isInherited, error.isAboutOneFile, error.number != ENOENT else { throw error }
            if let remark = state.withLock({ leaveAlone(segment.name, because: error, &$0) }) { LogDiagnostics.report(name, remark) }
            return nil
        }
    }

    /// The disk has confirmed the file that was opened.
    /// - Returns: Where that is not the file any more that holds its events, or another was told otherwise meanwhile, what there is now.
    private func confirm(_ segment: Segment) -> Segment? {
        state.withLock { state -> Segment? in
            // What was written while the disk was at work may not be on it.
            if state.active?.segment.name == segment.name {
                if state.active?.segment.writes == segment.writes { state.active?.segment.isUnsafe = false }
                return nil
            }
            guard let place = state.sealed.firstIndex(where: { $0.name == segment.name }), state.sealed[place].isUnsafe else { return nil }
            if state.sealed[place].isDistrusted || state.sealed[place].rewrites != segment.rewrites { return state.sealed[place] }
            if state.sealed[place].writes == segment.writes { state.sealed[place].isUnsafe = false }
            return nil
        }
    }

    // MARK: Written anew

    /// Writes a file anew that is distrusted, in one step: nobody removes it meanwhile.
    /// - Returns: False when it is not distrusted.
    private func renew(_ segment: SpoolName) throws(SystemError) -> Bool {
        try state.withLock { state throws(SystemError) -> Bool in
            guard let place = state.sealed.firstIndex(where: { $0.name == segment }), state.sealed[place].isDistrusted else {
                return false
            }
            if state.isReleased { throw SystemError(EIO, in: "fsync") }   // it may be somebody else's by now
            guard try renew(place, as: read(segment), &state) else { throw SystemError(EIO, in: "fsync") }
            return true
        }
    }

    /// The kernel may have let go of what the disk has not taken: what is not in the file any more is lost.
    /// - Returns: False where that is so of a file in hand: the courier has all of it in memory, and keeps the account.
    private func renew(_ place: Int, as content: [UInt8], _ state: inout State) throws(SystemError) -> Bool {
        let segment = state.sealed[place], lines = SpoolLine.read(content).lines
        if lines.count >= segment.count {
            try rewrite(place, as: content, isSynchronized: true, &state)
        } else if state.inHand.contains(segment.name) {
            state.sealed[place].isMissingLines = true
            return false
        } else {
            let lost = try keep(lines, of: place, losing: .corruptRecovered, isSynchronized: true, &state)
            state.unreported += lost
            say("\(lost) events in \(path)/\(segment.name.text) are lost: the disk has not taken them", &state)
        }
        state.nextRenewal = 0
        return true
    }
}
