internal import LogbookCore
internal import LogbookDelivery
internal import LogbookFormat

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The events of a remote provider in a folder, from the log call to the receiver's acknowledgement.
///
/// Events are appended to a file. When it is large, full or old enough it is closed and becomes a parcel, or several where the
/// receiver takes less at once. It is deleted when the fate of each of its events is known, and not before: whatever ends the
/// program, the next one finds the file and sends it.
///
/// Each user of the folder writes to a lane of its own, on which it holds a lock; a lane whose user has gone is taken over by
/// whoever sees it first, and given back when nothing is left in it. The file that is written to is locked as well: whoever removes the
/// lane's lock gives nobody a file that is still growing.
final class Spool<Files: FileSystem>: EventStore {
    struct Segment {
        let name: SpoolName
        var bytes = 0
        var ordinary = 0
        var transactions = 0
        /// As many events as may be in it, where nobody has counted them yet. They are in no ledger.
        var uncounted = 0
        /// Left by another run.
        let isInherited: Bool
        /// Whether a crash of the machine may take some of it.
        var isUnsafe: Bool
        /// The disk did not confirm it once, and what it confirms later is not to be believed: the file has to be written anew.
        var isDistrusted = false
        /// Lines of it are gone since it is in hand: nobody writes it anew before it is not.
        var isMissingLines = false
        /// Its file was removed, since the receiver has all of it.
        var isRemoved = false
        /// Whether it is known which of its events are transactions'.
        var isToldApart = true
        /// Somebody else has had its lane while it was here.
        var isShared = false
        /// How often its file was written to.
        var writes = 0
        /// How often another file took its place.
        var rewrites = 0
        let oldest: LogTime
        var count: Int { ordinary + transactions }
    }

    struct Active {
        var segment: Segment
        let file: FileDescriptor
        /// On the provider's clock.
        let since: UInt64
        var isUrgent = false
    }

    /// Why a file could not be read. It is left alone for a while: a failing disk takes its time with every attempt.
    struct Trouble {
        let error: SystemError
        /// On the provider's clock.
        let until: UInt64
    }

    /// What is in a lane.
    private struct Found {
        var segments: [Segment] = []
        /// Those of them that could not be read.
        var unreadable: [SpoolName: Trouble] = [:]
        var latest: UInt64 = 0
    }

    struct State {
        var isOpen = true
        var isReleased = false
        /// Lanes of ours, the first of them for writing, and the files that lock them.
        var lanes: [(number: Int, lock: FileDescriptor)] = []
        var nextNumber: UInt64 = 1
        var active: Active?
        /// Written to no more, the oldest first.
        var sealed: [Segment] = []
        /// Those of them that are being delivered.
        var inHand: Set<SpoolName> = []
        var limit: ParcelLimit
        /// Those of them that could not be read.
        var unreadable: [SpoolName: Trouble] = [:]
        /// How often a file came into the folder, or took the place of another.
        var folderChanges = 0
        /// As many of them survive a crash of the machine.
        var safeFolderChanges = 0
        var isFolderUnsafe: Bool { safeFolderChanges < folderChanges }
        /// On the provider's clock: until then no event has files written anew.
        var nextRenewal: UInt64 = 0
        /// Of all files.
        var bytes = 0
        /// When lanes of others are looked at again.
        var nextLook: UInt64 = 0
        /// Lanes of others that could not be looked at, which is said once.
        var closedLanes: Set<Int> = []
        var line: [UInt8] = []
        /// To be said once the lock is given back.
        var remarks: [String] = []
        /// Of the way into a file.
        var ledger = LogLedger()
        /// Of the way from the file to the receiver.
        var deliveries = LogLedger()
        var lost = 0
        /// Of those, what was found to be gone when it was to be made safe, and no flush has said yet.
        var unreported = 0
    }

