internal import LogbookCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Compresses a log's archives, oldest first, on a thread that ends when there is nothing left.
///
/// The compressed bytes go to a hidden file; once they are safe it gets its full name, and only once that is safe the source
/// goes. A kill in between leaves the source alone, or both, and the next start finishes, once it has seen that the compressed file is
/// whole: somebody else may have made it, and not to its end. Whoever delivers or deletes an archive locks it, and so do we.
final class ArchiveCompressor<Base: FileSystem>: Sendable {
    private typealias Files = RestartingFileSystem<Base>
    /// What is looked at.
    enum Look: Sendable {
        /// What the manifest lists since the latest look, and what that left for later. Where the folder was listed longer ago than a
        /// pause, that is done again.
        case new
        case all
    }
    /// How far a look has come.
    private struct Looked {
        /// The log's id in its manifest: another one counts from 1 again.
        let log: String?
        let number: UInt64
        /// What was in other hands, such as those of the writer that had yet to end its roll.
        let left: Set<UInt64>
        /// When the folder was listed, in monotonic nanoseconds.
        let listed: UInt64
    }
    private struct State {
        var isRunning = false
        var wanted: Look?
        var looked: Looked?
        var isClosed = false
        var compression: ArchiveCompression?
        var onEvent: (@Sendable (LogArchiveEvent) -> Void)?
        /// Compressed files that are not all of the archives beside them, as they were when that was said.
        var parts: [ArchiveName: FileStatus] = [:]
    }
    private enum Outcome {
        case compressed(bytes: Int)
        /// There is no file of this name: not any more, or not yet.
        case notThere
        /// The archive is in other hands or gone.
        case leftForLater
        /// There is a compressed file, and it is not all of it.
        case besideAPart
    }
    private let name: LogFileName
    private let folderPath: String
    private let files: Files
    private let manifest: Locked<ManifestFile<RestartingFileSystem<Base>>>
    private let state = Monitor(State())
    private let retry: Locked<LogAlarm?>
    private let clock: LogClock

    /// How long to wait after something went wrong, such as a full disk.
    static var pause: Duration { .seconds(60) }

    init(of name: LogFileName, in folderPath: String, files base: Base, clock: LogClock) {
        self.name = name
        self.folderPath = folderPath
        self.clock = clock
        files = Files(base)
        manifest = Locked(ManifestFile(name, files))
        retry = Locked(nil)
        retry.withLock { alarm in
            alarm = LogAlarm("logbook-gzip", clock: clock) { [weak self] in self?.wake(nil) }
        }
    }

    /// Called on the compressor's thread.
    var onEvent: (@Sendable (LogArchiveEvent) -> Void)? {
        get { state.withLock { $0.value.onEvent } }
        set { state.withLock { $0.value.onEvent = newValue } }
    }

    /// There may be something to compress.
    /// - Parameter compression: How; nil for as before.
    func wake(_ compression: ArchiveCompression?, for look: Look = .all) {
        let starts = state.withLock { access in
            if let compression { access.value.compression = compression }
            guard !access.value.isClosed, access.value.compression != nil else { return false }
            access.value.wanted = access.value.wanted == .all ? .all : look
            if access.value.isRunning { return false }
            access.value.isRunning = true
            return true
        }
        if starts, !LogThread.start("logbook-gzip", { self.run() }) {
            state.withLock { $0.value.isRunning = false }
            tryLater("the machine gives no thread")
        }
    }

    /// Nothing more is to be compressed, for now or for good; what is being compressed is ended as usual.
    func rest() { state.withLock { $0.value.compression = nil } }

    /// Ends what is being compressed, which the next start does again, and waits for that until the deadline.
    func close(by deadline: LogDeadline) {
        retry.withLock { alarm in
            alarm?.set(at: nil)
            alarm = nil
        }
        state.withLock { access in
            access.value.isClosed = true
            while access.value.isRunning { if !access.wait(until: deadline) { return } }
        }
    }

    /// For tests: returns once nothing is left to do for now.
    func waitUntilIdle() {
        state.withLock { access in
            while access.value.isRunning { if !access.wait(until: .seconds(60)) { return } }
        }
    }

    private var isClosed: Bool { state.withLock { $0.value.isClosed } }
    /// Whether another archive is to be compressed.
    private var isWanted: Bool { state.withLock { !$0.value.isClosed && $0.value.compression != nil } }

