internal import LogbookCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

// The caller's side: everything here runs on the thread that logs.
extension Spool {
    // As a generic it would look its own type up for each event.
    @_specialize(where Files == SystemFileSystem)
    func take(_ event: LogEvent) -> Bool {
        let (wakes, remarks) = state.withLock { state -> (Bool, [String]) in
            defer { state.remarks = [] }
            return (add(event, &state), state.remarks)
        }
        for remark in remarks { LogDiagnostics.report(name, remark) }   // whoever hears it may log
        return wakes
    }

    /// - Returns: Whether the courier should be woken.
    private func add(_ event: LogEvent, _ state: inout State) -> Bool {
        state.ledger.submit()
        guard state.isOpen else {
            state.ledger.drop(1, .alreadyShutDown)
            return false
        }
        state.line.removeAll(keepingCapacity: true)
        SpoolLine.append(KeyedEvent(event, origin: origin), to: &state.line)
        let isTransaction = event.isEntry
        do throws(SystemError) {
            guard try makeRoom(for: state.line.count, isTransaction, &state) else {
                state.ledger.drop(1, .spoolFull)
                state.remarks.append("the spool is full; events are dropped and counted")
                return false
            }
            let wakes = try write(event, isTransaction, &state)
            state.ledger.deliver(1)
            state.deliveries.submit()
            return wakes
        } catch {
            state.ledger.drop(1, .inputOutputError)
            state.remarks.append("cannot write to the spool: \(error)")
            return false
        }
    }

    func lose(_ reason: DropReason) {
        state.withLock { state in
            state.ledger.submit()
            state.ledger.drop(1, reason)
        }
    }

    func hurry() { state.withLock { $0.active?.isUrgent = true } }

    func close() {
        state.withLock { state in
            state.isOpen = false
            state.active?.isUrgent = true
        }
    }

    /// The files stay open until nobody can use them any more; others may have the lanes.
    func release() {
        state.withLock { state in
            guard !state.isReleased else { return }
            state.isReleased = true
            if let active = state.active { files.unlock(active.file) }   // first: a lane is not taken while a file of it is locked
            for lane in state.lanes { files.unlock(lane.lock) }
        }
    }

    // MARK: Writing

    /// - Returns: Whether the courier should be woken.
    private func write(_ event: LogEvent, _ isTransaction: Bool, _ state: inout State) throws(SystemError) -> Bool {
        if let active = state.active, active.segment.bytes + state.line.count > policy.segmentBytes { sealActive(&state) }
        if state.active == nil { state.active = try newFile(event.time, &state) }
        guard var active = state.active else { return false }
        let isFirst = active.segment.count == 0
        do throws(SystemError) {
            try files.appendAll(state.line[...], to: active.file)
        } catch {
            // Nothing may follow half a line: it would be taken for a part of it.
            do throws(SystemError) {
                try files.truncate(active.file, to: active.segment.bytes)
            } catch {
                sealActive(&state)
            }
            throw error
        }
        active.segment.bytes += state.line.count
        active.segment.writes += 1
        if isTransaction { active.segment.transactions += 1 } else { active.segment.ordinary += 1 }
        active.isUrgent = active.isUrgent || event.level >= .error
        state.active = active
        state.bytes += state.line.count
        if policy.durability == .power {
            synchronizeActive(&state)
            synchronizeFolder(&state)
        }
        let isFull = active.segment.count >= policy.parcelEvents || active.segment.bytes >= policy.segmentBytes
        if isFull { sealActive(&state) }
        return isFirst || isFull || active.isUrgent
    }

    private func newFile(_ time: LogTime, _ state: inout State) throws(SystemError) -> Active {
        do throws(SystemError) {
            try keepLane(&state)
            return try makeFile(time, &state)
        } catch {
            guard error.number == ENOENT else { throw error }
            try makeFolderAgain(&state)
            return try makeFile(time, &state)
        }
    }

    private func makeFile(_ time: LogTime, _ state: inout State) throws(SystemError) -> Active {
        let segmentName = SpoolName(lane: state.lanes[0].number, number: state.nextNumber, id: UniqueID.make())
        let file = try files.openNew(segmentName.text, in: folder, permissions: 0o600)
        _ = try? files.tryLock(file)   // while it is written to, also where the lane's lock is removed meanwhile
        state.nextNumber += 1
        state.folderChanges += 1
        return Active(
            segment: Segment(name: segmentName, isInherited: false, isUnsafe: true, oldest: time), file: file,
            since: clock.monotonicNanoseconds())
    }

