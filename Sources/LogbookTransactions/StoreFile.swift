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

/// The store's file before SQLite opens it: its folder, its lock, and whether it is ours to open.
///
/// The lock (`flock` on `<path>.lock`) keeps every other process out for as long as this value lives: SQLite's own locks allow
/// two writers in turn, and libsqlite3 before 3.51.3 can corrupt a write-ahead log that two connections checkpoint.
final class StoreFile: Sendable {
    let path: String
    private let lock: FileLock
    /// Whose store was here when it was last opened; nil when none was, as far as the lock's file says.
    let identity: StoreIdentity?

    /// `Lgbk`, SQLite's `application_id` of our stores: the original framework's files have schema version 1 as well.
    static let applicationID: Int32 = 0x4C67_626B

    init(_ path: String) throws(TransactionStoreError) {
        self.path = path
        try Self.makeFolder(of: path)
        if let reason = Self.somethingElse(path) { throw .cannotOpen(path: path, reason: reason) }
        let held: FileLock?
        do { held = try FileLock(path + ".lock") } catch {
            throw .cannotOpen(path: path, reason: "\(path).lock: \(Self.reason(error.number))")
        }
        guard let held else { throw .storeLocked(path: path) }
        lock = held
        identity = Self.identity(in: held.descriptor)
    }

    /// What has the name and is no file, in words; nil where it is one, or nothing is there. A pipe would be waited for; a device changed
    /// for all its users; and behind a link are another file's lock and write-ahead log, which nobody would look for there.
    static func somethingElse(_ path: String) -> String? {
        var facts = stat()
        guard lstat(path, &facts) == 0 else { return nil }
        switch facts.st_mode & S_IFMT {
        case S_IFREG: return nil
        case S_IFLNK: return "it is a link; give the path of the file itself"
        default: return "it is a pipe, a device or a folder, and no file"
        }
    }

    /// Of the file that has the store's name now; nil when none has.
    var status: FileStatus? { try? SystemFileSystem().status(at: path) }

    /// Whether the store's name is certainly another file's by now, or nobody's. Where that cannot be seen, it is not.
    /// - Parameter opened: Of the file that had it; nil when none had.
    func hasLost(_ opened: FileStatus?) -> Bool { SystemFileSystem().hasLost(path, opened) }

    /// The same of the name of the lock's file: whoever has removed it has let others in.
    var hasLostLock: Bool { lock.hasLost(path + ".lock") }

    /// The same name whatever folder the process works in later, as SQLite keeps it.
    static func absolute(_ path: String) -> String {
        if path.hasPrefix("/") { return path }
        guard let folder = getcwd(nil, 0) else { return path }
        defer { free(folder) }
        return String(cString: folder) + "/" + path
    }

    /// Makes the identity survive a crash of the machine. Where there is no room for it, the database alone knows.
    func remember(_ identity: StoreIdentity) {
        let line = Array(identity.line.utf8)
        if pwrite(lock.descriptor, line, line.count, 0) == line.count { fsync(lock.descriptor) }
    }

    /// Whose store is at a path that another process may have open.
    static func identityInLock(of path: String) -> StoreIdentity? { FileLock.read(path + ".lock") { identity(in: $0) } }

    private static func identity(in lock: Int32) -> StoreIdentity? {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = pread(lock, &bytes, bytes.count, 0)
        return count > 0 ? StoreIdentity(line: String(decoding: bytes[..<count], as: UTF8.self)) : nil
    }

    /// Looks at the file without changing it, and makes an empty one, readable by this user alone, when there is none.
    /// - Parameter busyMode: How another program is waited for that keeps the file locked.
    /// - Throws: ``TransactionStoreError/damaged(path:reason:)`` only for a file that was a store of ours.
    func prepare(supported: Int, busyMode: Database.BusyMode) throws(TransactionStoreError) {
        let file = logbook_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0)
        guard file >= 0 else {
            if errno != ENOENT { throw .cannotOpen(path: path, reason: Self.reason(errno)) }
            let new = logbook_openat(AT_FDCWD, path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            if new < 0 { throw .cannotOpen(path: path, reason: Self.reason(errno)) }
            close(new)
            return
        }
        defer { close(file) }
        guard let header = Self.header(of: file) else { throw .cannotOpen(path: path, reason: Self.reason(errno)) }
        if !header.isEmpty {
            guard header.count == Self.headerBytes, header.starts(with: Self.magic) else {
                if identity != nil { throw .damaged(path: path, reason: "its beginning is not that of an SQLite file") }
                throw .notADatabase(path: path)
            }
            try check(version: Self.word(header, at: 60), application: Self.word(header, at: 68), supported: supported)
        } else if identity != nil {
            throw .damaged(path: path, reason: "it is empty")
        }
        try checkLog(supported: supported, busyMode)
        if access(path, W_OK) != 0 { throw .cannotOpen(path: path, reason: Self.reason(errno)) }
        fchmod(file, 0o600)   // a file of somebody else's that we may write keeps its mode
    }

