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
/// whoever sees it first.
final class Spool<Files: FileSystem>: EventStore {
    struct Segment {
        let name: SpoolName
        var bytes = 0
        var ordinary = 0
        var transactions = 0
        /// Left by another run.
        let isInherited: Bool
        /// Whether a crash of the machine may take some of it.
        var isUnsafe: Bool
        /// The disk did not confirm it once, and what it confirms later is not to be believed: the file has to be written anew.
        var isDistrusted = false
        /// Whether it is known which of its events are transactions'.
        var isCounted = true
        /// How often its file was written to.
        var writes = 0
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
        /// Of all files.
        var bytes = 0
        /// When lanes of others are looked at again.
        var nextLook: UInt64 = 0
        var line: [UInt8] = []
        /// To be said once the lock is given back.
        var remarks: [String] = []
        /// Of the way into a file.
        var ledger = LogLedger()
        /// Of the way from the file to the receiver.
        var deliveries = LogLedger()
        var lost = 0
    }

    static var lookAgain: Duration { .seconds(30) }

    let path: String
    let policy: SpoolPolicy
    let origin: LogOrigin
    let destination: CurrentDestination
    let clock: LogClock
    let name: String
    let files: Files
    let folder: FileDescriptor
    let state = Locked(State())
    /// The files that are being delivered, the oldest first. Only the courier's thread changes them.
    let hands = Locked<[SpoolHand]>([])

    init(
        at path: String, policy: SpoolPolicy, destination: CurrentDestination, origin: LogOrigin, clock: LogClock, name: String,
        files: Files
    ) throws(RemoteLogProviderError) {
        self.path = path
        self.policy = policy
        self.origin = origin
        self.destination = destination
        self.clock = clock
        self.name = name
        self.files = files
        try? files.makeFolder(at: path)
        do throws(SystemError) {
            folder = try files.openFolder(at: path)
        } catch {
            throw .cannotOpenSpool(folder: path, reason: error.description)
        }
        do throws(SystemError) {
            try takeLane()
            try takeOver()
        } catch {
            throw .cannotOpenSpool(folder: path, reason: error.description)   // deinit closes what is open
        }
    }

    deinit {
        state.withLock { state in
            if let active = state.active { files.close(active.file) }
            for lane in state.lanes {
                if !state.isReleased { files.unlock(lane.lock) }
                files.close(lane.lock)
            }
        }
        files.close(folder)
    }

    // MARK: Lanes

    /// Takes the first lane that is free, to write to.
    private func takeLane() throws(SystemError) {
        for number in 0..<SpoolName.mostLanes {
            guard let lock = try lock(lane: number) else { continue }
            state.withLock { $0.lanes = [(number, lock)] }
            let (segments, latest) = try segments(ofLane: number)
            inherit(segments, latest: latest)
            return
        }
        throw SystemError(EMFILE, in: "flock")
    }

    /// - Returns: Nil when somebody else uses it.
    private func lock(lane: Int) throws(SystemError) -> FileDescriptor? {
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

    /// Takes the lanes of those who have gone.
    func takeOver() throws(SystemError) {
        let own = Set(state.withLock { $0.lanes.map(\.number) })
        let others = Set(try files.names(in: folder).compactMap { SpoolName($0)?.lane }).subtracting(own)
        for number in others.sorted() {
            guard let lock = try lock(lane: number) else { continue }
            let found: [Segment]
            do throws(SystemError) {
                found = try segments(ofLane: number).found
            } catch {
                // Not ours without its files: it is looked at again.
                files.unlock(lock)
                files.close(lock)
                throw error
            }
            state.withLock { $0.lanes.append((number, lock)) }
            inherit(found, latest: 0)
        }
        state.withLock { $0.nextLook = clock.monotonicNanoseconds() + UInt64(Self.lookAgain.wholeNanoseconds) }
    }

    /// What is in a lane of ours that nobody else uses. What was being written anew when its user ended is removed.
    private func segments(ofLane lane: Int) throws(SystemError) -> (found: [Segment], latest: UInt64) {
        var found: [Segment] = [], latest: UInt64 = 0
        for text in try files.names(in: folder) {
            if text.hasSuffix(SpoolName.part), SpoolName(String(text.dropLast(SpoolName.part.count)))?.lane == lane {
                try? files.remove(text, in: folder)
            }
            guard let name = SpoolName(text), name.lane == lane else { continue }
            latest = max(latest, name.number)
            let status = try files.status(of: text, in: folder)
            guard status.kind == .regular else { continue }
            let count = try read(name).reduce(0) { $0 + ($1 == 0x0A ? 1 : 0) }
            if count == 0 {
                try? files.remove(text, in: folder)   // its first line was never finished
                continue
            }
            // Which of them are transactions' is seen when one has to be dropped.
            found.append(
                Segment(
                    name: name, bytes: status.bytes, transactions: count, isInherited: true, isUnsafe: false,
                    isCounted: false, oldest: status.modified))
        }
        return (found, latest)
    }

    private func inherit(_ segments: [Segment], latest: UInt64) {
        state.withLock { state in
            state.nextNumber = max(state.nextNumber, latest + 1)
            state.sealed = (segments + state.sealed).sorted {
                ($0.isInherited ? 0 : 1, $0.name.lane, $0.name.number) < ($1.isInherited ? 0 : 1, $1.name.lane, $1.name.number)
            }
            state.bytes += segments.reduce(0) { $0 + $1.bytes }
            state.deliveries.submit(segments.reduce(0) { $0 + $1.count })
        }
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
        state.bytes -= segment.bytes
        state.lost += segment.count
        state.deliveries.drop(segment.count, reason)
        return segment.count
    }

    // MARK: What is known

    var ledger: LogLedger { state.withLock { $0.ledger } }
    var deliveries: LogLedger { state.withLock { $0.deliveries } }
    var lost: Int { state.withLock { $0.lost } }
    var pendingCount: Int { state.withLock { Int($0.deliveries.pending) } }
    var pendingEvents: [LogEvent] { [] }
    var oldestPending: LogTime? { state.withLock { $0.sealed.first?.oldest ?? $0.active?.segment.oldest } }
}

extension DropReason {
    /// What a spool held of it was damaged on disk, or is gone from there.
    public static let corruptRecovered = DropReason(rawValue: "corrupt_recovered")
}