    private func synchronizeActive(_ state: inout State) {
        guard let active = state.active else { return }
        do throws(SystemError) {
            try files.synchronize(active.file)
        } catch {
            state.remarks.append("the disk does not confirm what is in the spool: \(error)")
            distrust(active.segment.name, &state)
        }
    }

    /// What the disk does not confirm is tried again with the next event.
    private func synchronizeFolder(_ state: inout State) {
        guard state.isFolderUnsafe else { return }
        do throws(SystemError) {
            try files.synchronizeFolder(folder)
            state.safeFolderChanges = state.folderChanges
        } catch {
            state.remarks.append("the disk does not confirm which files are in the spool: \(error)")
        }
    }

    /// Nothing is written to the active file any more; an empty one goes.
    func sealActive(_ state: inout State) {
        guard let active = state.active else { return }
        state.active = nil
        letGo(of: active.file)
        if active.segment.count == 0 {
            try? files.remove(active.segment.name.text, in: folder)
        } else {
            state.sealed.append(active.segment)
        }
    }

    /// The disk has not confirmed a file: nothing is added to it. The kernel says so once, so a later success says nothing of it.
    private func distrust(_ segment: SpoolName, _ state: inout State) {
        if state.active?.segment.name == segment { sealActive(&state) }
        guard let place = state.sealed.firstIndex(where: { $0.name == segment }) else { return }
        state.sealed[place].isDistrusted = true
        state.sealed[place].isUnsafe = true   // another flush may have been told otherwise
    }

    func makeSafe() throws(RemoteLogProviderError) -> Bool {
        let (listed, isFolderUnsafe) = state.withLock { state -> ([Segment], Bool) in
            // What another run left and nobody can read stops no flush of this one, as it stops nothing else.
            let sealed = state.sealed.filter { $0.isUnsafe && !($0.isInherited && state.unreadable[$0.name] != nil) }
            return (sealed + (state.active.map { [$0.segment] } ?? []), state.isFolderUnsafe)
        }
        guard !listed.isEmpty || isFolderUnsafe else { return true }
        var vanished = 0
        for segment in listed {
            do throws(SystemError) {
                if try renew(segment.name) { continue }
                let file = try files.openForReading(segment.name.text, in: folder)
                defer { files.close(file) }
                do throws(SystemError) {
                    try files.synchronize(file)
                } catch {
                    state.withLock { distrust(segment.name, &$0) }
                    throw error
                }
            } catch {
                if error.number == ENOENT {
                    vanished += loseVanished(segment.name)   // none when it was delivered meanwhile
                    continue
                }
                throw .notSafe(folder: path, reason: error.description)
            }
            state.withLock { state in
                guard let place = state.sealed.firstIndex(where: { $0.name == segment.name }) else { return }
                // What was written while the disk was at work may not be on it.
                guard !state.sealed[place].isDistrusted, state.sealed[place].writes == segment.writes else { return }
                state.sealed[place].isUnsafe = false
            }
        }
        let changes = state.withLock { $0.folderChanges }   // what comes while the disk is at work is for the next flush
        do throws(SystemError) {
            try files.synchronizeFolder(folder)
        } catch {
            throw .notSafe(folder: path, reason: error.description)
        }
        state.withLock { $0.safeFolderChanges = max($0.safeFolderChanges, changes) }
        if vanished > 0 { throw .lost(count: vanished) }
        return true
    }

    /// Writes a file anew that is distrusted, in one step: nobody removes it meanwhile.
    /// - Returns: False when it is not distrusted.
    private func renew(_ segment: SpoolName) throws(SystemError) -> Bool {
        try state.withLock { state throws(SystemError) -> Bool in
            guard let place = state.sealed.firstIndex(where: { $0.name == segment }), state.sealed[place].isDistrusted else {
                return false
            }
            if state.isReleased { throw SystemError(EIO, in: "fsync") }   // it may be somebody else's by now
            try rewrite(segment, as: try read(segment), isSynchronized: true, &state)
            state.sealed[place].writes += 1
            state.sealed[place].isDistrusted = false
            state.sealed[place].isUnsafe = false
            return true
        }
    }

    /// Gives a file other content, all or nothing.
    private func rewrite(_ segment: SpoolName, as bytes: [UInt8], isSynchronized: Bool, _ state: inout State) throws(SystemError) {
        let part = segment.text + SpoolName.part
        try? files.remove(part, in: folder)
        do throws(SystemError) {
            let file = try files.openNew(part, in: folder, permissions: 0o600)
            defer { files.close(file) }
            try files.appendAll(bytes[...], to: file)
            if isSynchronized { try files.synchronize(file) }
            state.folderChanges += 1   // also where the answer is lost
            try files.replace(segment.text, with: part, in: folder)
        } catch {
            try? files.remove(part, in: folder)
            throw error
        }
    }

