// HOT PATH — an event costs two system calls here: one look at who has the file's name now, one write.
internal import LogbookCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The active file of one name in one folder: whole lines go to its end, it rolls, and it is found again when somebody moved,
/// removed or truncated it. Its owner holds a lock around it.
struct RollingFile<Base: FileSystem>: Sendable {
    typealias Files = RestartingFileSystem<Base>

    struct Active: Sendable {
        let handle: OwnedDescriptor<Files>
        let status: FileStatus
        /// Of the files that were opened one after the other, from 1.
        let number: UInt64
        /// Where the file ended after our latest write; nil when that is not known.
        var end: Int?
        /// Its last line has no end: a newline comes first, so that nothing is ever glued to it.
        var endsMidLine: Bool
        /// Set once the machine failed to make it safe: what it says about this descriptor later is not believed.
        var distrusted: SystemError?
        /// Nil while the file is empty, and where no policy asks for it.
        var beginning: FileBeginning?
        /// When the latest event was written here, and, where archives go by their age, the same in monotonic nanoseconds; nil for what an
        /// earlier run wrote.
        var ended: (time: LogTime, uptime: UInt64?)?
        /// The process that has locked it.
        let lineage = ProcessLineage.current
    }
    enum Phase: Sendable {
        case open(Active)
        /// The file cannot be opened at the moment.
        case waiting(because: FileLogProviderError)
        case closed
    }

    let files: Files
    let name: LogFileName
    /// The first line of every file, with its newline; empty for none.
    let header: [UInt8]
    var policy: RollingPolicy
    let clock: LogClock
    let steady: SteadyTime
    var folder: LogFolder<Files>
    var claim: PathClaim?
    var phase: Phase
    /// How often names in the folder have changed, and how many of these changes survive a crash of the machine.
    var folderChanges: UInt64 = 1
    var safeFolderChanges: UInt64 = 0
    /// An archive that could not be made safe; the next flush says so.
    var unsafeArchive: FileLogProviderError?
    /// The latest file that could not be made safe, by its number, and why.
    var latestFailure: (number: UInt64, failure: FileLogProviderError)?
    /// The number of the file that is open now.
    var fileNumber: UInt64 = 0
    /// How often lines were written.
    var writes: UInt64 = 0
    /// ``writes`` when the latest synchronization began that has succeeded.
    var safeWrites: UInt64 = 0
    var manifest: ManifestFile<Files>
    /// What the active file is to be called, where the manifest has its line and the file could not be given the name.
    var listedName: ArchiveName?
    /// Sizes of archives by their names: they do not change any more.
    var archiveBytes: [String: Int] = [:]
    /// When this run first saw which archives, by their numbers, on the steady clock: where the wall clock has been set since the start, the
    /// times in the manifest are no measure of their age.
    var firstSeen: [UInt64: LogTime] = [:]
    /// When the latest event was written to archives that this run has rolled, by their numbers, in monotonic nanoseconds: the wall clock
    /// may have been wrong then.
    var writtenLast: [UInt64: UInt64] = [:]
    /// The id of the log whose archives those are: one whose folder somebody removed begins anew, and counts from 1 again.
    var seenLog: String?
    /// When the next archive is too old, on the steady clock.
    var nextDeletion: LogTime?
    var isBeyondLimits = false
    /// Archives beside which there is a part of a compressed file, which was said.
    var besideAPart: Set<ArchiveName> = []
    /// Set when ``nextDue`` may have moved.
    var hasNewDue = false
    /// The first write that no synchronization has covered yet, in monotonic nanoseconds.
    var unsafeSince: UInt64?
    let synchronizesWithin: Duration?
    var openPause = RetryPause()
    var openFailure: FileLogProviderError?
    var rollPause = RetryPause()
    private var writePause = RetryPause()
    private var writeFailure: FileLogProviderError?
    /// What to tell the diagnostics once the lock is let go.
    var notes: [String] = []
    /// What to tell the owner's handler then.
    var events: [LogArchiveEvent] = []
    /// Archives among them whose events are to be counted before.
    var givenUp: [GivenUpArchive<Files>] = []