    static var lookAgain: Duration { .seconds(30) }
    /// How long a file is left alone that cannot be read.
    static var readAgain: Duration { .seconds(60) }
    /// How long no event has files written anew after the disk has not taken one: whoever logs waits for it.
    static var renewAgain: Duration { .seconds(5) }

    let path: String
    let policy: SpoolPolicy
    let origin: LogOrigin
    let destination: CurrentDestination
    let clock: LogClock
    let name: String
    let files: RestartingFileSystem<Files>
    let folder: FileDescriptor
    let lineage = ProcessLineage.current
    let state: Locked<State>
    /// Held by whoever counts what was left, and never together with the state's lock taken first.
    let counting = Locked(())
    /// The files that are being delivered, the oldest first. Only the courier's thread changes them.
    let hands = Locked<[SpoolHand]>([])

    init(
        at path: String, policy: SpoolPolicy, destination: CurrentDestination, origin: LogOrigin, clock: LogClock, name: String,
        files base: Files
    ) throws(RemoteLogProviderError) {
        let files = RestartingFileSystem(base)
        self.path = path
        self.policy = policy
        self.origin = origin
        self.destination = destination
        self.clock = clock
        self.name = name
        self.files = files
        state = Locked(State(limit: ParcelLimit(policy.parcelEvents)))
        try? files.makeFolder(at: path)
        do throws(SystemError) {
            folder = try files.openFolder(at: path)
        } catch {
            throw .cannotOpenSpool(folder: path, reason: error.description)
        }
        let hasLane: Bool
        do throws(SystemError) {
            hasLane = try takeLane()
            if hasLane { try takeOver() }
        } catch {
            throw .cannotOpenSpool(folder: path, reason: error.description)   // deinit closes what is open
        }
        if !hasLane { throw .noFreeLane(folder: path, lanes: SpoolName.mostLanes) }
    }

    deinit {
        state.withLock { state in
            if let active = state.active { letGo(of: active.file) }
            for lane in state.lanes {
                if !state.isReleased, lineage.isCurrent { files.unlock(lane.lock) }
                files.close(lane.lock)
            }
        }
        files.close(folder)
    }

    // MARK: Lanes

    /// Takes the first lane that is free, to write to.
    /// - Returns: False when all are in use.
    private func takeLane() throws(SystemError) -> Bool {
        var refusal: SystemError?
        for number in 0..<SpoolName.mostLanes {
            do throws(SystemError) {
                guard let lock = try lock(lane: number) else { continue }
                state.withLock { $0.lanes = [(number, lock)] }
            } catch {
                // The lock of another user with whom we share the folder.
                guard error.number == EACCES || error.number == EPERM else { throw error }
                refusal = refusal ?? error
                continue
            }
            guard let found = try find(inLane: number) else {
                state.withLock { state in letGo(of: state.lanes.removeLast().lock) }   // somebody writes there all the same
                continue
            }
            state.withLock { inherit(found, latest: found.latest, &$0) }
            return true
        }
        if let refusal { throw refusal }
        return false
    }

    /// Somebody has removed the folder: makes it anew, with a lane of ours. What was in it is found to be gone when its turn comes.
    func makeFolderAgain(_ state: inout State) throws(SystemError) {
        try? files.makeFolder(at: path)
        let new = try files.openFolder(at: path)
        defer { files.close(new) }
        // What others have left there is taken over by lanes, and only from those that are not ours by then.
        let left = Set(try files.names(in: new).compactMap { SpoolName($0)?.lane })
        for number in 0..<SpoolName.mostLanes where !left.contains(number) {
            guard let lock = try lock(lane: number, in: new) else { continue }
            do throws(SystemError) {
                try files.redirect(folder, to: new)
            } catch {
                files.unlock(lock)
                files.close(lock)
                throw error
            }
            for lane in state.lanes {
                files.unlock(lane.lock)
                files.close(lane.lock)
            }
            state.lanes = [(number, lock)]
            state.folderChanges += 1
            state.remarks.append("\(path) was removed, and is made anew")
            return
        }
        throw SystemError(EAGAIN, in: "flock")   // others were sooner, and have every lane
    }

