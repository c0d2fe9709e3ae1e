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
    private let lineage = ProcessLineage.current

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
            let descriptor = try opened(path)
            whenOpened()
            let failure = logbook_try_lock(descriptor)
            if failure == 0, !hasLost(path, descriptor) { return descriptor }
            close(descriptor)
            if failure == EWOULDBLOCK { return nil }
            if failure != 0 { throw SystemError(failure, in: "flock") }
        }
        throw SystemError(EAGAIN, in: "flock")
    }

    /// Where others may write to the folder, a link, a pipe or a device of theirs may be in its place: that is neither followed nor waited
    /// for, and is no lock.
    private static func opened(_ path: String, _ access: Int32 = O_RDWR | O_CREAT) throws(SystemError) -> Int32 {
        let flags = access | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK
        while true {
            let descriptor = logbook_openat(AT_FDCWD, path, flags, 0o600)
            if descriptor >= 0 { return try regular(descriptor) }
            if errno != EINTR { throw SystemError(errno, in: "openat") }
        }
    }

    /// Closes what is no regular file.
    private static func regular(_ descriptor: Int32) throws(SystemError) -> Int32 {
        do throws(SystemError) {
            if try SystemFileSystem().status(of: FileDescriptor(descriptor)).kind == .regular { return descriptor }
        } catch {
            close(descriptor)
            throw error
        }
        close(descriptor)
        throw SystemError(EINVAL, in: "flock")   // as it fails on BSD for what is no file
    }

    /// Reads what the holder of a lock has written into its file, without locking it.
    /// - Returns: Nil where there is none, or what has its name is no file.
    package static func read<Result>(_ path: String, _ body: (_ descriptor: Int32) -> Result?) -> Result? {
        guard let descriptor = try? opened(path, O_RDONLY) else { return nil }
        defer { close(descriptor) }
        return body(descriptor)
    }

    /// Whether the file has certainly lost its name since: whoever has removed it has let others in.
    package func hasLost(_ path: String) -> Bool { Self.hasLost(path, descriptor) }

    private static func hasLost(_ path: String, _ descriptor: Int32) -> Bool {
        SystemFileSystem().hasLost(path, try? SystemFileSystem().status(of: FileDescriptor(descriptor)))
    }

    /// Unlocks before it closes: a child that the host is just starting has the descriptor too, until it runs its own program. In a forked
    /// child the lock is its parent's, who has it until both have let go.
    deinit {
        if lineage.isCurrent { _ = logbook_unlock(descriptor) }
        close(descriptor)
    }
}
