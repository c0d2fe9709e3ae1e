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
        guard lineage.isCurrent else { return }
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
            var isSealed = false
            do throws(SystemError) {
                try files.truncate(active.file, to: active.segment.bytes)
            } catch {
                sealActive(&state)
                isSealed = true
            }
            // A new file helps where this one may not grow, or is damaged; on a full disk none does.
            guard !isFirst, error.number != ENOSPC, error.number != EDQUOT else { throw error }
            if !isSealed { sealActive(&state) }
            return try write(event, isTransaction, &state)
        }
        active.segment.bytes += state.line.count
        active.segment.writes += 1
        active.segment.isUnsafe = true
        if isTransaction { active.segment.transactions += 1 } else { active.segment.ordinary += 1 }
        active.isUrgent = active.isUrgent || event.level >= .error
        state.active = active
        state.bytes += state.line.count
        state.deliveries.submit()   // before the disk is asked, which may find it lost
        if policy.durability == .power { synchronize(&state) }
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

    // MARK: Room

    /// Drops the oldest events until there is room: those of transactions last, and only for another transaction. No more files of other
    /// runs are looked into than that takes.
    private func makeRoom(for bytes: Int, _ isTransaction: Bool, _ state: inout State) throws(SystemError) -> Bool {
        guard bytes <= policy.maximumBytes else { return false }
        while state.bytes + bytes > policy.maximumBytes {
            if let place = oldestFree(state, where: { mayHoldOrdinary($0, state) }) {
                if !state.sealed[place].isToldApart {
                    try tellApart(place, &state)
                    continue
                }
                try dropOrdinary(place, &state)
                say("the spool is full; the oldest events are dropped and counted", &state)
            } else if let active = state.active, active.segment.ordinary > 0 || isTransaction {
                sealActive(&state)
            } else if isTransaction, let place = oldestFree(state, where: { $0.uncounted == 0 }) {   // others could not be counted
                say("the spool holds nothing but transactions, and the oldest are dropped", &state)
                try drop(place, &state)
            } else {
                return false
            }
        }
        return true
    }

    /// Nearly always one of the first: there may be tens of thousands, and this is asked for an event.
    private func oldestFree(_ state: State, where condition: (Segment) -> Bool) -> Int? {
        state.sealed.indices.first { condition(state.sealed[$0]) && !state.inHand.contains(state.sealed[$0].name) }
    }

    /// Whether a file holds events that are no transaction's and can be dropped, or has to be read to see that. One of nothing else goes as
    /// it is; of others it has to be read what stays.
    private func mayHoldOrdinary(_ segment: Segment, _ state: State) -> Bool {
        if segment.isToldApart && segment.transactions == 0 { return segment.ordinary > 0 }
        return (segment.ordinary > 0 || !segment.isToldApart) && !rests(segment.name, state)
    }

    /// Has something said once the lock is given back.
    func say(_ remark: String, _ state: inout State) {
        if !state.remarks.contains(remark) { state.remarks.append(remark) }
    }

    /// Sees which events of a file from another run are transactions'.
    private func tellApart(_ place: Int, _ state: inout State) throws(SystemError) {
        guard let content = try readOrLeave(place, &state) else { return }
        let (lines, damaged) = SpoolLine.read(content), segment = state.sealed[place].name
        let count = enter(lines.count + damaged, bytes: content.count, of: segment, &state)
        let ordinary = min(count, lines.count { !$0.isTransaction })
        state.sealed[place].ordinary = ordinary
        state.sealed[place].transactions = count - ordinary
        state.sealed[place].isToldApart = true
    }

    private func drop(_ place: Int, _ state: inout State) throws(SystemError) {
        try remove(state.sealed[place].name)
        forget(place, because: .spoolFull, &state)
    }

    /// Leaves of a file what transactions said.
    private func dropOrdinary(_ place: Int, _ state: inout State) throws(SystemError) {
        if state.sealed[place].transactions == 0 { return try drop(place, &state) }
        guard let content = try readOrLeave(place, &state) else { return }
        let kept = SpoolLine.read(content).lines.filter(\.isTransaction)
        // What a flush has called safe stays so.
        let isSynchronized = policy.durability == .power || !state.sealed[place].isUnsafe
        try keep(kept, of: place, losing: .spoolFull, isSynchronized: isSynchronized, &state)
    }

    // MARK: Files written anew

    /// Leaves these of a file's events; the others are lost.
    /// - Returns: How many those are.
    @discardableResult
    func keep(
        _ lines: [SpoolLine.Content], of place: Int, losing reason: DropReason, isSynchronized: Bool, _ state: inout State
    ) throws(SystemError) -> Int {
        let segment = state.sealed[place]
        if lines.isEmpty {
            try remove(segment.name)
            return forget(place, because: reason, &state)
        }
        let bytes = lines.flatMap { SpoolLine.bytes($0) }
        try rewrite(place, as: bytes, isSynchronized: isSynchronized, &state)
        let transactions = lines.count { $0.isTransaction }, lost = segment.count - lines.count
        state.sealed[place].bytes = bytes.count
        state.sealed[place].ordinary = lines.count - transactions
        state.sealed[place].transactions = transactions
        state.bytes -= segment.bytes - bytes.count
        state.lost += lost
        state.deliveries.drop(lost, reason)
        return lost
    }

    /// Gives a file other content, all or nothing.
    func rewrite(_ place: Int, as bytes: [UInt8], isSynchronized: Bool, _ state: inout State) throws(SystemError) {
        let segment = state.sealed[place].name.text, part = segment + SpoolName.part
        try? files.remove(part, in: folder)
        do throws(SystemError) {
            let file = try files.openNew(part, in: folder, permissions: 0o600)
            defer { files.close(file) }
            try files.appendAll(bytes[...], to: file)
            if isSynchronized { try files.synchronize(file) }
            state.folderChanges += 1   // also where the answer is lost
            try files.replace(segment, with: part, in: folder)
        } catch {
            try? files.remove(part, in: folder)
            throw error
        }
        state.sealed[place].writes += 1
        state.sealed[place].rewrites += 1
        state.sealed[place].isUnsafe = !isSynchronized
        state.sealed[place].isDistrusted = false
    }
}
