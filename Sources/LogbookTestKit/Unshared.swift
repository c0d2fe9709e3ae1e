internal import CLogbookSystem
#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Sockets and pipes that no program inherits which another test starts meanwhile.
package enum Unshared {
    /// - Returns: -1 when there is none, and `errno` says why; so does ``accept(_:)``.
    package static func socket(_ family: Int32, isStream: Bool = true) -> Int32 {
        #if canImport(Glibc)
            let kind = Int32((isStream ? SOCK_STREAM : SOCK_DGRAM).rawValue)
        #else
            let kind = isStream ? SOCK_STREAM : SOCK_DGRAM
        #endif
        return logbook_socket(family, kind, 0)
    }

    package static func accept(_ listener: Int32) -> Int32 { logbook_accept(listener) }

    /// - Returns: Where to read, and where to write.
    package static func pipe() -> [Int32] {
        var ends: [Int32] = [-1, -1]
        if logbook_pipe(&ends) != 0 { preconditionFailure("there is no pipe, errno \(errno)") }
        return ends
    }
}