    /// Makes sure of the lane that is written to: whoever removes the file that locks it gives it to the next who looks. It is locked
    /// anew; where files are left in it, or somebody else has it by now, another one is written to.
    func keepLane(_ state: inout State) throws(SystemError) {
        let lane = state.lanes[0], name = SpoolName.lock(ofLane: lane.number)
        do throws(SystemError) {
            if try files.status(of: name, in: folder).isSameFile(as: files.status(of: lane.lock)) { return }
            for place in state.sealed.indices where state.sealed[place].name.lane == lane.number { state.sealed[place].isShared = true }
        } catch {
            guard error.number == ENOENT else { throw error }
        }
        let left = Set(try files.names(in: folder).compactMap { SpoolName($0)?.lane })
        var again: FileDescriptor?
        do throws(SystemError) {
            again = try lock(lane: lane.number)
        } catch {
            guard error.number == EACCES || error.number == EPERM else { throw error }   // another user has it
        }
        var next: (number: Int, lock: FileDescriptor)?
        if again == nil || left.contains(lane.number) {
            for number in 0..<SpoolName.mostLanes where next == nil && number != lane.number && !left.contains(number) {
                if let lock = try? lock(lane: number) { next = (number, lock) }
            }
        }
        let isAnother = next != nil
        if next == nil, let again { next = (lane.number, again) }
        guard let chosen = next else { throw SystemError(EAGAIN, in: "flock") }   // others have every lane
        files.unlock(lane.lock)
        files.close(lane.lock)
        state.lanes[0] = chosen
        if isAnother, let again { state.lanes.append((lane.number, again)) }   // until what is left there has been sent
        let whose = again == nil ? "; somebody else has taken the lane" : ", and is made anew"
        state.remarks.append("\(path)/\(name) was removed\(whose)")
    }

    /// - Returns: Nil when somebody else uses it.
    private func lock(lane: Int) throws(SystemError) -> FileDescriptor? { try lock(lane: lane, in: folder) }

    private func lock(lane: Int, in folder: FileDescriptor) throws(SystemError) -> FileDescriptor? {
        let file = try files.openForAppending(SpoolName.lock(ofLane: lane), in: folder, permissions: 0o600)
        do throws(SystemError) {
            if try files.tryLock(file) { return file }
        } catch {
            files.close(file)
            throw error
        }
        files.close(file)
        return nil
    }

    /// Gives a lock back: not by closing the file alone, which a forked child may hold. In such a child the lock is its parent's.
    func letGo(of file: FileDescriptor) {
        if lineage.isCurrent { files.unlock(file) }
        files.close(file)
    }

    /// Takes the lanes of those who have gone.
    func takeOver() throws(SystemError) {
        let own = Set(state.withLock { $0.lanes.map(\.number) })
        let others = Set(try files.names(in: folder).compactMap { SpoolName($0)?.lane }).subtracting(own)
        for number in others.sorted() {
            do throws(SystemError) {
                try takeOver(lane: number)
            } catch {
                // It is looked at again, and the others are there as well.
                let isNews = state.withLock { $0.closedLanes.insert(number).inserted }
                if isNews {
                    LogDiagnostics.report(name, "cannot take over \(path)/\(SpoolName.lock(ofLane: number)), tried again: \(error)")
                }
            }
        }
        state.withLock { state in
            letGoOfEmptyLanes(&state)   // somebody may have emptied one before its lock was ours
            state.nextLook = clock.monotonicNanoseconds() + UInt64(Self.lookAgain.wholeNanoseconds)
        }
    }

    /// Lets others have the lanes that were taken over and are empty by now.
    func letGoOfEmptyLanes(_ state: inout State) {
        guard !state.isReleased, state.lanes.count > 1 else { return }   // what was released is closed at the end
        let used = Set(state.sealed.map(\.name.lane) + [state.lanes[0].number])
        state.lanes.removeAll { lane in
            if used.contains(lane.number) { return false }
            files.unlock(lane.lock)
            files.close(lane.lock)
            return true
        }
    }

