// HOT PATH — formats outside the lock, then hands the kernel whole lines.
public import LogbookCore
public import LogbookFormat

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
/// ``DropReason/inputOutputError`` when it was logged immediately, and offered again when it was queued. Writing goes on as
/// soon as the disk allows, always on a fresh line.
///
/// Other processes may append to the same file, and tools may rename, remove or truncate it: each event looks who has the
/// name. A file in somebody else's hands, a symbolic link or a pipe is refused. Files are made readable for their owner alone.
public final class FileLogProvider: LogProvider, BatchSink, LineSink {
    private let file: any LogFile
    private let origin: String
    private let format: any LogFormat
    private let account = Locked(LogLedger())

    /// - Parameters:
    ///   - folder: Made, with its parents and for this user alone, when it does not exist. A relative path is resolved once, here.
    ///   - name: 1...64 of `A-Z a-z 0-9 . _ -`, not beginning with a dot; the active file is `<name>.log`.
    ///   - format: One line per event.
    /// - Throws: When the file cannot be opened now. Later trouble is waited out: the file is tried again after pauses that grow
    ///   from 100 ms to 5 s.
    public convenience init(
        in folder: String, name: String = "app", format: some LogFormat = .text,
        rolling: RollingPolicy = RollingPolicy()
    ) throws(FileLogProviderError) {
        try self.init(
            in: folder, name: name, format: format, rolling: rolling, files: SystemFileSystem(), clock: .system)
    }

    package init(
        in folder: String, name: String = "app", format: some LogFormat = .text,
        rolling: RollingPolicy = RollingPolicy(),
        files: some FileSystem, clock: LogClock = .system
    ) throws(FileLogProviderError) {
        rolling.check()
        file = SharedRollingFile(
            try RollingFile(in: folder, name: name, policy: rolling, files: files, clock: clock), files: files)
        self.format = format
        origin = "file \(name).log"
    }

    /// The active file: absolute, without symbolic links.
    public var path: String { file.path }

    /// What became of the events that were logged one by one; a queue keeps its own account.
    public var ledger: LogLedger? { account.withLock { $0 } }

    public func log(_ event: LogEvent) {
        var line: [UInt8] = []
        line.reserveCapacity(512)
        format.append(event, to: &line)
        let failure = file.append(line, lineEnds: [line.count]).failure
        account.withLock { account in
            account.submit()
            switch failure {
            case nil: account.deliver(1)
            case .closed?: account.drop(1, .alreadyShutDown)
            case _?: account.drop(1, .inputOutputError)
            }
        }
    }

    public func write(_ batch: [LogEvent]) throws {
        var lines: [UInt8] = []
        lines.reserveCapacity(batch.count * 256)
        var lineEnds: [Int] = []
        lineEnds.reserveCapacity(batch.count)
        for event in batch {
            format.append(event, to: &lines)
            lineEnds.append(lines.count)
        }
        try write(lines, lineEnds: lineEnds)
    }

    /// Its queue holds lines when the format is one of ours.
    package var lineLayout: (any LineLayout)? { format as? any LineLayout }

    package func write(_ bytes: [UInt8], lineEnds: [Int]) throws {
        let outcome = file.append(bytes, lineEnds: lineEnds)
        switch outcome.failure {
        case nil: return
        case .closed(let path)?:
            throw BatchWriteError.refused(.alreadyShutDown, because: FileLogProviderError.closed(path: path))
        case let failure?: throw BatchWriteError.wroteOnly(count: outcome.lines, because: failure)
        }
    }

    /// Returns when everything written so far survives a crash of the machine.
    /// - Throws: ``FileLogProviderError/cannotSynchronize(path:errno:)``, ``FileLogProviderError/deadlinePassed(path:)``, or why
    ///   the file is not open at the moment.
    public func flush(by deadline: LogDeadline) throws { try file.synchronize(by: deadline) }

    public func shutdown(by deadline: LogDeadline) throws {
        defer { file.close() }
        try file.synchronize(by: deadline)
    }

    public func close(by deadline: LogDeadline) {
        do { try shutdown(by: deadline) } catch { LogDiagnostics.report(origin, "closed, but \(error)") }
    }
}
