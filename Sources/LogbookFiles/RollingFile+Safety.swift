internal import LogbookCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

extension RollingFile {
    /// What has to be synchronized, without the lock, to make everything written to the open file safe.
    struct Synchronization: Sendable {
        let file: OwnedDescriptor<Files>
        /// Nil when its names are safe.
        let folder: OwnedDescriptor<Files>?
        /// ``RollingFile/folderChanges`` when it began.
        let folderChanges: UInt64
        /// The file's.
        let number: UInt64
        /// ``RollingFile/writes`` when it began.
        let writes: UInt64
    }

    /// - Throws: What is known to be unsafe in files that are no longer written; it is said once to who still waits.
    mutating func sayWhatIsUnsafe(by deadline: LogDeadline) throws(FileLogProviderError) {
        guard let failure = unsafeArchive else { return }
        if !deadline.hasPassed { unsafeArchive = nil }
        throw failure
    }

    /// Lets the next flush say what a synchronization met, where nobody waits for it any longer.
    /// - Parameter deadline: Until when somebody does; nil where nobody did.
    mutating func keepForFlush(_ failure: FileLogProviderError, unlessAwaitedUntil deadline: LogDeadline?) {
        if deadline?.hasPassed ?? true { keepForFlush(failure) }
    }

    /// Lets the next flush say what a synchronization met that nobody waits for.
    mutating func keepForFlush(_ failure: FileLogProviderError) {
        if case .cannotSynchronize = failure, unsafeArchive == nil { unsafeArchive = failure }
    }

    /// Remembers that what was written to this file may not be safe, whatever is said of a later one.
    mutating func noteFailure(of number: UInt64, _ error: SystemError) -> FileLogProviderError {
        let failure = FileLogProviderError.cannotSynchronize(path: path, errno: error.number)
        if number >= latestFailure?.number ?? 0 { latestFailure = (number, failure) }
        return failure
    }

    /// - Throws: When the file of this number, or a later one, could not be made safe.
    func sayWhatFailed(since number: UInt64) throws(FileLogProviderError) {
        if let latestFailure, latestFailure.number >= number { throw latestFailure.failure }
    }

    /// - Parameter deadline: Until when somebody waits for it; nil where nobody does.
    /// - Returns: Nil when the file is closed.
    /// - Throws: What is known to be unsafe already; each such thing is said once.
    mutating func beginSynchronization(by deadline: LogDeadline?) throws(FileLogProviderError) -> Synchronization? {
        switch phase {
        case .closed: return nil
        case .waiting(let failure): throw failure
        case .open(let active):
            if let failure = active.distrusted {
                // Where no new file can be begun either, it is tried again when the next synchronization would be due, not at once.
                unsafeSince = nil
                noteUnsafe()
                let known = FileLogProviderError.cannotSynchronize(path: path, errno: failure.number)
                keepForFlush(known, unlessAwaitedUntil: deadline)
                replaceDistrusted()
                throw known
            }
            unsafeSince = nil
            return Synchronization(
                file: active.handle, folder: folderChanges > safeFolderChanges ? folder.handle : nil, folderChanges: folderChanges,
                number: active.number, writes: writes)
        }
    }

    /// Goes on in a new file after the machine failed to make this one safe: it may call the same pages clean the next time.
    /// - Parameter deadline: Until when somebody waits for it; nil where nobody does.
    mutating func distrust(_ work: Synchronization, because error: SystemError, askedBy deadline: LogDeadline?) {
        let failure = noteFailure(of: work.number, error)
        // Whoever waits for this one is told; the lines that were written meanwhile are somebody else's. It is kept before there is a
        // new file: who flushes that one must not be told that all is safe.
        keepForFlush(failure, unlessAwaitedUntil: writes == work.writes ? deadline : nil)
        noteUnsafe()
        guard case .open(var active) = phase, active.number == work.number else { return }
        active.distrusted = error
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

    /// What was written since the latest synchronization, such as between a shutdown's and this, is made safe first, where there is time.
    mutating func close(by deadline: LogDeadline) {
        if case .open(let active) = phase {
            if writes != safeWrites {
                if deadline.hasPassed { _ = noteFailure(of: active.number, SystemError(ETIMEDOUT, in: "fdatasync")) } else { retire(active) }
            }
            letGo(of: active)
        }
        phase = .closed
        claim = nil
    }
}