    private func run() {
        while true {
            let work = state.withLock { access -> (compression: ArchiveCompression, look: Look)? in
                if let look = access.value.wanted, let compression = access.value.compression, !access.value.isClosed {
                    access.value.wanted = nil
                    return (compression, look)
                }
                access.value.isRunning = false
                access.broadcast()
                return nil
            }
            guard let work else { return }
            do {
                if try compressAll(with: work.compression, work.look) { tryLater(nil) }
            } catch is Closed {} catch { tryLater("\(error)") }
        }
    }

    private func tryLater(_ reason: String?) {
        if let reason { LogDiagnostics.report("file \(name.active)", "archives cannot be compressed now: \(reason)") }
        let due = clock.monotonicNanoseconds() + UInt64(Self.pause.wholeNanoseconds)
        let alarm = retry.withLock { $0 }   // nil once it is closed
        alarm?.set(at: due)
    }

    /// - Returns: Whether some archive was in other hands and is left for later.
    /// - Throws: ``Uncompressed`` for the first archive that could not be compressed, once the others are; at once what keeps all
    ///   of them from it.
    private func compressAll(with compression: ArchiveCompression, _ look: Look) throws -> Bool {
        let folder = OwnedDescriptor(try files.openFolder(at: folderPath), files)
        let manifest = try manifestNow(in: folder)
        let (names, listed) = try namesToLookAt(look, manifest, in: folder)
        // Its line may stand in the manifest before its file has the name.
        let latest = manifest.latestNumber
        var isLatestThere = manifest.entries[latest] == nil
        var left: Set<UInt64> = []
        var failure: Uncompressed?
        for name in names {
            if name.isCompressed {
                if name.number == latest { isLatestThere = true }
                continue
            }
            guard let entry = manifest.entries[name.number], entry.name == name else { continue }
            if !isWanted { return false }
            let outcome: Outcome
            do { outcome = try compress(name, with: compression, in: folder) } catch {
                if error is Closed { throw error }
                if let error = error as? SystemError, [ENOSPC, EDQUOT].contains(error.number) || !error.isAboutOneFile { throw error }
                if failure == nil { failure = Uncompressed(description: "\(folderPath)/\(name.text): \(error)") }
                continue
            }
            switch outcome {
            case .notThere: continue
            case .leftForLater: left.insert(name.number)
            case .besideAPart: break
            case .compressed(let bytes):
                onEvent?(
                    .compressed(
                        LogArchive(
                            id: manifest.id(of: name.number), number: name.number,
                            path: folderPath + "/" + name.compressed.text, bytes: bytes, ended: entry.ended, isCompressed: true)))
            }
            if name.number == latest { isLatestThere = true }
        }
        if let failure { throw failure }
        let reached = isLatestThere ? latest : max(latest, 1) - 1
        state.withLock { $0.value.looked = Looked(log: manifest.log, number: reached, left: left, listed: listed) }
        return !left.isEmpty
    }

    private func manifestNow(in folder: OwnedDescriptor<Files>) throws(SystemError) -> ArchiveManifest {
        try manifest.withLock { manifest throws(SystemError) -> ArchiveManifest in
            try manifest.refresh(in: folder.descriptor)
            return manifest.manifest
        }
    }

    /// Archives to look at, oldest first: to list a folder of thousands with each roll takes its time.
    /// - Returns: Also when the folder was listed.
    private func namesToLookAt(
        _ look: Look, _ manifest: ArchiveManifest, in folder: OwnedDescriptor<Files>
    ) throws(SystemError) -> (names: [ArchiveName], listed: UInt64) {
        let now = clock.monotonicNanoseconds()
        let looked = state.withLock { access -> Looked? in
            defer { access.value.looked = nil }   // should this look fail, the next is at everything
            return access.value.looked
        }
        if look == .new, let looked, looked.log == manifest.log, now - looked.listed < UInt64(Self.pause.wholeNanoseconds) {
            let names = manifest.entries.values.map(\.name).filter { $0.number > looked.number || looked.left.contains($0.number) }
            return (names.sorted(), looked.listed)
        }
        return (try files.names(in: folder.descriptor).compactMap { ArchiveName($0, of: name) }.sorted(), now)
    }

