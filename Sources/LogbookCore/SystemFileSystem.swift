internal import CLogbookSystem

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The machine's own file system.
package struct SystemFileSystem: FileSystem {
    package init() {}

    package var user: UInt32 { geteuid() }

    package func resolvedPath(ofFolder path: String) throws(SystemError) -> String {
        guard let resolved = realpath(path, nil) else { throw SystemError(errno, in: "realpath") }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    package func makeFolder(at path: String) throws(SystemError) {
        try check(mkdir(path, 0o700), "mkdir")
    }

    package func openFolder(at path: String) throws(SystemError) -> FileDescriptor {
        FileDescriptor(try check(logbook_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0), "open"))
    }

    package func redirect(_ descriptor: FileDescriptor, to target: FileDescriptor) throws(SystemError) {
        try check(logbook_redirect(descriptor.number, target.number), "dup")
    }

    package func names(in folder: FileDescriptor) throws(SystemError) -> [String] {
        // A descriptor of its own: reading a folder moves the descriptor's position.
        let own = try check(logbook_openat(folder.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0), "openat")
        guard let stream = fdopendir(own) else {
            let failure = errno
            _ = closeNumber(own)
            throw SystemError(failure, in: "fdopendir")
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno != 0 { throw SystemError(errno, in: "readdir") }
                return names
            }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
    }

    package func openForAppending(
        _ name: String, in folder: FileDescriptor, permissions: UInt32
    ) throws(SystemError) -> FileDescriptor {
        let flags = O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK
        return FileDescriptor(try check(logbook_openat(folder.number, name, flags, permissions), "openat"))
    }

    package func openNew(
        _ name: String, in folder: FileDescriptor, permissions: UInt32
    ) throws(SystemError) -> FileDescriptor {
        let flags = O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        return FileDescriptor(try check(logbook_openat(folder.number, name, flags, permissions), "openat"))
    }

    package func openForReading(_ name: String, in folder: FileDescriptor) throws(SystemError) -> FileDescriptor {
        try openExisting(name, in: folder, O_RDONLY)
    }

    package func openForLocking(_ name: String, in folder: FileDescriptor) throws(SystemError) -> FileDescriptor {
        do { return try openExisting(name, in: folder, O_RDWR) } catch {
            guard [EACCES, EPERM, EROFS, EISDIR].contains(error.number) else { throw error }
            return try openForReading(name, in: folder)
        }
    }

    private func openExisting(_ name: String, in folder: FileDescriptor, _ mode: Int32) throws(SystemError) -> FileDescriptor {
        let flags = mode | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK
        return FileDescriptor(try check(logbook_openat(folder.number, name, flags, 0), "openat"))
    }

    package func read(
        _ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(SystemError) -> Int {
        let count = pread(file.number, buffer.baseAddress, buffer.count, off_t(offset))
        if count < 0 { throw SystemError(errno, in: "pread") }
        return count
    }

    package func append(_ bytes: UnsafeRawBufferPointer, to file: FileDescriptor) throws(SystemError) -> Int {
        let written = logbook_append(file.number, bytes.baseAddress, bytes.count)
        if written < 0 { throw SystemError(errno, in: "write") }
        return written
    }

    package func byte(at offset: Int, of file: FileDescriptor) throws(SystemError) -> UInt8? {
        var byte: UInt8 = 0
        let count = pread(file.number, &byte, 1, off_t(offset))
        if count < 0 { throw SystemError(errno, in: "pread") }
        return count == 1 ? byte : nil
    }

    package func position(of file: FileDescriptor) throws(SystemError) -> Int {
        let position = lseek(file.number, 0, SEEK_CUR)
        if position < 0 { throw SystemError(errno, in: "lseek") }
        return Int(position)
    }

    package func truncate(_ file: FileDescriptor, to bytes: Int) throws(SystemError) {
        try check(ftruncate(file.number, off_t(bytes)), "ftruncate")
    }

    package func synchronize(_ file: FileDescriptor) throws(SystemError) {
        #if canImport(Darwin)
            if fcntl(file.number, F_FULLFSYNC) == 0 { return }
            // Network shares and some other volumes know no such thing.
            guard [ENOTSUP, ENOTTY, EINVAL].contains(errno) else { throw SystemError(errno, in: "fcntl") }
            try check(fsync(file.number), "fsync")
        #else
            try check(fdatasync(file.number), "fdatasync")
        #endif
    }

    package func synchronizeFolder(_ folder: FileDescriptor) throws(SystemError) {
        try check(fsync(folder.number), "fsync")
    }

    package func status(of file: FileDescriptor) throws(SystemError) -> FileStatus {
        var found = stat()
        try check(fstat(file.number, &found), "fstat")
        return FileStatus(found)
    }

    /// Whether a name is certainly another file's by now, or nobody's. Where that cannot be seen, it is not.
    /// - Parameter opened: Of the file that had it; nil when none had.
    package func hasLost(_ path: String, _ opened: FileStatus?) -> Bool {
        do throws(SystemError) {
            let found = try status(at: path)
            return opened.map { !found.isSameFile(as: $0) } ?? true
        } catch {
            return error.number == ENOENT || error.number == ENOTDIR
        }
    }

    /// Of what a path leads to, through links.
    package func status(at path: String) throws(SystemError) -> FileStatus {
        var found = stat()
        try check(stat(path, &found), "stat")
        return FileStatus(found)
    }

    package func status(of name: String, in folder: FileDescriptor) throws(SystemError) -> FileStatus {
        var found = stat()
        try check(fstatat(folder.number, name, &found, AT_SYMLINK_NOFOLLOW), "fstatat")
        return FileStatus(found)
    }

    package func awaitWriters(of file: FileDescriptor) throws(SystemError) {
        // The kernel writes, and changes a mode, with the inode locked; the mode stays what it is.
        try check(fchmod(file.number, mode_t(status(of: file).permissions)), "fchmod")
    }

    package func rename(_ name: String, to newName: String, in folder: FileDescriptor) throws(SystemError) {
        try check(logbook_rename_new(folder.number, name, newName), "rename")
    }

    package func replace(_ name: String, with newFile: String, in folder: FileDescriptor) throws(SystemError) {
        try check(renameat(folder.number, newFile, folder.number, name), "rename")
    }

    package func remove(_ name: String, in folder: FileDescriptor) throws(SystemError) {
        try check(unlinkat(folder.number, name, 0), "unlinkat")
    }

    package func tryLock(_ file: FileDescriptor) throws(SystemError) -> Bool {
        try isLocked(logbook_try_lock(file.number))
    }

    package func tryLockShared(_ file: FileDescriptor) throws(SystemError) -> Bool {
        try isLocked(logbook_try_lock_shared(file.number))
    }

    private func isLocked(_ answer: Int32) throws(SystemError) -> Bool {
        switch answer {
        case 0: return true
        case EWOULDBLOCK: return false
        case let failure: throw SystemError(failure, in: "flock")
        }
    }

    package func unlock(_ file: FileDescriptor) { _ = logbook_unlock(file.number) }

    package func close(_ descriptor: FileDescriptor) { _ = closeNumber(descriptor.number) }

    @discardableResult
    private func check(_ result: Int32, _ call: String) throws(SystemError) -> Int32 {
        if result < 0 { throw SystemError(errno, in: call) }
        return result
    }
}

/// `close` of libc, which the method of the same name hides.
private func closeNumber(_ number: Int32) -> Int32 { close(number) }

extension FileStatus {
    fileprivate init(_ found: stat) {
        let kind: Kind =
            switch found.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .folder
            case S_IFLNK: .symbolicLink
            default: .other
            }
        #if canImport(Darwin)
            let modified = found.st_mtimespec
        #else
            let modified = found.st_mtim
        #endif
        self.init(
            kind: kind, device: UInt64(truncatingIfNeeded: found.st_dev),
            inode: UInt64(truncatingIfNeeded: found.st_ino),
            bytes: Int(found.st_size), owner: found.st_uid, links: UInt64(found.st_nlink),
            permissions: UInt32(found.st_mode & 0o7777),
            modified: LogTime(nanoseconds: Int64(modified.tv_sec) &* 1_000_000_000 &+ Int64(modified.tv_nsec)))
    }
}
