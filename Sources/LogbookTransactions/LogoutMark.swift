#if Transactions
internal import GRDB
internal import LogbookCore
#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// What another process stores in its lane, which has run since before somebody logged out here: it knows of no logout, so that does not
/// belong to whoever uses the program next.
///
/// It stands beside the lane as `<lane>.logout`, such as `logbook logout 3 since 81250000000`: whoever opens the lane next gives up the
/// entries of that epoch and of earlier ones first. By epochs and not by times: those are the caller's clock's, which may be set back.
///
/// A process that logs out while another has its own lane, whose lock was removed, leaves one there as well, and heeds it itself where it
/// has the lane again before anybody opens it.
///
/// While a logout deletes, a mark stands beside every lane, its own one included, for who opens them after a kill. It is gone before
/// anything else is stored in the lane, which would be of an epoch that it names.
///
/// A process that logs out as well has no use for the mark beside its own lane: everything that it was about is deleted. One of the same
/// logout that is left later, by a slower process, is known by its `since`, see ``isCovered(byLogoutAt:)``. So that whoever opens the lane
/// after a kill knows it as well, the process leaves a mark of its own logout, `<lane>.own-logout`, until its next login.
struct LogoutMark: Equatable {
    /// Whose logout a mark beside a lane is about.
    enum Owner: String {
        case another = ".logout"
        /// The process's that writes to the lane.
        case own = ".own-logout"
    }

    var epoch: Int64
    /// When who has left it was last told of a user, by the monotonic clock, which processes share; nil where nothing is known of that. Of
    /// a process's own logout, when that was.
    var since: UInt64?

    /// All that there is.
    static let everything = LogoutMark(epoch: .max)

    private static let word = "logbook logout ", sinceWord = " since "

    private var line: String { Self.word + "\(epoch)" + (since.map { Self.sinceWord + "\($0)" } ?? "") + "\n" }

    private init?(line: String) {
        guard line.hasPrefix(Self.word), line.hasSuffix("\n") else { return nil }
        let parts = line.dropFirst(Self.word.count).dropLast().split(separator: Self.sinceWord, omittingEmptySubsequences: false)
        guard parts.count <= 2, let epoch = Int64(parts[0]) else { return nil }
        self.init(epoch: epoch)
        if parts.count == 2 {
            guard let since = UInt64(parts[1]) else { return nil }
            self.since = since
        }
    }

    init(epoch: Int64, since: UInt64? = nil) { (self.epoch, self.since) = (epoch, since) }

    /// Whether who has left it had its user before this logout of another process: so both were of one user, and of what that process has
    /// stored since nothing is theirs.
    /// - Parameter logout: By the monotonic clock.
    func isCovered(byLogoutAt logout: UInt64) -> Bool { since.map { $0 < logout } ?? false }

    /// The same of what the process itself has left that was written to: while it had the lane, its epoch is that of both.
    func isCovered(by own: LogoutMark) -> Bool { own.epoch == epoch && own.since.map(isCovered(byLogoutAt:)) ?? false }

    static func path(of lane: String, _ owner: Owner = .another) -> String { lane + owner.rawValue }

    /// That of a lane which another process writes to; nil where there never was a store.
    static func current(in lane: String, since: UInt64? = nil) -> LogoutMark? {
        var configuration = Configuration()
        configuration.readonly = true
        var found: Int64?
        if StoreFile.somethingElse(lane) == nil {
            found = try? DatabaseQueue(path: lane, configuration: configuration).read { db in
                try Int64.fetchOne(db, sql: "SELECT epoch FROM meta")
            }
        }
        return (found ?? StoreFile.identityInLock(of: lane)?.epoch).map { LogoutMark(epoch: $0, since: since) }
    }

    /// Makes it survive a crash of the machine.
    func leave(for lane: String, _ owner: Owner = .another) throws(TransactionStoreError) {
        let path = Self.path(of: lane, owner), new = path + ".new", files = RestartingFileSystem(SystemFileSystem())
        let slash = path.lastIndex(of: "/")
        func name(_ path: String) -> String { String(path[(slash.map { path.index(after: $0) } ?? path.startIndex)...]) }
        do throws(SystemError) {
            let folder = try files.openFolder(at: slash.map { String(path[...$0]) } ?? ".")
            defer { files.close(folder) }
            try? files.remove(name(new), in: folder)
            let file = try files.openNew(name(new), in: folder, permissions: 0o600)
            defer { files.close(file) }
            let bytes = Array(line.utf8)
            let count = try bytes.withUnsafeBufferPointer { bytes throws(SystemError) in
                try files.append(UnsafeRawBufferPointer(bytes), to: file)
            }
            if count < bytes.count { throw SystemError(ENOSPC, in: "write") }
            try files.synchronize(file)
            try files.replace(name(path), with: name(new), in: folder)
            try files.synchronizeFolder(folder)
        } catch {
            throw .cannotOpen(path: path, reason: StoreFile.reason(error.number))
        }
    }

    /// Nil where none was left, or what has its name is no file; everything, where what stands in the file says nothing.
    static func left(for lane: String, _ owner: Owner = .another) -> LogoutMark? {
        let path = path(of: lane, owner)
        if let mark = FileLock.read(path, { Self.mark(in: $0) }) { return mark }   // neither follows a link nor waits for a pipe
        return access(path, F_OK) == 0 && Self.obstacle(for: lane, owner) == nil ? .everything : nil
    }

    private static func mark(in file: Int32) -> LogoutMark {
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = pread(file, &bytes, bytes.count, 0)
        return LogoutMark(line: String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)) ?? .everything
    }

    /// That survives a crash of the machine as well: a mark that is there again would be about what was stored since.
    /// - Returns: Why it is there still, in words; nil where it is not. To be said when nothing is held, see ``say(_:)``.
    static func forget(for lane: String, _ owner: Owner = .another) -> String? {
        if let obstacle = Self.obstacle(for: lane, owner) { return obstacle }
        let path = path(of: lane, owner)
        guard unlink(path) == 0 else {
            let failure = errno
            if failure == ENOENT { return nil }
            return "\(path) stays: \(StoreFile.reason(failure)); remove it, or the next start gives up what is stored until then"
        }
        let files = SystemFileSystem()
        guard let folder = try? files.openFolder(at: path.lastIndex(of: "/").map { String(path[...$0]) } ?? ".") else { return nil }
        try? files.synchronizeFolder(folder)
        files.close(folder)
        return nil
    }

    /// What has the name of a mark and is no file, in words: no process of ours has left it, so it says nothing, and stays where it is. Nil
    /// where there is none.
    static func obstacle(for lane: String, _ owner: Owner = .another) -> String? {
        let path = path(of: lane, owner)
        guard StoreFile.somethingElse(path) != nil else { return nil }
        return "\(path) is a link, a pipe, a device or a folder, and no mark of a logout; remove it"
    }

    /// Says what stands in the way of a mark, if something does. Nothing may be held: who hears of it may log.
    static func say(_ obstacle: String?) { if let obstacle { LogDiagnostics.report("transactions", obstacle) } }
}
#endif
