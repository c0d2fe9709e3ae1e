internal import LogbookCore
internal import Synchronization

/// A rolling file that several threads share, with what happens to it in the background.
final class SharedRollingFile<Base: FileSystem>: LogFile {
    typealias Handler = @Sendable (LogArchiveEvent) -> Void
    private typealias Files = RestartingFileSystem<Base>

    private let file: Locked<RollingFile<Base>>
    private let files: Files
    private let origin: String
    private let durability: FileDurability
    private let commits = GroupSynchronization()
    private let compressor: ArchiveCompressor<Base>
    private let handler: Handler?
    /// Events for the handler, in order; whoever finds nobody telling them tells them all.
    private let untold = Locked<(events: [LogArchiveEvent], isBeingTold: Bool)>(([], false))
    private let alarm: Locked<LogAlarm?>
    /// Whether archives wait for somebody who sends them.
    private let awaitsDelivery: Atomic<Bool>
    private let givenUpCount = Atomic<UInt64>(0)
    let path: String

    init(
        in folder: String, name: String, header: String, policy: RollingPolicy, durability: FileDurability,
        files base: Base, clock: LogClock, handler: Handler?
    ) throws(FileLogProviderError) {
        let file = try RollingFile(
            in: folder, name: name, header: header, policy: policy, durability: durability, files: base, clock: clock)
        files = Files(base)
        path = file.path
        origin = "file \(file.name.active)"
        self.durability = durability
        self.handler = handler
        awaitsDelivery = Atomic(policy.awaitsDelivery)
        compressor = ArchiveCompressor(of: file.name, in: file.folder.path, files: base, clock: clock)
        self.file = Locked(file)
        alarm = Locked(nil)
        compressor.onEvent = { [weak self] event in self?.tell([event]) }
        alarm.withLock { alarm in
            alarm = LogAlarm("logbook-file", clock: clock) { [weak self] in self?.lookAtTheClock() }
        }
        locked { $0.hasNewDue = true }
        if policy.compression != nil { compressor.wake(policy.compression) }
    }

    /// What is reported once nobody waits for this thread: handlers are foreign code.
    private struct News {
        var notes: [String] = []
        var events: [LogArchiveEvent] = []
        var givenUp: [GivenUpArchive<Files>] = []
        var compression: ArchiveCompression?
        var hasNewDue = false
    }

