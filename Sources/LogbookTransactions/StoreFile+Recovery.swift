#if Transactions
internal import CLogbookSystem
internal import GRDB
internal import LogbookCore
#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

// A damaged store is replaced in steps that a kill may fall between: first the new file is finished under a name of its own
// (`.recovered`), then the old files are renamed, the database itself last, then the new one takes its place. Whoever finds a
// finished `.recovered` goes on from there.
extension StoreFile {
    /// The database and what SQLite keeps beside it.
    private static let suffixes = ["-wal", "-shm", "-journal", ""]

    private var recovered: String { path + ".recovered" }
    /// A replacement that is not finished.
    private var recovering: String { path + ".recovering" }

    /// Whether a finished replacement waits there to be ended.
    static func isBeingReplaced(at path: String) -> Bool { access(path + ".recovered", F_OK) == 0 }

    /// A replacement that was interrupted, and is ended.
    struct EndedReplacement {
        /// Where the damaged file is.
        let setAside: String
        /// Files set aside earlier that were deleted.
        let deleted: Int
    }

    /// Ends a replacement that a kill interrupted.
    /// - Returns: Nil when there was none to end.
    func finishRecovery(now: LogTime) throws(TransactionStoreError) -> EndedReplacement? {
        guard Self.isBeingReplaced(at: path) else { return nil }
        let setAside = begunSetAside ?? newSetAside(now)
        try swap(setAside)
        return EndedReplacement(setAside: setAside, deleted: deleteOldest(but: setAside))
    }

    /// Deletes what a salvage has left that a kill interrupted. Nobody else may be at work on it: the lock is held.
    func removeUnfinishedSalvage() { StoreSalvage.removeUnfinished(recovering) }

    /// Sets the damaged files aside and puts a store of what could be read in their place.
    func recover(
        because reason: String, as identity: StoreIdentity?, now: LogTime
    ) throws(TransactionStoreError) -> TransactionStoreRecovery {
        var salvage = StoreSalvage(identity: identity)
        try salvage.run(from: path, to: recovering)
        if rename(recovering, recovered) != 0 { throw .cannotOpen(path: recovered, reason: Self.reason(errno)) }
        let setAside = newSetAside(now)
        try swap(setAside)
        return TransactionStoreRecovery(
            reason: reason, setAside: setAside, transactions: salvage.transactions, entries: salvage.entries,
            orphans: salvage.orphans, isComplete: salvage.isComplete, deleted: deleteOldest(but: setAside))
    }

    /// Damaged files that are kept: a disk that damages one after the other must not be filled with them.
    static let maximumSetAside = 4

    /// Deletes the oldest of those that were set aside, down to ``maximumSetAside``.
    /// - Parameter latest: The one that was set aside now; by a clock that was set back it is the oldest.
    /// - Returns: How many.
    private func deleteOldest(but latest: String) -> Int {
        let earlier = setAside.filter { name($0) != latest }.sorted()
        let surplus = earlier.prefix(max(0, earlier.count + 1 - Self.maximumSetAside))
        for file in surplus { Self.remove(name(file)) }
        return surplus.count
    }

    /// What was set aside, now or earlier.
    private var setAside: Set<SetAside> {
        let files = SystemFileSystem(), slash = path.lastIndex(of: "/")
        let folder = slash.map { String(path[...$0]) } ?? "."
        let prefix = String(path[(slash.map { path.index(after: $0) } ?? path.startIndex)...]) + ".corrupt-"
        guard let descriptor = try? files.openFolder(at: folder) else { return [] }
        defer { files.close(descriptor) }
        return Set((try? files.names(in: descriptor))?.compactMap { SetAside($0, prefix: prefix) } ?? [])
    }

    private func name(_ file: SetAside) -> String { path + ".corrupt-" + file.ending }

