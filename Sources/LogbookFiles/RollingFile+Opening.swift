internal import LogbookCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

extension RollingFile {
    /// Makes sure that the open file still has the active name, and opens the one that has when it does not.
    /// - Returns: The size of the file that is open now, other writers' bytes included.
    mutating func verifiedSize() throws(FileLogProviderError) -> Int {
        switch phase {
        case .closed: throw .closed(path: path)
        case .waiting: return try openAgain(insteadOf: nil)
        case .open(var active):
            let found: FileStatus
            do { found = try files.status(of: name.active, in: folder.descriptor) } catch {
                if error.number == ENOENT { return try openAgain(insteadOf: active) }
                // Who has the name cannot be seen at the moment; the open file is still there.
                if let end = active.end { return end }
                guard let found = try? files.status(of: active.handle.descriptor) else { return 0 }
                takeIn(found, &active)
                phase = .open(active)
                return active.end ?? found.bytes
            }
            guard found.isSameFile(as: active.status) else { return try openAgain(insteadOf: active) }
            if found.bytes != active.end {
                // Somebody else wrote or truncated, or our own write failed.
                takeIn(found, &active)
                phase = .open(active)
            }
            return active.end ?? found.bytes
        }
    }

    private mutating func openAgain(insteadOf old: Active?) throws(FileLogProviderError) -> Int {
        let now = clock.monotonicNanoseconds()
        if openPause.isOver(now) {
            do {
                let fresh = try openActive()
                if let old {
                    retire(old)
                    letGo(of: old)
                }
                phase = .open(fresh)
                hasNewDue = true
                openPause.reset()
                rollPause.reset()  // it was for the old one
                if openFailure != nil { notes.append("\(path) can be written again") }
                openFailure = nil
                return fresh.end ?? 0
            } catch {
                openPause.begin(now)
                openFailure = error
                notes.append(error.description)
            }
        }
        // A file that was only renamed keeps what is written to it; one that was removed does not.
        if var old, let found = try? files.status(of: old.handle.descriptor), found.links > 0 {
            if found.bytes != old.end { takeIn(found, &old) }
            phase = .open(old)
            return found.bytes
        }
        let failure = openFailure ?? .cannotOpen(path: path, errno: ENOENT)
        phase = .waiting(because: failure)
        throw failure
    }

    /// The manifest says which archives are ours, and who has the lock file can keep files from rolling: neither may be another user's. What
    /// root has put there an administrator has, and root itself goes on with anybody's.
    func refuseWhatOthersPut() throws(FileLogProviderError) {
        guard files.user != 0 else { return }
        for file in [name.manifest, name.lock] {
            guard let owner = try? files.status(of: file, in: folder.descriptor).owner, owner != files.user, owner != 0 else { continue }
            throw .ownedBySomeoneElse(path: folder.path + "/" + file, user: owner)
        }
    }

    /// How often the name is opened when it leads elsewhere each time the file is locked.
    private static var maximumOpenings: Int { 100 }

    /// Opens what has the active name, or makes it; refuses what another user could have put there.
    mutating func openActive() throws(FileLogProviderError) -> Active {
        for _ in 1...Self.maximumOpenings {
            let (handle, status) = try openLocked()
            // Until it was locked, another process may have rolled it, and somebody have delivered and deleted it.
            guard isActive(status) else {
                files.unlock(handle.descriptor)
                continue
            }
            if status.bytes == 0 { folderChanges += 1 }
            fileNumber += 1
            var active = Active(
                handle: handle, status: status, number: fileNumber, end: nil, endsMidLine: false, distrusted: nil)
            lookAtEnd(of: &active, status.bytes)
            if status.bytes > 0 { active.beginning = beginning(of: status) }
            return active
        }
        throw .cannotOpen(path: path, errno: EBUSY)
    }

    /// Whether the name leads to this file. When that cannot be seen at the moment, it is taken to.
    private func isActive(_ status: FileStatus) -> Bool {
        do { return try files.status(of: name.active, in: folder.descriptor).isSameFile(as: status) } catch {
            return error.number != ENOENT
        }
    }

    private mutating func openLocked() throws(FileLogProviderError) -> (OwnedDescriptor<Files>, FileStatus) {
        let opened: FileDescriptor
        do { opened = try openOrMake() } catch {
            switch error.number {
            case ELOOP, EISDIR, ENXIO: throw .notARegularFile(path: path)
            case ENOENT:
                // The folder itself is gone.
                folder = try LogFolder(folder.path, files)
                do { opened = try openOrMake() } catch { throw .cannotOpen(path: path, errno: error.number) }
            default: throw .cannotOpen(path: path, errno: error.number)
            }
        }
        let handle = OwnedDescriptor(opened, files)
        let status: FileStatus
        do { status = try files.status(of: opened) } catch { throw .cannotOpen(path: path, errno: error.number) }
        guard status.kind == .regular else { throw .notARegularFile(path: path) }
        guard status.owner == files.user else { throw .ownedBySomeoneElse(path: path, user: status.owner) }
        guard status.links <= 1 else { throw .hasSeveralNames(path: path) }
        // Says to those who deliver, compress or delete archives that somebody may still write to this one.
        _ = try? files.tryLockShared(opened)
        return (handle, status)
    }

    private func openOrMake() throws(SystemError) -> FileDescriptor {
        try files.openForAppending(name.active, in: folder.descriptor, permissions: 0o600)
    }

    /// What others have written belongs to the file: when its last event happened is known by the file alone, and it may have begun
    /// with theirs.
    private mutating func takeIn(_ found: FileStatus, _ active: inout Active) {
        lookAtEnd(of: &active, found.bytes)
        active.ended = nil
        guard active.end != 0, active.beginning == nil else { return }
        active.beginning = beginning(of: found)
        hasNewDue = true
    }

    /// How often to look again while others are writing.
    private static var maximumLooks: Int { 5 }

    /// Finds out whether bytes that are not ours end a line. A long write of another process is seen growing, so an open end
    /// counts only when nobody is at it. A file that was emptied begins with its next event.
    private mutating func lookAtEnd(of active: inout Active, _ bytes: Int) {
        active.end = bytes
        defer {
            if active.end == 0 {
                active.beginning = nil
                active.ended = nil
                hasNewDue = true
            }
        }
        for _ in 0..<Self.maximumLooks {
            active.endsMidLine = endsMidLine(active.handle.descriptor, bytes: active.end ?? 0)
            guard active.endsMidLine, (try? files.awaitWriters(of: active.handle.descriptor)) != nil,
                let now = try? files.status(of: active.handle.descriptor).bytes, now != active.end
            else { return }
            active.end = now
        }
    }

    /// When the last byte cannot be read, an empty line too many is better than two lines in one.
    private func endsMidLine(_ file: FileDescriptor, bytes: Int) -> Bool {
        guard bytes > 0 else { return false }
        do {
            guard let last = try files.byte(at: bytes - 1, of: file) else { return false }  // truncated meanwhile
            return last != 0x0A
        } catch { return true }
    }

    /// Leaves a file to those who deliver, compress or delete archives. Not by closing it alone: a forked child may hold it. In such a
    /// child it is its parent's, who may go on writing.
    func letGo(of old: Active) { if old.lineage.isCurrent { files.unlock(old.handle.descriptor) } }

    /// Makes a file safe before it is let go, because no later flush will reach it.
    mutating func retire(_ old: Active) {
        do throws(SystemError) {
            if let failure = old.distrusted { throw failure }
            try files.synchronize(old.handle.descriptor)
        } catch { unsafeArchive = noteFailure(of: old.number, error) }
    }
}