    // MARK: Room

    /// Drops the oldest events until there is room: those of transactions last, and only for another transaction.
    private func makeRoom(for bytes: Int, _ isTransaction: Bool, _ state: inout State) throws(SystemError) -> Bool {
        guard bytes <= policy.maximumBytes else { return false }
        while state.bytes + bytes > policy.maximumBytes {
            let free = state.sealed.indices.filter { !state.inHand.contains(state.sealed[$0].name) }
            let readable = state.unreadable.isEmpty ? free : free.filter { !rests(state.sealed[$0].name, state) }
            if let place = readable.first(where: { !state.sealed[$0].isCounted }) {
                try count(place, &state)
            } else if let place = free.first(where: { canDropOrdinary(state.sealed[$0], state) }) {
                try dropOrdinary(place, &state)
                say("the spool is full; the oldest events are dropped and counted", &state)
            } else if let active = state.active, active.segment.ordinary > 0 || isTransaction {
                sealActive(&state)
            } else if isTransaction, let place = free.first(where: { isKnown(state.sealed[$0].name, state) }) {
                say("the spool holds nothing but transactions, and the oldest are dropped", &state)
                try drop(place, &state)
            } else {
                return false
            }
        }
        return true
    }

    /// A file of nothing else goes as it is; of others it has to be read what stays.
    private func canDropOrdinary(_ segment: Segment, _ state: State) -> Bool {
        segment.ordinary > 0 && (segment.transactions == 0 || !rests(segment.name, state))
    }

    /// Whether it is known how many events are in a file: others are not dropped, they could not be counted.
    private func isKnown(_ segment: SpoolName, _ state: State) -> Bool { (state.unreadable[segment]?.uncounted ?? 0) == 0 }

    /// Has something said once the lock is given back.
    private func say(_ remark: String, _ state: inout State) {
        if !state.remarks.contains(remark) { state.remarks.append(remark) }
    }

    /// - Returns: Nil when it cannot be read, and room has to be made of others, or when it is gone.
    private func readToMakeRoom(_ place: Int, _ state: inout State) throws(SystemError) -> [UInt8]? {
        let segment = state.sealed[place].name
        do throws(SystemError) {
            return try read(segment)
        } catch {
            guard error.isAboutOneFile else { throw error }
            let remark: String
            if error.number == ENOENT {
                remark = forgetVanished(place, &state).remark
            } else {
                remark = leaveAlone(segment, because: error, &state)
            }
            say(remark, &state)
            return nil
        }
    }

    /// Sees which events of a file from another run are transactions'.
    private func count(_ place: Int, _ state: inout State) throws(SystemError) {
        guard let content = try readToMakeRoom(place, &state) else { return }
        let segment = state.sealed[place].name
        let count = enter(content, of: segment, &state)
        let ordinary = min(count, SpoolLine.read(content).lines.count { !$0.isTransaction })
        state.sealed[place].ordinary = ordinary
        state.sealed[place].transactions = count - ordinary
        state.sealed[place].isCounted = true
    }

    private func drop(_ place: Int, _ state: inout State) throws(SystemError) {
        try remove(state.sealed[place].name)
        forget(place, because: .spoolFull, &state)
    }

    /// Leaves of a file what transactions said.
    private func dropOrdinary(_ place: Int, _ state: inout State) throws(SystemError) {
        let segment = state.sealed[place]
        if segment.transactions == 0 { return try drop(place, &state) }
        guard let content = try readToMakeRoom(place, &state) else { return }
        let kept = SpoolLine.read(content).lines.filter(\.isTransaction)
        if kept.isEmpty { return try drop(place, &state) }
        let bytes = kept.flatMap { SpoolLine.bytes($0) }
        try rewrite(segment.name, as: bytes, isSynchronized: policy.durability == .power, &state)
        let dropped = segment.count - kept.count
        state.sealed[place].writes += 1
        state.sealed[place].bytes = bytes.count
        state.sealed[place].ordinary = 0
        state.sealed[place].transactions = kept.count
        state.sealed[place].isUnsafe = policy.durability == .process
        state.sealed[place].isDistrusted = false
        state.bytes -= segment.bytes - bytes.count
        state.lost += dropped
        state.deliveries.drop(dropped, .spoolFull)
    }
}