    /// Where a replacement that was interrupted has put the damaged files, or some of them: under the newest name, where what is left here
    /// has yet to follow, the database last. Nil where none of them was renamed.
    private var begunSetAside: String? {
        guard let newest = setAside.max().map(name) else { return nil }
        let left = Self.suffixes.filter { access(path + $0, F_OK) == 0 }
        return left.allSatisfy { access(newest + $0, F_OK) != 0 } ? newest : nil
    }

    /// What makes the names of damaged files differ: when they were set aside, and which of that second.
    private struct SetAside: Hashable, Comparable {
        let seconds: Int64
        let number: Int

        /// - Parameter name: Of the database, or of what SQLite has kept beside it. Nil for anything else.
        init?(_ name: String, prefix: String) {
            guard name.hasPrefix(prefix) else { return nil }
            var words = name.dropFirst(prefix.count).split(separator: "-", omittingEmptySubsequences: false)
            if let last = words.last, ["wal", "shm", "journal"].contains(last) { words.removeLast() }
            guard (1...2).contains(words.count), let seconds = Int64(words[0]), words.count == 1 || Int(words[1]) != nil else { return nil }
            self.seconds = seconds
            number = words.count == 2 ? Int(words[1])! : 1
        }

        var ending: String { number == 1 ? "\(seconds)" : "\(seconds)-\(number)" }

        static func < (one: SetAside, other: SetAside) -> Bool {
            (one.seconds, one.number) < (other.seconds, other.number)
        }
    }

    /// A name that no damaged file has.
    private func newSetAside(_ now: LogTime) -> String {
        var name = path + ".corrupt-\(now.wholeSeconds)", number = 1
        while Self.suffixes.contains(where: { access(name + $0, F_OK) == 0 }) {
            number += 1
            name = path + ".corrupt-\(now.wholeSeconds)-\(number)"
        }
        return name
    }

    /// Renames the damaged files, and puts the finished one in their place.
    private func swap(_ name: String) throws(TransactionStoreError) {
        for suffix in Self.suffixes where access(path + suffix, F_OK) == 0 {
            if rename(path + suffix, name + suffix) != 0 { throw .cannotOpen(path: path + suffix, reason: Self.reason(errno)) }
        }
        if rename(recovered, path) != 0 { throw .cannotOpen(path: path, reason: Self.reason(errno)) }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let descriptor = logbook_openat(AT_FDCWD, folder, O_RDONLY | O_CLOEXEC, 0)
        if descriptor >= 0 {
            fsync(descriptor)
            close(descriptor)
        }
    }

    /// Deletes a database that was made on the way, and what is beside it.
    static func remove(_ path: String) { for suffix in suffixes { unlink(path + suffix) } }

