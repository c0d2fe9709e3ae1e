#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Room on the disk that a path is on.
enum FreeSpace {
    /// Bytes that this user may still write there; nil when the system does not say.
    static func bytes(at path: String) -> Int? {
        var facts = statvfs()
        guard statvfs(path, &facts) == 0 else { return nil }
        return Int(clamping: UInt64(facts.f_bavail).multipliedReportingOverflow(by: UInt64(facts.f_frsize)).partialValue)
    }
}