    var path: String { folder.path + "/" + name.active }

    init(
        in folderPath: String, name: String, header: String = "", policy: RollingPolicy,
        durability: FileDurability = .process, files base: Base, clock: LogClock
    ) throws(FileLogProviderError) {
        files = RestartingFileSystem(base)
        self.name = try LogFileName(name)
        self.header = Array(header.utf8) + (header.isEmpty || header.utf8.last == 0x0A ? [] : [0x0A])
        self.policy = policy
        self.clock = clock
        steady = SteadyTime(clock)
        if case .interval(let span) = durability { synchronizesWithin = span } else { synchronizesWithin = nil }
        manifest = ManifestFile(self.name, files)
        folder = try LogFolder(folderPath, files)
        phase = .closed
        claim = try PathClaim(folder.path + "/" + self.name.active)
        try refuseWhatOthersPut()
        phase = .open(try openActive())
        if folder.isOpenToOthers {
            notes.append("other users may replace files in \(folder.path); take their write permission away")
        }
        tidyUp()
        rollWhatIsOld()
    }

    /// Appends lines, rolling in between where the policy says so.
    /// - Parameter lines: Without times where it is now that they are said.
    /// - Returns: How many lines are in the kernel's hands, why it is not all of them, and the number of the file that has the first.
    mutating func append(_ lines: LineBatch) -> (lines: Int, failure: FileLogProviderError?, number: UInt64) {
        var written = 0
        var number = fileNumber
        do throws(FileLogProviderError) {
            while written < lines.count {
                let isFirst = written == 0
                let start = isFirst ? 0 : lines.ends[written - 1]
                written += try appendWhatFits(
                    lines.bytes, from: start, lineEnds: lines.ends[written...], times: lines.times.dropFirst(written))
                if isFirst { number = fileNumber }
            }
            return (written, nil, number)
        } catch { return (written, error, number) }
    }

    /// - Returns: 0 where a new file was begun that has no header yet.
    private mutating func appendWhatFits(
        _ bytes: UnsafeBufferPointer<UInt8>, from start: Int, lineEnds: Slice<UnsafeBufferPointer<Int>>,
        times: Slice<UnsafeBufferPointer<LogTime>>
    ) throws(FileLogProviderError) -> Int {
        if let writeFailure, !writePause.isOver(clock.monotonicNanoseconds()) { throw writeFailure }
        let first = lineEnds.first! - start
        var size = try verifiedSize()
        if let reason = policy.rolls(before: first, into: size) ? .size : reasonToRoll(before: times.first) {
            roll(because: reason)
            size = try verifiedSize()
        }
        if size == 0, !header.isEmpty {
            let header = header
            _ = try header.withUnsafeBufferPointer { header throws(FileLogProviderError) in
                try [header.count].withUnsafeBufferPointer { ends throws(FileLogProviderError) in
                    try write(header, from: 0, lineEnds: ends[...], size: 0)
                }
            }
            size = try verifiedSize()
        }
        // While another process rolls, or rolling fails, a file that is too large is better than a lost line. Behind nothing but the
        // header it is one line that is too large, and the others have a file of their own.
        let isTooLarge = policy.rolls(before: first, into: size)
        let room = isTooLarge ? (size == header.count ? first : Int.max) : policy.maximumBytes - size
        // Nearly always all of them.
        var fitting = lineEnds.last! - start <= room ? lineEnds.count : lineEnds.prefix { $0 - start <= room }.count
        if !times.isEmpty, let end = endOfPeriod(beginningWith: times.first), reasonToRoll(before: times.first) == nil {
            fitting = min(fitting, times.prefix { $0 < end }.count)
        }
        fitting = max(1, fitting)
        let written = try write(bytes, from: start, lineEnds: lineEnds.prefix(fitting), size: size)
        if written > 0 { noteWritten(first: times.first) }
        return written
    }