    /// Copies a file; one that is not there gives none, nor does what is no file. A page that cannot be read is one of zeros in the copy.
    /// - Parameter read: As `pread`: for tests, whose disks can be read.
    static func copy(
        _ path: String, to target: String,
        read: (_ file: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int, _ offset: off_t) -> Int = pread
    ) throws(TransactionStoreError) {
        let source = logbook_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0)
        if source < 0 { return }
        defer { close(source) }
        var facts = stat()
        guard fstat(source, &facts) == 0 else { throw .cannotOpen(path: path, reason: reason(errno)) }
        if facts.st_mode & S_IFMT != S_IFREG { return }
        let copy = logbook_openat(AT_FDCWD, target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        if copy < 0 { throw .cannotOpen(path: target, reason: reason(errno)) }
        defer { close(copy) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let size = Int(facts.st_size)
        // In front of `troubleEnd` it is read page by page, because not all of it can be.
        var place = 0, troubleEnd = 0
        while place < size {
            let wanted = place < troubleEnd ? pageBytes - place % pageBytes : bytes.count
            let count = read(source, &bytes, min(wanted, size - place), off_t(place))
            if count == 0 { break }
            if count < 0 {
                if errno == EINTR { continue }
                if place < troubleEnd { place += wanted } else { troubleEnd = place + bytes.count }
                continue
            }
            var done = 0
            while done < count {
                let written = bytes.withUnsafeBytes { pwrite(copy, $0.baseAddress! + done, count - done, off_t(place + done)) }
                if written <= 0 { throw .diskFull(path: target) }
                done += written
            }
            place += count
        }
        if ftruncate(copy, off_t(size)) != 0 { throw .diskFull(path: target) }
    }

    private static let pageBytes = 4096

    /// Gives a copy whose first hundred bytes are not SQLite's the beginning that ours have, so that the pages can be read.
    static func mendHeader(of path: String) throws(TransactionStoreError) {
        let file = logbook_openat(AT_FDCWD, path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if file < 0 { throw .cannotOpen(path: path, reason: reason(errno)) }
        defer { close(file) }
        var found = [UInt8](repeating: 0, count: 100), facts = stat()
        _ = pread(file, &found, found.count, 0)
        guard fstat(file, &facts) == 0, !isHeader(found) else { return }
        var header = magic + [UInt8](repeating: 0, count: 84)
        func put(_ number: Int, at offset: Int) {
            for byte in 0..<4 { header[offset + byte] = UInt8(truncatingIfNeeded: number >> (24 - 8 * byte)) }
        }
        let pages = max(1, Int(facts.st_size) / pageBytes)
        header.replaceSubrange(16..<24, with: [UInt8(pageBytes >> 8), 0, 2, 2, 0, 64, 32, 32])
        put(pages, at: 28)
        put(1, at: 40)
        put(4, at: 44)   // the schema format of every SQLite since 2006
        put(1, at: 56)   // UTF-8
        put(TransactionStore.schemaVersion, at: 60)
        put(Int(applicationID), at: 68)
        _ = pwrite(file, header, header.count, 0)
        ftruncate(file, off_t(pages * pageBytes))
    }

    private static func isHeader(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: magic) && bytes[16] == UInt8(pageBytes >> 8) && bytes[17] == 0 && (1...2).contains(bytes[18])
            && (1...2).contains(bytes[19]) && bytes[20] == 0 && bytes[21] == 64 && bytes[22] == 32 && bytes[23] == 32
    }

    /// Whether the write-ahead log was made for another database, or for an earlier state of this one: SQLite would mix the two.
    /// Each opening of a store raises its epoch, which tells.
    /// - Throws: ``TransactionStoreError/busy(path:)`` where another program keeps the file locked, and nobody can tell.
    static func isLogForeign(
        _ path: String, _ busyMode: Database.BusyMode = .immediateError
    ) throws(TransactionStoreError) -> Bool {
        if somethingElse(path) != nil { return false }
        let plain = path + ".plain"   // under another name no log is found
        remove(plain)
        guard link(path, plain) == 0 else { return false }   // a file system without links cannot tell
        let alone: StoreIdentity
        do {
            defer { remove(plain) }
            alone = try identity(of: plain, busyMode)
        } catch {
            let failure = TransactionStoreError(error, path: path)
            if case .busy = failure { throw failure }   // whoever asks next would wait as long again
            return false
        }
        do {
            let both = try identity(of: path, busyMode)
            return both.installation != alone.installation || both.epoch < alone.epoch
        } catch let error as DatabaseError {
            let failure = TransactionStoreError(error, path: path)
            if case .busy = failure { throw failure }
            return [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR].contains(error.resultCode)   // pages that do not belong together
        } catch {
            return false
        }
    }

    private static func identity(of path: String, _ busyMode: Database.BusyMode) throws -> StoreIdentity {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = busyMode
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? queue.close() }
        return try queue.read { db in
            guard let row = try Row.fetchOne(db, sql: "SELECT installation, epoch FROM meta"), let installation = row.text(0),
                let epoch = row.integer(1)
            else { throw TransactionStore.damage("meta") }
            return StoreIdentity(installation: installation, epoch: epoch)
        }
    }
}
#endif
