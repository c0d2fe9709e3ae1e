internal import CLogbookSystem
public import LogbookCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

extension LogService {
    /// Lets the next run know what is lost when this one comes to a bad end, and says what the last one lost.
    ///
    /// ```swift
    /// let file = service.register(try FileLogProvider(in: "/var/log/shop"), delivery: .queued())
    /// try service.recordLosses(in: "/run/shop/losses")
    /// ```
    /// What a queue has in hand is in memory, and lost with a `kill -9`. How much that is lies in the file at any moment, without a system
    /// call and whatever the number of threads: what each queue has in hand, that of a registration or a ``BatchingProvider`` as well as a
    /// remote provider's that keeps events in memory, and how many events have been said and have not reached the queues. The next run
    /// tells everybody who listens, in an event of the category ``LogService/lossCategory`` for each provider
    /// (``DropReason/processDied``), so call it once the providers are registered; those that come later are counted as well.
    ///
    /// Of these queues the numbers never come out too small. What was just being written may have arrived, so a loss has a smallest and a
    /// largest ``LossRecord/count``. An end at which every queue was empty leaves nothing to tell. Nobody counts what a provider of your own
    /// keeps in memory without a ``BatchingProvider``, nor what wrappers such as ``FoldingRepeats`` hold back. A provider that two services
    /// share is counted with the first.
    ///
    /// The file takes 16 KiB, for 49 queues. It belongs on tmpfs (`/run`, `/dev/shm`), where a count never waits for a disk; there the
    /// machine's end takes it. On ext4 and XFS it outlives that, as it was a moment before (``LossRecord/isOfEarlierBoot``). Do not
    /// shorten it while it is in use. A forked child records nothing until it calls this with a file of its own.
    /// - Parameters:
    ///   - path: Made, for this user alone, when it does not exist; its folder must. Each service of each process needs its own.
    ///   - deadline: Until when providers may make safe what they are told of an earlier run. What they do not is reported to
    ///     ``LogDiagnostics``. A start that is killed before tells it again.
    /// - Returns: What the last run lost; empty when that was nothing.
    /// - Throws: When the file cannot be had; what it holds is then untouched.
    @discardableResult
    public func recordLosses(in path: String, by deadline: LogDeadline = .seconds(2)) throws(LossRecordError) -> [LossRecord] {
        guard claimRecording() else { throw .recordedAlready(path: path) }
        let boot = Self.boot, losses: [LossRecord], memory: KeptMemory
        do throws(LossRecordError) { (losses, memory) = try Self.open(path, boot: boot) } catch {
            disclaimRecording()
            throw error
        }
        if !losses.isEmpty {
            tell(losses)
            let report = flush(by: deadline)
            for loss in losses where !report.isComplete { LogDiagnostics.report("losses", "\(loss); not everybody has it: \(report)") }
        }
        recordLosses(on: LossPage(memory.base, boot: boot, at: clock.now()) { memory.letGo() })
        return losses
    }

    /// - Returns: What the last run has left in the file, and the file, mapped, which is this process's alone.
    private static func open(_ path: String, boot: String) throws(LossRecordError) -> ([LossRecord], KeptMemory) {
        let file = try LossRecordError.at(path) { () throws(RecorderFile.Failure) in
            try RecorderFile(path, for: .writing, maximumBytes: LossPage.bytes)
        }
        do throws(LossRecordError) {
            if file.writtenByCalls != nil { throw LossRecordError.noLastingRoom(path: path) }
            let losses = try losses(in: file, at: path, boot: boot)
            let base = try LossRecordError.at(path) { () throws(RecorderFile.Failure) in try file.map(LossPage.bytes, anew: false) }
            guard let kept = logbook_keep_from_children(base, LossPage.bytes, file.descriptor.number) else {
                RecorderFile.unmap(base, LossPage.bytes)
                throw LossRecordError.cannotMakeRoom(path: path, bytes: LossPage.bytes, errno: ENOMEM)
            }
            return (losses, KeptMemory(kept, at: base))
        } catch {
            file.close()
            throw error
        }
    }

    private static func losses(in file: RecorderFile, at path: String, boot: String) throws(LossRecordError) -> [LossRecord] {
        let content = try LossRecordError.at(path) { () throws(RecorderFile.Failure) in try file.content() }
        switch LossPage.verdict(on: content, boot: boot) {
        case .blank: return []
        case .record(let losses): return losses
        case .foreign: throw .notALossRecord(path: path)
        case .newer(let version): throw .writtenByNewerVersion(path: path, version: version)
        case .damaged:
            LogDiagnostics.report("losses \(path)", "the record is damaged: what the last run lost is not known; it is begun anew")
            return []
        }
    }

    /// Tells one start of the machine from another; empty where the system does not say.
    private static var boot: String {
        #if os(Linux)
            return DeviceFacts.firstLine(of: "/proc/sys/kernel/random/boot_id") ?? ""
        #else
            var text = [UInt8](repeating: 0, count: 64), count = text.count
            guard sysctlbyname("kern.bootsessionuuid", &text, &count, nil, 0) == 0 else { return "" }
            return String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
        #endif
    }
}

/// Memory that is mapped from a file, which is closed with it.
private struct KeptMemory: @unchecked Sendable {   // the pointers are only handed on
    private let memory: OpaquePointer
    let base: UnsafeMutableRawPointer

    init(_ memory: OpaquePointer, at base: UnsafeMutableRawPointer) { (self.memory, self.base) = (memory, base) }
    func letGo() { logbook_let_go(memory) }
}

extension LossRecordError {
    fileprivate static func at<Result>(
        _ path: String, _ body: () throws(RecorderFile.Failure) -> Result
    ) throws(LossRecordError) -> Result {
        do throws(RecorderFile.Failure) { return try body() } catch { throw LossRecordError(error, at: path) }
    }
}
