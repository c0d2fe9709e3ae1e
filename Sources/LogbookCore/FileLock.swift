internal import CLogbookSystem

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A file that one process at a time has locked (`flock`), made for this user alone when there is none; held for as long as this lives.
package final class FileLock: Sendable {
    package let descriptor: Int32

    /// Openings at most, of a file that loses its name each time before it is locked.
    static let maximumOpenings = 16

    /// - Returns: Nil when somebody else holds it.
    package convenience init?(_ path: String) throws(SystemError) { try self.init(path, whenOpened: {}) }

    /// - Parameter whenOpened: Called before the file is locked: for tests, which remove it.
    init?(_ path: String, whenOpened: () -> Void) throws(SystemError) {
        guard let descriptor = try Self.locked(path, whenOpened) else { return nil }
        self.descriptor = descriptor
    }

    /// Opens a file and locks it. One that has lost its name by then keeps nobody else out: the next of that name is opened instead.
    private static func locked(_ path: String, _ whenOpened: () -> Void) throws(SystemError) -> Int32? {
        for _ in 1...maximumOpenings {
            let descriptor = logbook_openat(AT_FDCWD, path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            if descriptor < 0 { throw SystemError(errno, in: "openat") }
            whenOpened()
            let failure = logbook_try_lock(descriptor)
            if failure == 0, hasName(path, descriptor) { return descriptor }
            close(descriptor)
            if failure == EWOULDBLOCK { return nil }
            if failure != 0 { throw SystemError(failure, in: "flock") }
        }
        throw SystemError(EAGAIN, in: "flock")
    }

    /// Where that cannot be seen, it has.
    private static func hasName(_ path: String, _ descriptor: Int32) -> Bool {
        let files = SystemFileSystem()
        do throws(SystemError) {
            return try files.status(at: path).isSameFile(as: files.status(of: FileDescriptor(descriptor)))
        } catch {
            return error.number != ENOENT && error.number != ENOTDIR
        }
    }

    /// Unlocks before it closes: a child that the host is just starting has the descriptor too, until it runs its own program.
    deinit {
        _ = logbook_unlock(descriptor)
        close(descriptor)
    }
}
