#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Room on the disk that a path is on.
enum FreeSpace {
    /// Bytes that this user may still write there; nil when the system does not say. Where nothing has the path yet, the folder counts in
    /// which it will be made.
    static func bytes(at path: String) -> Int? {
        var facts = statvfs()
        guard statvfs(path, &facts) == 0 else {
            guard errno == ENOENT, path != "/", !path.isEmpty, path != "." else { return nil }
            let parts = path.split(separator: "/").dropLast().joined(separator: "/")
            return bytes(at: path.hasPrefix("/") ? "/" + parts : parts.isEmpty ? "." : parts)
        }
        return Int(clamping: UInt64(facts.f_bavail).multipliedReportingOverflow(by: UInt64(facts.f_frsize)).partialValue)
    }
}
