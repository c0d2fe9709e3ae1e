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
    mutating func roll(because reason: RollReason) -> Bool {
        let now = clock.monotonicNanoseconds()
        guard rollPause.isOver(now), case .open(let old) = phase else { return false }
        do throws(SystemError) {
            guard let lock = try lockedForRolling() else {
                rollPause.begin(now)
                return false
            }
            defer { files.unlock(lock.descriptor) }
            // Whoever held the lock before may have rolled already, or something else has the name, and may have it for long.
            guard try files.status(of: name.active, in: folder.descriptor).isSameFile(as: old.status) else {
                rollPause.begin(now)
                return false
            }
            // Files are often read one after the other: a torn line must not reach into the next one.
            if old.endsMidLine { _ = pushNewline(to: old) }
            // Who finds a file unsafe says so; what was written to it until it rolls for another reason, nobody has said.
            if reason != .unsafe || old.distrusted == nil { retire(old) }
            let (archive, names) = try archiveActive(old)
            folderChanges += 1
            events.append(.archived(archive, because: reason))
            do throws(FileLogProviderError) {
                phase = .open(try openActive())
            } catch {
                // The lines go on to the archive, which is still open, until the name can be opened again.
                openPause.begin(now)
                openFailure = error
                notes.append(error.description)
                return false
            }
            letGo(of: old)
            hasNewDue = true
            do { try files.synchronizeFolder(folder.descriptor) } catch {
                notes.append("\(folder.path): \(error)")
                keepForFlush(.cannotSynchronize(path: path, errno: error.number))   // a disk may say it but once
            }
            rollPause.reset()
            keepWithinLimits(among: names)
            return true
        } catch {
            rollPause.begin(now)
            notes.append("\(path) cannot be rolled and grows on: \(error)")
            return false
        }
    }

    /// - Returns: Nil when another process is rolling.
    func lockedForRolling() throws(SystemError) -> OwnedDescriptor<Files>? {
        let lock = OwnedDescriptor(
            try files.openForAppending(name.lock, in: folder.descriptor, permissions: 0o600), files)
        return try files.tryLock(lock.descriptor) ? lock : nil
    }

    /// - Returns: Also all archives that are in the folder then: to look through thousands twice takes its time.
    private mutating func archiveActive(_ old: Active) throws(SystemError) -> (archive: LogArchive, names: [ArchiveName]) {
        try manifest.refresh(in: folder.descriptor)
        let names = try archiveNames()
        let numbers = names.map(\.number).filter { $0 < ArchiveName.maximumNumber }
        let latest = max(manifest.manifest.latestNumber, numbers.max() ?? 0)
        let status = try files.status(of: old.handle.descriptor)
        let ended = old.ended?.time ?? status.modified
        // A line for each attempt would make the manifest grow for as long as the file cannot be renamed.
        let listed = nameListedBefore(latest: latest, numbers)
        let archive = listed ?? ArchiveName(number: latest + 1, rolledAt: clock.now(), of: name)
        let line = ArchiveManifest.archive(archive, ended: ended, bytes: status.bytes)
        listedName = archive
        do { try list(archive, as: line) } catch {
            // A full disk: what the limits do not allow to stay makes room.
            keepWithinLimits(freesRoomNow: true)
            try manifest.refresh(in: folder.descriptor)
            try list(archive, as: line)
        }
        try files.rename(name.active, to: archive.text, in: folder.descriptor)
        listedName = nil
        archiveBytes[archive.text] = status.bytes
        forgetAnotherLog()
        writtenLast[archive.number] = old.ended?.uptime
        if listed != nil { correct(line, of: archive, ended: ended, bytes: status.bytes) }
        let rolled = LogArchive(
            id: manifest.manifest.id(of: archive.number), number: archive.number, path: folder.path + "/" + archive.text,
            bytes: status.bytes, ended: ended, isCompressed: false)
        return (archive: rolled, names: names + [archive])
    }

    /// Has the manifest say what the file will be called, so that it stays there. A line that is there already, and that the disk has not
    /// confirmed, is not added once more: the manifest would grow with each attempt.
    private mutating func list(_ archive: ArchiveName, as line: String) throws(SystemError) {
        let entries = manifest.manifest.entries
        guard entries[archive.number]?.name == archive else {
            return try manifest.append(line, in: folder.descriptor, isSafe: true)
        }
        if manifest.isDistrusted { try manifest.compact(keeping: Set(entries.keys), in: folder.descriptor) }
    }

    /// The name of an attempt that got no further than its line, if that is still the manifest's latest and nothing else has the number.
    private func nameListedBefore(latest: UInt64, _ numbers: [UInt64]) -> ArchiveName? {
        guard let listedName, listedName.number == latest, !numbers.contains(latest),
            manifest.manifest.entries[latest]?.name == listedName
        else { return nil }
        return listedName
    }

    /// The file has gone on since its line was written. Without this one it is taken to be as old as it was then.
    private mutating func correct(_ line: String, of archive: ArchiveName, ended: LogTime, bytes: Int) {
        let entry = manifest.manifest.entries[archive.number]
        if entry?.ended == ended, entry?.bytes == bytes { return }
        do throws(SystemError) { try manifest.append(line, in: folder.descriptor, isSafe: true) } catch {
            notes.append("\(folder.path)/\(name.manifest): \(error)")
        }
    }

    func archiveNames() throws(SystemError) -> [ArchiveName] {
        try files.names(in: folder.descriptor).compactMap { ArchiveName($0, of: name) }
    }
}