    /// Whether the file says of itself that it is a store, whatever is wrong behind its beginning. Not while it is open.
    var bearsOurMark: Bool {
        let file = logbook_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0)
        guard file >= 0 else { return false }
        defer { close(file) }
        guard let header = Self.header(of: file), header.count == Self.headerBytes else { return false }
        return Self.word(header, at: 68) == Self.applicationID
    }

    /// As SQLite's files begin.
    private static let headerBytes = 100

    /// - Returns: What there is of it; nil where it cannot be read.
    private static func header(of file: Int32) -> [UInt8]? {
        var header = [UInt8](repeating: 0, count: headerBytes)
        let count = read(file, &header, header.count)
        return count < 0 ? nil : Array(header.prefix(count))
    }

    /// What the file says may be overruled by its write-ahead log, after a kill: read it through SQLite, without writing.
    private func checkLog(supported: Int, _ busyMode: Database.BusyMode) throws(TransactionStoreError) {
        var facts = stat()
        guard stat(path + "-wal", &facts) == 0, facts.st_size > 0 else { return }
        if try Self.isLogForeign(path, busyMode) { throw .damaged(path: path, reason: "its write-ahead log is that of another file") }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = busyMode
        let found: (version: Int32, application: Int32, isEmpty: Bool)
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            found = try queue.read { db in
                (try Int32.fetchOne(db, sql: "PRAGMA user_version") ?? 0,
                 try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0,
                 try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") == 0)
            }
        } catch {
            throw TransactionStoreError(error, path: path)
        }
        if !found.isEmpty { try check(version: found.version, application: found.application, supported: supported) }
    }

    private func check(version: Int32, application: Int32, supported: Int) throws(TransactionStoreError) {
        // Version 0 is checked for tables later: a new file may have been left half made.
        if version != 0 && application != Self.applicationID {
            if identity != nil { throw .damaged(path: path, reason: "its beginning is not that of a store") }
            throw .notAStore(path: path)
        }
        if version > supported { throw .newerSchema(path: path, found: Int(version), supported: supported) }
    }

    private static func word(_ bytes: [UInt8], at offset: Int) -> Int32 {
        Int32(bitPattern: bytes[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
    }

    /// Makes the folders that are missing, for this user alone; one that exists keeps its mode.
    private static func makeFolder(of path: String) throws(TransactionStoreError) {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
        let folder = String(path[..<slash])
        if access(folder, F_OK) == 0 { return }
        try makeFolder(of: folder)
        if mkdir(folder, 0o700) != 0 && errno != EEXIST { throw .cannotOpen(path: path, reason: reason(errno)) }
        let parent = folder.lastIndex(of: "/").map { String(folder[...$0]) } ?? "."
        let descriptor = logbook_openat(AT_FDCWD, parent, O_RDONLY | O_CLOEXEC, 0)
        if descriptor >= 0 {
            fsync(descriptor)   // the new folder's name; where that is not supported, nothing more can be done
            close(descriptor)
        }
    }

    static let magic = Array("SQLite format 3\0".utf8)

    static func reason(_ number: Int32) -> String { "\(String(cString: strerror(number))) (errno \(number))" }
}

extension TransactionStoreError {
    /// Whether the file is to be replaced.
    /// - Parameter isOurs: It was a store before; a file that never was one is not ours to touch.
    func isDamage(ofOurs isOurs: Bool) -> Bool {
        switch self {
        case .damaged, .notADatabase, .notAStore: isOurs
        default: false
        }
    }

    /// Whether the disk has failed or is full: everything fares alike, but for what is small enough to fit.
    var isOfTheDisk: Bool {
        switch self {
        case .diskFull: true
        case .failed(_, let code, _): ResultCode(rawValue: code).primaryResultCode == .SQLITE_IOERR
        default: false
        }
    }

    /// What is wrong with a file, without its name.
    var cause: String {
        switch self {
        case .damaged(_, let reason): reason
        case .notADatabase: "it is not an SQLite file"
        case .notAStore: "its tables are not those of a store"
        default: "\(self)"
        }
    }

    /// What a failure of SQLite means for the store.
    init(_ error: any Error, path: String) {
        switch error {
        case let error as TransactionStoreError: self = error
        case let error as DatabaseError:
            let reason = error.message ?? "\(error.resultCode)"
            switch error.resultCode {
            case .SQLITE_FULL: self = .diskFull(path: path)
            case .SQLITE_BUSY, .SQLITE_LOCKED: self = .busy(path: path)
            case .SQLITE_NOTADB: self = .notADatabase(path: path)
            case .SQLITE_CORRUPT: self = .damaged(path: path, reason: reason)
            case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_READONLY: self = .cannotOpen(path: path, reason: reason)
            default: self = .failed(path: path, code: error.extendedResultCode.rawValue, reason: reason)
            }
        default: self = .failed(path: path, code: 1, reason: "\(error)")
        }
    }
}
#endif
