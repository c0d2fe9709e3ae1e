internal import LogbookCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

extension RollingFile {
    /// Turns the active file into an archive and begins a new one, unless another process is at it or something fails: then
    /// the open file goes on, and it is tried again after a pause.
    /// - Returns: Whether a new file is open.
    @discardableResult
    mutating func roll() -> Bool {
        let now = clock.monotonicNanoseconds()
        guard rollPause.isOver(now), case .open(let old) = phase else { return false }
        do throws(SystemError) {
            guard let lock = try lockedForRolling() else {
                rollPause.begin(now)
                return false
            }
            defer { files.unlock(lock.descriptor) }
            // Whoever held the lock before may have rolled already.
            guard try files.status(of: name.active, in: folder.descriptor).isSameFile(as: old.status) else {
                return false
            }
            // Files are often read one after the other: a torn line must not reach into the next one.
            if old.endsMidLine { _ = push([0x0A], 0..<1, to: old) }
            if old.distrusted == nil { retire(old) }
            var archives = try archives()
            archives.append(try archiveActive(after: archives))
            folderIsUnsafe = true
            do throws(FileLogProviderError) {
                phase = .open(try openActive())
            } catch {
                // The lines go on to the archive, which is still open, until the name can be opened again.
                openPause.begin(now)
                openFailure = error
                notes.append(error.description)
                return false
            }
            do { try files.synchronizeFolder(folder.descriptor) } catch { notes.append("\(folder.path): \(error)") }
            remove(policy.superfluous(archives))
            rollPause.reset()
            return true
        } catch {
            rollPause.begin(now)
            notes.append("\(path) cannot be rolled and grows on: \(error)")
            return false
        }
    }

    /// Deletes what a lower limit than last time leaves over.
    mutating func removeSuperfluousArchives() {
        guard policy.maximumArchives > 0 else { return }
        do throws(SystemError) {
            let archives = try archives()
            latestNumber = archives.map(\.number).max() ?? 0
            guard archives.count > policy.maximumArchives, let lock = try lockedForRolling() else { return }
            defer { files.unlock(lock.descriptor) }
            remove(policy.superfluous(archives))
        } catch { notes.append("archives of \(path) cannot be listed: \(error)") }
    }

    /// - Returns: Nil when another process is rolling.
    private func lockedForRolling() throws(SystemError) -> OwnedDescriptor<Files>? {
        let lock = OwnedDescriptor(
            try files.openForAppending(name.lock, in: folder.descriptor, permissions: 0o600), files)
        return try files.tryLock(lock.descriptor) ? lock : nil
    }

    private func archives() throws(SystemError) -> [ArchiveName] {
        try files.names(in: folder.descriptor).compactMap { ArchiveName($0, of: name) }
    }

    private mutating func archiveActive(after archives: [ArchiveName]) throws(SystemError) -> ArchiveName {
        let number = max(latestNumber, archives.map(\.number).max() ?? 0) + 1
        let archive = ArchiveName(number: number, rolledAt: clock.now(), of: name)
        try files.rename(name.active, to: archive.text, in: folder.descriptor)
        latestNumber = number
        return archive
    }

    private mutating func remove(_ superfluous: ArraySlice<ArchiveName>) {
        for archive in superfluous {
            do throws(SystemError) {
                guard try files.status(of: archive.text, in: folder.descriptor).kind == .regular else { continue }
                try files.remove(archive.text, in: folder.descriptor)
            } catch { notes.append("\(folder.path)/\(archive.text) cannot be deleted: \(error)") }
        }
    }
}
