// HOT PATH — formats outside the lock, then hands the kernel whole lines.
public import LogbookCore
public import LogbookFormat

internal import Synchronization

/// Writes events to a file that rolls: `app.log`, and `app-00000001-20251121T102920.123Z.log` for what was before.
///
/// ```swift
/// let file = try FileLogProvider(in: "/var/log/checkout", name: "app")
/// LogService.shared.register(file, from: .info)                        // one write per event, before the call returns
/// LogService.shared.register(file, from: .info, delivery: .queued())   // or: one write per batch, on a thread of its own
/// ```
/// **Durability.** Registered immediately: when `log` returns, the kernel has the line (`process`: it survives `kill -9`).
/// Queued: the line is in memory until its batch is written, and a kill loses at most what the queue holds. When `flush`
/// returns, everything before it survives a crash of the machine (`power`).
/// The event that makes the file roll waits until the closed file is as safe; register queued where that wait matters.
///
/// **Failures** never reach the program that logs. A line that cannot be written is counted as
/// ``DropReason/inputOutputError`` when it was logged immediately, and offered again when it was queued: by
/// `delivery: .queued()`, or behind a wrapper by `BatchingProvider(file)`, see ``WrappingProvider``. Writing goes on as
/// soon as the disk allows, always on a fresh line, and where immediately logged lines are missing one line says how many.
///
/// Other processes may append to the same file, and tools may rename, remove or truncate it: each event looks who has the
/// name. A file in somebody else's hands, a symbolic link or a pipe is refused. Files are made readable for their owner alone.
/// Beside the log lie two hidden files: `.app.lock`, and `.app.manifest` with what the names of archives do not say.
public final class FileLogProvider: LogProvider, BatchSink, LineSink {
    private let file: any LogFile
    private let origin: String
    private let format: any LogFormat
    private let account = Locked(LogLedger())
    /// Lines that could not be written since the latest that could, and why the first of them.
    private let missing = Locked<(count: Int, reason: String)>((0, ""))
    private let isMissingLines = Atomic(false)

    /// - Parameters:
    ///   - folder: Made, with its parents and for this user alone, when it does not exist. A relative path is resolved once, here.
    ///   - name: 1...64 of `A-Z a-z 0-9 . _ -`, not beginning with a dot; the active file is `<name>.log`.
    ///   - format: One line per event.
    ///   - header: The first line of every file; empty for none.
    ///   - rolling: When the file rolls, and what becomes of archives; ``change(_:)`` changes it later.
    ///   - durability: How safe a line is when it is written.
    ///   - onArchive: Called with what becomes of archives, one event after the other, on the thread that logged, asked or waited
    ///     for the time: return promptly. It may log.
    /// - Throws: When the file cannot be opened now. Later trouble is waited out: the file is tried again after pauses that grow
    ///   from 100 ms to 5 s.
    public convenience init(
        in folder: String, name: String = "app", format: some LogFormat = .text, header: String = "",
        rolling: RollingPolicy = RollingPolicy(), durability: FileDurability = .process,
        onArchive: (@Sendable (LogArchiveEvent) -> Void)? = nil
    ) throws(FileLogProviderError) {
        try self.init(
            in: folder, name: name, format: format, header: header, rolling: rolling, durability: durability,
            files: SystemFileSystem(), clock: .system, onArchive: onArchive)
    }

    package init(
        in folder: String, name: String = "app", format: some LogFormat = .text, header: String = "",
        rolling: RollingPolicy = RollingPolicy(), durability: FileDurability = .process,
        files: some FileSystem, clock: LogClock = .system, onArchive: (@Sendable (LogArchiveEvent) -> Void)? = nil
    ) throws(FileLogProviderError) {
        rolling.check()
        durability.check()
        file = try SharedRollingFile(
            in: folder, name: name, header: header, policy: rolling, durability: durability, files: files, clock: clock,
            handler: onArchive)
        self.format = format
        origin = "file \(name).log"
    }

    /// The active file: absolute, without symbolic links.
    public var path: String { file.path }

    /// What became of the events that were logged one by one; a queue keeps its own account.
    public var ledger: LogLedger? { account.withLock { $0 } }

    /// Events of archives that wait for an uploader (``RollingPolicy/awaitsDelivery``) and were given up, as far as they could be counted;
    /// nil where none wait.
    public var lostAfterwards: [DropReason: UInt64]? {
        file.givenUpEvents.map { $0 > 0 ? [.spoolFull: $0] : [:] }
    }

    /// Why the latest lines are missing; nil once one was written. What it could not write as a sink its queue knows.
    public var latestFailure: String? { missing.withLock { $0.count > 0 ? $0.reason : nil } }

    /// The limits in force.
    public var rolling: RollingPolicy { file.policy }

    /// Puts other limits in force: a lower one deletes at once what it does not allow to stay.
    public func change(_ rolling: RollingPolicy) {
        rolling.check()
        file.follow(rolling)
    }

    /// Closes the active file and archives it, also one that an earlier run has left.
    /// - Returns: The archive; nil when the file has no events.
    /// - Throws: ``FileLogProviderError/cannotRoll(path:)``, or why the file is not open at the moment.
    @discardableResult
    public func roll() throws(FileLogProviderError) -> LogArchive? { try file.roll() }

