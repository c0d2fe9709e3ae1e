#if Collector
internal import CLogbookSystem
internal import GRDB
#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The archive's file before SQLite writes to it: locked against other processes, readable by this user alone, and ours.
///
/// libsqlite3 before 3.51.3 can corrupt a write-ahead log that two connections checkpoint, so one process alone may write:
/// the one that holds `flock` on `<path>.lock`.
final class ArchiveFile: Sendable {
    /// SQLite's `application_id` of our archives: `Lgba`.
    static let applicationID: Int32 = 0x4C67_6261
    private let lock: Int32

    init(_ path: String, supported: Int) throws(ArchiveError) {
        let lock = logbook_openat(AT_FDCWD, path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if lock < 0 { throw .cannotOpen(path: path, reason: Self.reason(errno)) }
        self.lock = lock
        let failure = logbook_try_lock(lock)
        if failure == EWOULDBLOCK { throw .inUse(path: path) }
        if failure != 0 { throw .cannotOpen(path: path, reason: Self.reason(failure)) }
        // SQLite gives its files beside this one the same mode.
        let file = logbook_openat(AT_FDCWD, path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if file < 0 { throw .cannotOpen(path: path, reason: Self.reason(errno)) }
        let size = lseek(file, 0, SEEK_END)
        close(file)
        if size > 0 { try Self.check(path, supported: supported) }
    }

    deinit { close(lock) }

    /// Looks through SQLite, without writing: after a kill the write-ahead log may know better than the file.
    private static func check(_ path: String, supported: Int) throws(ArchiveError) {
        var configuration = Configuration()
        configuration.readonly = true
        let found: (version: Int, application: Int32, isEmpty: Bool)
        do {
            found = try DatabaseQueue(path: path, configuration: configuration).read { database in
                (try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0,
                 try Int32.fetchOne(database, sql: "PRAGMA application_id") ?? 0,
                 try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") == 0)
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
            throw .notAnArchive(path: path)
        } catch {
            throw .cannotOpen(path: path, reason: "\(error)")
        }
        if found.isEmpty && found.version == 0 { return }
        if found.application != applicationID { throw .notAnArchive(path: path) }
        if found.version > supported { throw .newerSchema(path: path, found: found.version, supported: supported) }
    }

    private static func reason(_ number: Int32) -> String { "\(String(cString: strerror(number))) (errno \(number))" }
}
#endif
