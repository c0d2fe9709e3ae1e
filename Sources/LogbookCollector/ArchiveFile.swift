#if Collector
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

    /// The archive's file before SQLite writes to it: locked against other processes, readable by this user alone, and ours.
    ///
    /// libsqlite3 before 3.51.3 can corrupt a write-ahead log that two connections checkpoint, so one process alone may write:
    /// the one that holds `flock` on `<path>.lock`.
    final class ArchiveFile: Sendable {
        /// SQLite's `application_id` of our archives: `Lgba`.
        static let applicationID: Int32 = 0x4C67_6261
        /// Of the file itself, where a link to it was given.
        let path: String
        /// Nil once it was let go.
        private let lock: Locked<FileLock?>
        private let status: FileStatus

        init(_ path: String, supported: Int) throws(ArchiveError) {
            let path = Self.resolved(path)
            // A pipe would be waited for, and a device is everybody's.
            if let found = try? SystemFileSystem().status(at: path), found.kind != .regular {
                throw .cannotOpen(path: path, reason: "it is a pipe, a device or a folder, and no file")
            }
            let held = try Self.lock(path)
            status = try Self.prepare(path, supported: supported)
            (self.path, lock) = (path, Locked(held))
        }

        private static func lock(_ path: String) throws(ArchiveError) -> FileLock {
            let held: FileLock?
            do { held = try FileLock(path + ".lock") } catch {
                throw .cannotOpen(path: path, reason: "\(path).lock: \(reason(error.number))")
            }
            guard let held else { throw .inUse(path: path) }
            return held
        }

        /// SQLite follows links to the file, and has its log beside that: so the lock is there as well, whatever name leads to it. What is
        /// not there yet is made, since a link may lead to nothing yet.
        private static func resolved(_ path: String) -> String {
            if access(path, F_OK) != 0 {
                let file = logbook_openat(AT_FDCWD, path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
                if file >= 0 { close(file) }
            }
            guard let found = realpath(path, nil) else { return path }   // why it cannot be opened is said soon
            defer { free(found) }
            return String(validatingCString: found) ?? path
        }

        /// Another archive may be opened there. Any number of times.
        func letGo() { lock.withLock { $0 = nil } }

        private static func prepare(_ path: String, supported: Int) throws(ArchiveError) -> FileStatus {
            // SQLite gives its files beside this one the same mode.
            let file = logbook_openat(AT_FDCWD, path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            if file < 0 { throw .cannotOpen(path: path, reason: reason(errno)) }
            let size = lseek(file, 0, SEEK_END)
            close(file)
            let status: FileStatus
            do { status = try SystemFileSystem().status(at: path) } catch {
                throw .cannotOpen(path: path, reason: reason(error.number))
            }
            if size > 0 { try check(path, supported: supported) }
            return status
        }

        /// SQLite goes on writing to a file that was removed; what it stores then is gone with the process. And whoever has removed the
        /// lock's file has let other processes in: it is taken anew, unless one of them was sooner.
        /// - Returns: Whether it was taken anew: another process may have changed something meanwhile.
        /// - Throws: ``ArchiveError/unavailable(reason:)`` when the path leads to another file by now, or to none, and
        ///   ``ArchiveError/inUse(path:)`` as long as another process has the lock.
        func checkIsInPlace() throws(ArchiveError) -> Bool {
            guard let found = try? SystemFileSystem().status(at: path), found.isSameFile(as: status) else {
                throw .unavailable(reason: "\(path) was removed or replaced; start again to make a new one")
            }
            let isTakenAnew = try lock.withLock { lock throws(ArchiveError) -> Bool in
                guard let held = lock, held.hasLost(path + ".lock") else { return false }
                lock = try Self.lock(path)
                return true
            }
            if isTakenAnew { LogDiagnostics.report("collector", "\(path).lock was removed, and is made anew") }
            return isTakenAnew
        }

        /// Looks through SQLite: after a kill the write-ahead log may know better than the file.
        private static func check(_ path: String, supported: Int) throws(ArchiveError) {
            let found: Found
            do {
                do { found = try look(path, readonly: true) } catch let error as DatabaseError where error.resultCode == .SQLITE_READONLY {
                    // A program was killed before there was a write-ahead log: nobody reads the file before that write is taken back.
                    found = try look(path, readonly: false)
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

        private struct Found {
            let version: Int, application: Int32, isEmpty: Bool
        }

        private static func look(_ path: String, readonly: Bool) throws -> Found {
            var configuration = Configuration()
            configuration.readonly = readonly
            return try DatabaseQueue(path: path, configuration: configuration).read { database in
                Found(
                    version: try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0,
                    application: try Int32.fetchOne(database, sql: "PRAGMA application_id") ?? 0,
                    isEmpty: try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") == 0)
            }
        }

        private static func reason(_ number: Int32) -> String {
            "\(String(cString: strerror(number))) (errno \(number))"
        }
    }
#endif
