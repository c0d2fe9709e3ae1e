internal import LogbookCore

/// What a provider asks of its file, whatever the file system beneath.
protocol LogFile: Sendable {
    var path: String { get }
    func append(_ bytes: [UInt8], lineEnds: [Int]) -> (lines: Int, failure: FileLogProviderError?)
    func synchronize(by deadline: LogDeadline) throws(FileLogProviderError)
    func close()
}

/// A rolling file that several threads share.
final class SharedRollingFile<Base: FileSystem>: LogFile {
    private let file: Locked<RollingFile<Base>>
    private let files: RestartingFileSystem<Base>
    private let origin: String
    let path: String

    init(_ file: RollingFile<Base>, files base: Base) {
        self.file = Locked(file)
        files = RestartingFileSystem(base)
        path = file.path
        origin = "file \(file.name.active)"
        locked { _ in }
    }

    /// Works on the file, and reports afterwards: the diagnostics' handler is foreign code and never runs under our lock.
    private func locked<Result, Failure: Error>(
        _ body: (inout RollingFile<Base>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var notes: [String] = []
        defer { for note in notes { LogDiagnostics.report(origin, note) } }
        return try file.withLock { file throws(Failure) in
            defer {
                if !file.notes.isEmpty {
                    notes = file.notes
                    file.notes = []
                }
            }
            return try body(&file)
        }
    }

    func append(_ bytes: [UInt8], lineEnds: [Int]) -> (lines: Int, failure: FileLogProviderError?) {
        locked { $0.append(bytes, lineEnds: lineEnds) }
    }

    /// The slow call to the disk is made without the lock, so nobody who logs waits for it.
    func synchronize(by deadline: LogDeadline) throws(FileLogProviderError) {
        guard let work = try locked({ file throws(FileLogProviderError) in try file.beginSynchronization() }) else {
            return
        }
        if deadline.hasPassed {
            if work.folder != nil { locked { $0.folderIsUnsafe = true } }
            throw .deadlinePassed(path: path)
        }
        do { try files.synchronize(work.file.descriptor) } catch {
            locked { $0.distrust(work.file, because: error) }
            throw .cannotSynchronize(path: path, errno: error.number)
        }
        guard let folder = work.folder else { return }
        do { try files.synchronizeFolder(folder.descriptor) } catch {
            locked { $0.folderIsUnsafe = true }
            throw .cannotSynchronize(path: path, errno: error.number)
        }
    }

    func close() { locked { $0.close() } }
}