    private mutating func write(
        _ bytes: UnsafeBufferPointer<UInt8>, from start: Int, lineEnds: Slice<UnsafeBufferPointer<Int>>, size: Int,
        isSecondTry: Bool = false
    ) throws(FileLogProviderError) -> Int {
        guard case .open(var active) = phase else { throw .closed(path: path) }
        var end = size
        var (taken, failure) = (0, SystemError?.none)
        if active.endsMidLine {
            (taken, failure) = pushNewline(to: active)
            end += taken
            taken = 0
            active.endsMidLine = failure != nil
        }
        if failure == nil {
            (taken, failure) = push(UnsafeBufferPointer(rebasing: bytes[start..<lineEnds.last!]), to: active)
            end += taken
        }
        guard let failure else {
            active.end = end
            phase = .open(active)
            writePause.reset()
            writeFailure = nil
            return lineEnds.count
        }

        let whole = lineEnds.prefix { $0 - start <= taken }
        let torn = taken - ((whole.last ?? start) - start)
        if taken > 0 { active.endsMidLine = torn > 0 && !takeBack(torn, from: active) }
        active.end = nil
        phase = .open(active)
        if !whole.isEmpty { return whole.count }

        if !isSecondTry, let newSize = sizeAfterRecovery(from: failure, size: size) {
            if newSize == 0, size > 0, !header.isEmpty { return 0 }
            return try write(bytes, from: start, lineEnds: lineEnds, size: newSize, isSecondTry: true)
        }
        if failure.number == EFBIG, size <= header.count {
            let error = FileLogProviderError.eventTooLarge(path: path, bytes: lineEnds.first! - start)
            notes.append(error.description)
            throw error
        }
        let error = FileLogProviderError.cannotWrite(path: path, errno: failure.number)
        notes.append(error.description)
        writeFailure = error
        // A full disk answers at once, so every event may try; a broken one may take seconds to fail.
        if !Self.isFull(failure) { writePause.begin(clock.monotonicNanoseconds()) }
        throw error
    }

    private static func isFull(_ failure: SystemError) -> Bool {
        [ENOSPC, EDQUOT, EFBIG].contains(failure.number)
    }

    /// Writes all of it, unless something fails.
    private func push(_ bytes: UnsafeBufferPointer<UInt8>, to active: Active) -> (taken: Int, failure: SystemError?) {
        var taken = 0
        do throws(SystemError) {
            while taken < bytes.count {
                let rest = UnsafeBufferPointer(rebasing: bytes[taken...])
                let count = try files.append(UnsafeRawBufferPointer(rest), to: active.handle.descriptor)
                guard count > 0 else { throw SystemError(ENOSPC, in: "write") }
                taken += count
            }
            return (taken, nil)
        } catch { return (taken, error) }
    }

    /// Ends a line that was left in the middle.
    func pushNewline(to active: Active) -> (taken: Int, failure: SystemError?) {
        [0x0A].withUnsafeBufferPointer { push($0, to: active) }
    }

    /// Takes the beginning of a line back that could not be finished, if nobody has written behind it. Otherwise it stays, and
    /// the next line starts on a line of its own.
    /// - Returns: Whether the file ends with a whole line again.
    private func takeBack(_ torn: Int, from active: Active) -> Bool {
        guard
            let position = try? files.position(of: active.handle.descriptor),
            let size = try? files.status(of: active.handle.descriptor).bytes, size == position
        else { return false }
        return (try? files.truncate(active.handle.descriptor, to: size - torn)) != nil
    }

    /// A second chance for what could not be written: a new file where this one may not grow, a new descriptor where this one
    /// is broken.
    /// - Returns: The size of the file to try again with; nil when there is none.
    private mutating func sizeAfterRecovery(from failure: SystemError, size: Int) -> Int? {
        switch failure.number {
        case EFBIG:
            if size <= header.count { return size }
            guard roll(because: .limit) else { return nil }
            return try? verifiedSize()
        case ENOSPC, EDQUOT:
            return nil
        default:
            guard case .open(let broken) = phase, let fresh = try? openActive() else { return nil }
            retire(broken)
            phase = .open(fresh)
            return fresh.end
        }
    }
}
