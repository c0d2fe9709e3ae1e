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

    /// - Returns: Nil when somebody else holds it.
    package init?(_ path: String) throws(SystemError) {
        let descriptor = logbook_openat(AT_FDCWD, path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor < 0 { throw SystemError(errno, in: "openat") }
        let failure = logbook_try_lock(descriptor)
        guard failure == 0 else {
            close(descriptor)
            if failure == EWOULDBLOCK { return nil }
            throw SystemError(failure, in: "flock")
        }
        self.descriptor = descriptor
    }

    /// Unlocks before it closes: a child that the host is just starting has the descriptor too, until it runs its own program.
    deinit {
        _ = logbook_unlock(descriptor)
        close(descriptor)
    }
}