    /// Works on the file, and reports afterwards: handlers never run under our lock.
    private func locked<Result, Failure: Error>(
        _ body: (inout RollingFile<Base>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var news = News()
        defer { tell(&news) }
        return try locked(gathering: &news, body)
    }

    private func locked<Result, Failure: Error>(
        gathering news: inout News, _ body: (inout RollingFile<Base>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try file.withLock { file throws(Failure) in
            defer {
                if !file.notes.isEmpty {
                    news.notes += file.notes
                    file.notes = []
                }
                if !file.events.isEmpty {
                    news.events += file.events
                    file.events = []
                    news.givenUp += file.givenUp
                    file.givenUp = []
                    news.compression = file.policy.compression
                }
                if file.hasNewDue {
                    news.hasNewDue = true
                    file.hasNewDue = false
                }
            }
            return try body(&file)
        }
    }

    private func tell(_ news: inout News) {
        for note in news.notes { LogDiagnostics.report(origin, note) }
        if news.hasNewDue { setAlarm() }
        if !news.events.isEmpty {
            tell(news.events, counting: &news.givenUp)
            if news.compression != nil { compressor.wake(news.compression, for: .new) }   // which tells what became of it afterwards
        }
    }

    private func setAlarm() {
        let alarm = alarm.withLock { $0 }   // nil once the file is closed
        alarm?.set { file.withLock { $0.nextDue } }
    }

    private func lookAtTheClock() {
        locked { $0.lookAtTheClock() }
        if file.withLock({ $0.owesSynchronization }) {
            var news = News()
            do { try synchronizeActive(by: nil, gathering: &news) } catch { LogDiagnostics.report(origin, "\(error)") }
            tell(&news)
            setAlarm()
        }
    }

    /// Counts the events of what was given up before that is told: the files are read through, and nobody else who logs waits for it.
    private func tell(_ events: [LogArchiveEvent], counting givenUp: inout [GivenUpArchive<Files>]) {
        let first = events.firstIndex { if case .droppedUndelivered = $0 { true } else { false } } ?? events.endIndex
        tell(Array(events[..<first]))   // what has come before is no news by then
        let counted = events[first...].map { event -> LogArchiveEvent in
            guard case .droppedUndelivered(let archive, nil) = event, let lost = givenUp.first(where: { $0.archive == archive }) else {
                return event
            }
            return .droppedUndelivered(archive, events: lost.countEvents())
        }
        givenUp = []
        reportWhatIsGivenUp(counted)
        tell(counted)
    }

    /// What is lost is said whether somebody listens or not: all of it in one remark, because of several the diagnostics show the first.
    private func reportWhatIsGivenUp(_ events: [LogArchiveEvent]) {
        var paths: [String] = []
        var counted = 0
        var isWhole = true
        for case .droppedUndelivered(let archive, let count) in events {
            paths.append(archive.path)
            counted += count ?? 0
            isWhole = isWhole && count != nil
        }
        guard let oldest = paths.first else { return }
        givenUpCount.add(UInt64(counted), ordering: .relaxed)
        let (what, verb) =
            paths.count == 1 ? ("archive \(oldest)", "is") : ("\(paths.count) archives, the oldest \(oldest),", "are")
        let number = (isWhole ? "" : "at least ") + (counted == 1 ? "1 event" : "\(counted) events")
        LogDiagnostics.report(
            origin, "\(what) with \(number) \(verb) given up undelivered, because more than maximumUndeliveredBytes wait")
    }

    /// Events, as far as they could be counted, of archives that were given up undelivered; nil where none wait.
    var givenUpEvents: UInt64? {
        let count = givenUpCount.load(ordering: .relaxed)
        return count > 0 || awaitsDelivery.load(ordering: .relaxed) ? count : nil
    }

    /// Calls the handler with one event after the other, whichever thread they came from; a handler that makes more of them is
    /// told those when it has returned.
    private func tell(_ events: [LogArchiveEvent]) {
        guard let handler else { return }
        let isMine = untold.withLock { untold in
            untold.events += events
            defer { untold.isBeingTold = true }
            return !untold.isBeingTold
        }
        guard isMine else { return }
        while true {
            let event = untold.withLock { untold -> LogArchiveEvent? in
                if untold.events.isEmpty {
                    untold.isBeingTold = false
                    return nil
                }
                return untold.events.removeFirst()
            }
            guard let event else { return }
            handler(event)
        }
    }

    // Who calls it knows only a LogFile: without this the compiler makes code for any file system, and not for the one there is.
    @_specialize(where Base == SystemFileSystem)
    func append(_ lines: LineBatch) -> (lines: Int, failure: FileLogProviderError?) {
        let outcome = locked { $0.append(lines) }
        guard durability == .power, outcome.lines > 0, (try? makeSafe(from: outcome.number)) == nil else {
            return (outcome.lines, outcome.failure)
        }
        // Once more, to the new file that the failure has begun.
        let again = locked { $0.append(lines.prefix(outcome.lines)) }
        guard again.lines > 0 else { return (again.lines, again.failure) }
        do {
            try makeSafe(from: again.number)
            return (again.lines, again.failure ?? outcome.failure)
        } catch { return (0, error) }
    }

    /// Returns when lines are safe, of which the file of this number has the first.
    private func makeSafe(from number: UInt64) throws(FileLogProviderError) {
        var news = News()
        defer { tell(&news) }   // behind the turn: whoever is told may log, and would wait for it
        try commits.join { () throws(FileLogProviderError) in
            // Whoever wrote to a file that failed learns it below, and writes again: a flush has nothing to say of it.
            locked(gathering: &news) { $0.unsafeArchive = nil }
            try synchronizeActive(by: .never, gathering: &news)
        }
        // The file that is safe now may be a newer one than the lines are in.
        try locked { file throws(FileLogProviderError) in try file.sayWhatFailed(since: number) }
    }

    func synchronize(by deadline: LogDeadline) throws(FileLogProviderError) {
        do throws(FileLogProviderError) {
            var news = News()
            defer { tell(&news) }
            try synchronizeActive(by: deadline, isFlush: true, gathering: &news)
        } catch {
            // Whoever asked may be gone since it failed: the next flush says it, if for the second time.
            locked { $0.keepForFlush(error, unlessAwaitedUntil: deadline) }
            throw error
        }
    }

    /// The slow call to the disk is made without the lock, so nobody who logs waits for it.
    /// - Parameters:
    ///   - deadline: Until when somebody waits for it; nil where nobody does, and the next flush says what fails.
    ///   - isFlush: Whether what is known to be unsafe in files that are no longer written is said.
    private func synchronizeActive(
        by deadline: LogDeadline?, isFlush: Bool = false, gathering news: inout News
    ) throws(FileLogProviderError) {
        let begun = try locked(gathering: &news) { file throws(FileLogProviderError) in
            // A file that rolls in between would be neither among those nor the one that is open.
            if isFlush, let deadline { try file.sayWhatIsUnsafe(by: deadline) }
            return try file.beginSynchronization(by: deadline)
        }
        guard let work = begun else { return }
        if deadline?.hasPassed ?? false {
            locked(gathering: &news) { $0.noteUnsafe() }
            throw .deadlinePassed(path: path)
        }
        do { try files.synchronize(work.file.descriptor) } catch {
            locked(gathering: &news) { $0.distrust(work, because: error, askedBy: deadline) }
            throw .cannotSynchronize(path: path, errno: error.number)
        }
        if let folder = work.folder {
            do { try files.synchronizeFolder(folder.descriptor) } catch {
                let failure = FileLogProviderError.cannotSynchronize(path: path, errno: error.number)
                locked(gathering: &news) { file in
                    file.noteUnsafe()
                    file.keepForFlush(failure, unlessAwaitedUntil: deadline)
                }
                throw failure
            }
        }
        // A kernel tells each failure once for a descriptor: it may have told somebody who synchronized at the same time.
        try locked(gathering: &news) { file throws(FileLogProviderError) in
            try file.sayWhatFailed(since: work.number)
            file.safeWrites = max(file.safeWrites, work.writes)
            file.safeFolderChanges = max(file.safeFolderChanges, work.folderChanges)
        }
    }

    func roll() throws(FileLogProviderError) -> LogArchive? {
        try locked { file throws(FileLogProviderError) in
            guard try file.verifiedSize() > 0 else { return nil }
            let told = file.events.count
            file.roll(because: .asked)
            for case .archived(let archive, because: .asked) in file.events.dropFirst(told) { return archive }
            throw .cannotRoll(path: path)
        }
    }

    var policy: RollingPolicy { file.withLock { $0.policy } }

    func follow(_ policy: RollingPolicy) {
        awaitsDelivery.store(policy.awaitsDelivery, ordering: .relaxed)
        if policy.compression == nil { compressor.rest() }   // before the archives are looked at under the new limits
        locked { $0.follow(policy) }
        if policy.compression != nil { compressor.wake(policy.compression) }
    }

    func close(by deadline: LogDeadline) {
        alarm.withLock { alarm in
            alarm?.set(at: nil)
            alarm = nil
        }
        compressor.close(by: deadline)
        locked { $0.close(by: deadline) }
    }
}
