internal import LogbookCore

extension RollingFile {
    /// - Throws: What is known to be unsafe in files that are no longer written; it is said once.
    mutating func sayWhatIsUnsafe() throws(FileLogProviderError) {
        guard let failure = unsafeArchive else { return }
        unsafeArchive = nil
        throw failure
    }

    /// Lets the next flush say what a synchronization met that nobody had asked for.
    mutating func keepForFlush(_ failure: FileLogProviderError) {
        if case .cannotSynchronize = failure, unsafeArchive == nil { unsafeArchive = failure }
    }

    /// What has to be synchronized, without the lock, to make everything written to this file safe; nil when it is closed.
    /// - Throws: What is known to be unsafe already; each such thing is said once.
    mutating func beginSynchronization() throws(FileLogProviderError) -> (
        file: OwnedDescriptor<Files>, folder: OwnedDescriptor<Files>?
    )? {
        switch phase {
        case .closed: return nil
        case .waiting(let failure): throw failure
        case .open(let active):
            if let failure = active.distrusted {
                // Where no new file can be begun either, it is tried again when the next synchronization would be due, not at once.
                unsafeSince = nil
                noteUnsafe()
                replaceDistrusted()
                throw .cannotSynchronize(path: path, errno: failure.number)
            }
            let folder = folderIsUnsafe ? self.folder.handle : nil
            folderIsUnsafe = false
            unsafeSince = nil
            return (active.handle, folder)
        }
    }

    /// Goes on in a new file after the machine failed to make this one safe: it may call the same pages clean the next time.
    mutating func distrust(_ handle: OwnedDescriptor<Files>, because failure: SystemError) {
        folderIsUnsafe = true
        noteUnsafe()
        guard case .open(var active) = phase, active.handle === handle else { return }
        active.distrusted = failure
        phase = .open(active)
        replaceDistrusted()
    }

    private mutating func replaceDistrusted() {
        guard let size = try? verifiedSize(), size > 0 else {
            if let fresh = try? openActive() { phase = .open(fresh) }
            return
        }
        roll(because: .unsafe)
    }

    /// Remembers that something was written, for those who asked that it be safe soon.
    mutating func noteUnsafe() {
        guard synchronizesWithin != nil, unsafeSince == nil else { return }
        unsafeSince = clock.monotonicNanoseconds()
        hasNewDue = true
    }

    mutating func close() {
        if case .open(let active) = phase { letGo(of: active) }
        phase = .closed
        claim = nil
    }
}