    private func takeOver(lane number: Int) throws(SystemError) {
        guard let lock = try lock(lane: number) else { return }
        let content: Found?
        do throws(SystemError) {
            content = try find(inLane: number)
        } catch {
            letGo(of: lock)   // not ours without its files
            throw error
        }
        guard let found = content else { return letGo(of: lock) }
        state.withLock { state in
            state.lanes.append((number, lock))
            state.closedLanes.remove(number)
            inherit(found, latest: 0, &state)   // at once: an empty lane is let go of
        }
    }

    /// What is in a lane of ours that nobody else uses. What was being written anew when its user ended is removed.
    /// - Returns: Nil when somebody writes to a file of it: the lane is in use, and its lock was removed and made anew.
    private func find(inLane lane: Int) throws(SystemError) -> Found? {
        let names = try files.names(in: folder)
        if names.contains(where: { SpoolName($0)?.lane == lane && isWritten($0) }) { return nil }
        var found = Found()
        for text in names {
            if text.hasSuffix(SpoolName.part), SpoolName(String(text.dropLast(SpoolName.part.count)))?.lane == lane {
                try? files.remove(text, in: folder)
            }
            guard let name = SpoolName(text), name.lane == lane else { continue }
            found.latest = max(found.latest, name.number)
            try add(name, to: &found)
        }
        return found
    }

    /// Whether somebody has a file locked. Where that cannot be found out it is read like others, or says why it cannot be.
    private func isWritten(_ name: String) -> Bool {
        guard let file = try? files.openForLocking(name, in: folder) else { return false }
        defer { letGo(of: file) }
        return (try? files.tryLock(file)) == false
    }

    /// A file that cannot be looked at is one of them all the same. How many events are in it is counted later: to read everything that
    /// was left may take long, and whoever makes a provider waits for this.
    private func add(_ segment: SpoolName, to found: inout Found) throws(SystemError) {
        var bytes = 0, oldest = clock.now()
        do throws(SystemError) {
            let status = try files.status(of: segment.text, in: folder)
            guard status.kind == .regular else { return }
            bytes = status.bytes
            oldest = status.modified
            if bytes == 0 {
                try? files.remove(segment.text, in: folder)   // nothing was ever written to it
                return
            }
        } catch {
            if error.number == ENOENT { return }
            guard error.isAboutOneFile else { throw error }
            found.unreadable[segment] = trouble(error)
            LogDiagnostics.report(name, remark(on: segment, error))
        }
        // Which of them are transactions' is seen when one has to be dropped.
        found.segments.append(
            Segment(
                name: segment, bytes: bytes, uncounted: SpoolLine.most(in: bytes), isInherited: true, isUnsafe: true, isToldApart: false,
                oldest: oldest))
    }

    private func inherit(_ found: Found, latest: UInt64, _ state: inout State) {
        state.nextNumber = max(state.nextNumber, latest + 1)
        // What is in a lane that was ours before is known.
        let known = Set(state.sealed.map(\.name))
        let segments = found.segments.filter { !known.contains($0.name) }
        state.sealed = (segments + state.sealed).sorted {
            ($0.isInherited ? 0 : 1, $0.name.lane, $0.name.number) < ($1.isInherited ? 0 : 1, $1.name.lane, $1.name.number)
        }
        state.unreadable.merge(found.unreadable.filter { !known.contains($0.key) }) { $1 }
        state.bytes += segments.reduce(0) { $0 + $1.bytes }
    }

    // MARK: Files