    public func log(_ event: LogEvent) {
        var line: [UInt8] = []
        line.reserveCapacity(512)
        var lineEnds: [Int] = []
        var times: [LogTime] = []
        let marked = isMissingLines.load(ordering: .relaxed) ? appendMarker(at: event.time, to: &line) : 0
        if marked > 0 {
            lineEnds.append(line.count)
            times.append(event.time)
        }
        format.append(event, to: &line)
        lineEnds.append(line.count)
        times.append(event.time)
        let outcome = LineBatch.lending(line, ends: lineEnds, times: times, to: file.append)
        let failure = outcome.lines == lineEnds.count ? nil : outcome.failure
        if marked > 0, outcome.lines == 0 { miss(marked, because: failure) }
        switch failure {
        case nil:
            account.withLock { account in
                account.submit()
                account.deliver(1)
            }
        case .closed?: lose(.alreadyShutDown, because: failure)
        case .eventTooLarge?: lose(.oversize, because: failure)
        case _?: lose(.inputOutputError, because: failure)
        }
    }

    private func lose(_ reason: DropReason, because failure: FileLogProviderError?) {
        account.withLock { account in
            account.submit()
            account.drop(1, reason)
        }
        miss(1, because: failure)
    }

    private func miss(_ count: Int, because failure: FileLogProviderError?) {
        missing.withLock { missing in
            if missing.count == 0 { missing.reason = failure?.description ?? "" }
            missing.count += count
        }
        isMissingLines.store(true, ordering: .relaxed)
    }

    /// Writes a line that says how many are missing before it.
    /// - Returns: How many that are.
    private func appendMarker(at time: LogTime, to bytes: inout [UInt8]) -> Int {
        let (count, reason) = missing.withLock { missing in
            isMissingLines.store(false, ordering: .relaxed)
            defer { missing = (0, "") }
            return missing
        }
        guard count > 0 else { return 0 }
        // No sequence: it is nothing that the application said.
        let marker = LogEvent(
            sequence: 0, time: time, level: .warning,
            message: count == 1 ? "1 event is missing here: \(reason)" : "\(count) events are missing here: \(reason)",
            metadata: ["dropped": .integer(Int64(count))])
        format.append(marker, to: &bytes)
        return count
    }

    public func write(_ batch: [LogEvent]) throws {
        if batch.isEmpty { return }   // such as a sink in front of this one leaves of a batch
        var lines: [UInt8] = []
        lines.reserveCapacity(batch.count * 256)
        var lineEnds: [Int] = []
        lineEnds.reserveCapacity(batch.count)
        for event in batch {
            format.append(event, to: &lines)
            lineEnds.append(lines.count)
        }
        try LineBatch.lending(lines, ends: lineEnds, times: batch.map(\.time), to: write)
    }

    /// Its queue holds lines when the format is one of ours.
    package var lineLayout: (any LineLayout)? { format as? any LineLayout }

    package func write(_ lines: LineBatch) throws {
        var marked = 0
        let outcome: (lines: Int, failure: FileLogProviderError?)
        if isMissingLines.load(ordering: .relaxed) {
            var bytes: [UInt8] = []
            marked = appendMarker(at: lines.times[0], to: &bytes)
            let shift = bytes.count
            let ends = (marked > 0 ? [shift] : []) + lines.ends.map { $0 + shift }
            let times = (marked > 0 ? [lines.times[0]] : []) + lines.times
            bytes += lines.bytes
            outcome = LineBatch.lending(bytes, ends: ends, times: times, to: file.append)
        } else {
            outcome = file.append(lines)
        }
        let markers = marked > 0 ? 1 : 0
        if outcome.lines < markers { miss(marked, because: outcome.failure) }
        let written = max(0, outcome.lines - markers)
        switch outcome.failure {
        case nil: return
        case .closed(let path)?:
            throw BatchWriteError.refused(.alreadyShutDown, because: FileLogProviderError.closed(path: path))
        case .eventTooLarge(let path, let bytes)?:
            let failure = FileLogProviderError.eventTooLarge(path: path, bytes: bytes)
            miss(1, because: failure)
            throw BatchWriteError.refusedOne(.oversize, after: written, because: failure)
        case let failure?: throw BatchWriteError.wroteOnly(count: written, because: failure)
        }
    }

    /// Returns when everything written so far survives a crash of the machine.
    /// - Throws: ``FileLogProviderError/cannotSynchronize(path:errno:)``, ``FileLogProviderError/deadlinePassed(path:)``, or why
    ///   the file is not open at the moment.
    public func flush(by deadline: LogDeadline) throws { try file.synchronize(by: deadline) }

    public func shutdown(by deadline: LogDeadline) throws {
        defer { file.close(by: deadline) }
        try file.synchronize(by: deadline)
    }

    public func close(by deadline: LogDeadline) {
        do { try shutdown(by: deadline) } catch { LogDiagnostics.report(origin, "closed, but \(error)") }
    }
}
