internal import CLogbookSystem

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A file that a program appends to, now and then or at its end, and checks at its beginning. Readable by this user alone. Used by one
/// thread at a time.
struct OutputFile: Sendable {
    /// `-` is standard output.
    let path: String

    /// Makes the file, or empties it.
    init(_ path: String) throws(PipeError) {
        self.path = path
        if path != "-" { close(try open(O_TRUNC)) }
    }

    /// Makes no file yet, but finds out whether one can be made.
    init(whenNeeded path: String) throws(PipeError) {
        self.path = path
        var found = stat()
        if stat(path, &found) == 0 {
            // A device is one that somebody means, such as /dev/null. Nobody may ever read a FIFO, and the end would wait for that.
            let kind = found.st_mode & S_IFMT
            if kind != S_IFREG && kind != S_IFCHR { throw .notAFile(path: path) }
            if access(path, W_OK) != 0 { throw .cannotWrite(path: path, errno: errno) }
            return
        }
        if errno != ENOENT { throw .cannotWrite(path: path, errno: errno) }
        if path.isEmpty || path.hasSuffix("/") { throw .notAFile(path: path) }
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        if access(folder, W_OK | X_OK) != 0 { throw .cannotWrite(path: path, errno: errno) }
    }

    /// Appends the bytes and waits until the disk has them. What could be written of bytes that could not all be is taken back, unless
    /// another process has written since. Whoever reads standard output is waited for, also where it is not to block.
    /// - Parameter whenOpened: Called before anything is written.
    func write(_ bytes: [UInt8], whenOpened: () -> Void = {}) throws(PipeError) {
        let descriptor = path == "-" ? 1 : try open(O_APPEND)
        defer { if path != "-" { close(descriptor) } }
        whenOpened()
        var done = 0
        // Where the next byte goes if nobody else writes, and whether nobody else has written between two pieces.
        var end: off_t?, isInOnePiece = true
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes { logbook_write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            if count < 0 && errno == EAGAIN {
                var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&request, 1, -1)   // what is wrong, if anything is, the next write says
                continue
            }
            if count <= 0 {
                let number = errno
                if done > 0 { Self.takeBack(isInOnePiece ? done : nil, from: descriptor) }
                throw .cannotWrite(path: path, errno: number)
            }
            done += count
            let position = lseek(descriptor, 0, SEEK_CUR)
            if let end, position != end + off_t(count) { isInOnePiece = false }
            end = position
        }
        if path != "-" && fsync(descriptor) != 0 && errno != EINVAL { throw .cannotWrite(path: path, errno: errno) }
    }

    /// Takes back the bytes that were written last, if they are the file's last. Otherwise the line they belong to is ended, so that the
    /// next one stays whole.
    private static func takeBack(_ count: Int?, from descriptor: Int32) {
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return }
        let end = lseek(descriptor, 0, SEEK_CUR)
        if let count, end == facts.st_size, end >= off_t(count), ftruncate(descriptor, end - off_t(count)) == 0 {
            _ = lseek(descriptor, end - off_t(count), SEEK_SET)   // where it is not opened for appending
            return
        }
        _ = logbook_write(descriptor, "\n", 1)
    }

    private func open(_ flags: Int32) throws(PipeError) -> Int32 {
        let descriptor = logbook_openat(AT_FDCWD, path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0o600)
        if descriptor < 0 { throw .cannotWrite(path: path, errno: errno) }
        return descriptor
    }
}