    func read(_ name: SpoolName) throws(SystemError) -> [UInt8] {
        let file = try files.openForReading(name.text, in: folder)
        defer { files.close(file) }
        var bytes = [UInt8](repeating: 0, count: try files.status(of: file).bytes)
        var count = 0
        while count < bytes.count {
            let result = bytes.withUnsafeMutableBytes { buffer in
                Result { () throws(SystemError) in
                    try files.read(file, into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]), at: count)
                }
            }
            let read = try result.get()
            if read == 0 { break }
            count += read
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }

    func remove(_ name: SpoolName) throws(SystemError) {
        do throws(SystemError) {
            try files.remove(name.text, in: folder)
        } catch {
            if error.number != ENOENT { throw error }   // it is gone, which is what is wanted
        }
    }

    /// The file is gone, and what was in it is lost.
    /// - Returns: How many events that were.
    @discardableResult
    func forget(_ place: Int, because reason: DropReason, _ state: inout State) -> Int {
        let segment = state.sealed.remove(at: place)
        state.unreadable[segment.name] = nil
        state.bytes -= segment.bytes
        state.lost += segment.count
        state.deliveries.drop(segment.count, reason)
        letGoOfEmptyLanes(&state)
        return segment.count
    }

    /// The file is gone although nobody else may take it. Of a lane whose lock was removed, another may have: it is on that one's account.
    /// - Returns: How many events were in it, where somebody had counted them, and what is to be said of that once the lock is given back.
    func forgetVanished(_ place: Int, _ state: inout State) -> (count: Int, remark: String?) {
        let segment = state.sealed[place], file = "\(path)/\(segment.name.text)", isShared = wasShared(segment, state)
        let count = forget(place, because: isShared ? .takenOver : .corruptRecovered, &state)
        if count == 0, segment.uncounted == 0 { return (0, nil) }
        let events = segment.uncounted > 0 ? "events that nobody has counted" : "\(count) events"
        return (
            count,
            isShared
                ? "\(events) are another program's to send, or lost: \(file) is gone, and its lane was that one's"
                : "\(events) are lost: \(file) is gone, and nobody else may take it"
        )
    }

    /// Whether somebody has removed the lock of its lane, and somebody else made one.
    private func wasShared(_ segment: Segment, _ state: State) -> Bool {
        if segment.isShared { return true }
        guard let lane = state.lanes.first(where: { $0.number == segment.name.lane }), let own = try? files.status(of: lane.lock),
            let named = try? files.status(of: SpoolName.lock(ofLane: lane.number), in: folder)
        else { return false }
        return !named.isSameFile(as: own)
    }

    // MARK: What is known

    var ledger: LogLedger { state.withLock { $0.ledger } }
    /// Counts first what nobody has counted yet.
    var deliveries: LogLedger {
        countWhatIsLeft()
        return state.withLock { $0.deliveries }
    }
    var lost: Int { state.withLock { $0.lost } }
    /// Of this run and of earlier ones.
    var lostAfterwards: [DropReason: UInt64]? {
        state.withLock { $0.deliveries.dropped.filter { $0.key != .takenOver } }   // which are another program's to send
    }
    /// Never fewer than there are: where a file is not counted yet, more.
    var pendingCount: Int {
        state.withLock { state in Int(state.deliveries.pending) + state.sealed.reduce(0) { $0 + $1.uncounted } }
    }
    var isCounted: Bool { state.withLock { $0.sealed.allSatisfy { $0.uncounted == 0 } } }
    var pendingEvents: [LogEvent] { [] }
    /// A kill takes nothing.
    func notePending(on page: LossPage, as name: String) {}
    func handOver(_ save: ([LogEvent]) -> Bool) -> Int { 0 }
    /// Of what can be read: a file that cannot must make nothing else overdue.
    var oldestPending: LogTime? {
        state.withLock { state in
            let unreadable = state.unreadable
            let readable = state.sealed.lazy.filter { unreadable[$0.name] == nil }
            return readable.map(\.oldest).min() ?? state.active?.segment.oldest
        }
    }
}

extension DropReason {
    /// The spool's file that held it is gone, and another program has had the lane, whose lock somebody had removed: that one may have sent
    /// it, and its account says what became of it.
    public static let takenOver = DropReason(rawValue: "taken_over")
}