    private func compress(
        _ name: ArchiveName, with compression: ArchiveCompression, in folder: OwnedDescriptor<Files>
    ) throws -> Outcome {
        let source: OwnedDescriptor<Files>
        do { source = OwnedDescriptor(try files.openForLocking(name.text, in: folder.descriptor), files) } catch
            where error.number == ENOENT { return .notThere }
        let log = folderPath + "/" + self.name.active
        CompressionsInHand.begin(of: log)
        defer { CompressionsInHand.end(of: log) }
        guard try files.tryLock(source.descriptor) else { return .leftForLater }
        defer { files.unlock(source.descriptor) }
        let status = try files.status(of: source.descriptor)
        guard status.kind == .regular, try isStillThere(name, status, in: folder) else { return .leftForLater }
        if let twin = try statusOfTwin(of: name, in: folder) {
            guard try isWhole(twin, of: name, bytes: status.bytes, with: compression, in: folder) else { return .besideAPart }
        } else {
            do { try files.remove(name.part, in: folder.descriptor) } catch where error.number == ENOENT {}
            do {
                try write(source, to: name.part, with: compression, in: folder)
                try files.rename(name.part, to: name.compressed.text, in: folder.descriptor)
            } catch {
                try? files.remove(name.part, in: folder.descriptor)
                throw error
            }
        }
        try files.synchronizeFolder(folder.descriptor)
        try files.remove(name.text, in: folder.descriptor)
        return .compressed(bytes: try files.status(of: name.compressed.text, in: folder.descriptor).bytes)
    }

    /// Whether a compressed file of this user has all that its source has. One that somebody began by hand, and did not end, has the same
    /// name. One that is whole is made safe, which nobody may have done before.
    private func isWhole(
        _ twin: FileStatus, of name: ArchiveName, bytes: Int, with compression: ArchiveCompression, in folder: OwnedDescriptor<Files>
    ) throws -> Bool {
        if state.withLock({ $0.value.parts[name] }) == twin { return false }
        if twin.kind == .regular, twin.owner == files.user, twin.links == 1 {
            let file = OwnedDescriptor(try files.openForReading(name.compressed.text, in: folder.descriptor), files)
            var count = 0
            do {
                try ArchiveBytes(files).forEachPiece(of: file.descriptor, inflating: compression) { piece in
                    if isClosed { throw Closed() }
                    count += piece.count
                    if count > bytes { throw Longer() }   // it may go on for very long
                }
                if count == bytes {
                    try files.synchronize(file.descriptor)
                    return true
                }
            } catch let error as SystemError { throw error } catch let error as Closed { throw error } catch {}
        }
        let isNews = state.withLock { $0.value.parts.updateValue(twin, forKey: name) == nil }
        if isNews {
            LogDiagnostics.report(
                "file \(self.name.active)",
                "\(folderPath)/\(name.compressed.text) is not all of \(name.text), and both stay: remove one of them")
        }
        return false
    }

    private func isStillThere(
        _ name: ArchiveName, _ status: FileStatus, in folder: OwnedDescriptor<Files>
    ) throws -> Bool {
        do { return try files.status(of: name.text, in: folder.descriptor).isSameFile(as: status) } catch
            where error.number == ENOENT { return false }
    }

    private func statusOfTwin(of name: ArchiveName, in folder: OwnedDescriptor<Files>) throws -> FileStatus? {
        do { return try files.status(of: name.compressed.text, in: folder.descriptor) } catch
            where error.number == ENOENT { return nil }
    }

    private func write(
        _ source: OwnedDescriptor<Files>, to part: String, with compression: ArchiveCompression,
        in folder: OwnedDescriptor<Files>
    ) throws {
        let target = OwnedDescriptor(try files.openNew(part, in: folder.descriptor, permissions: 0o600), files)
        let codec = try compression.compressing()
        func append(_ bytes: UnsafeRawBufferPointer) throws {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = try files.append(UnsafeRawBufferPointer(rebasing: rest), to: target.descriptor)
                guard count > 0 else { throw SystemError(ENOSPC, in: "write") }
                rest = rest.dropFirst(count)
            }
        }
        try ArchiveBytes(files).forEachPiece(of: source.descriptor) { piece in
            if isClosed { throw Closed() }
            try codec.take(piece, isLast: false, append)
        }
        try codec.take(UnsafeRawBufferPointer(start: nil, count: 0), isLast: true, append)
        try files.synchronize(target.descriptor)
    }

    private struct Closed: Error {}
    private struct Longer: Error {}

    /// What is wrong with one archive, and with which.
    private struct Uncompressed: Error, CustomStringConvertible { let description: String }
}
