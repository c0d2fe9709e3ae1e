#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// What the number 2 led to at one moment: a program that closes its standard streams may find the number again at a file of its own.
struct StandardError: Sendable {
    private let original: FileStatus?

    init() { original = Self.status }

    private static var status: FileStatus? { try? SystemFileSystem().status(of: FileDescriptor(2)) }

    /// Whether it leads there still, or to what a program makes its standard error on purpose: a device, such as a terminal, or a file that
    /// is only added to. A socket, a pipe or any other file may be one that it has opened for something else.
    var isStillThere: Bool {
        guard let status = Self.status else { return false }
        if let original, status.isSameFile(as: original) { return true }
        switch status.kind {
        case .regular: return fcntl(2, F_GETFL) & (O_APPEND | O_ACCMODE) == O_APPEND | O_WRONLY
        case .other: return Self.isCharacterDevice
        case .folder, .symbolicLink: return false
        }
    }

    private static var isCharacterDevice: Bool {
        var facts = stat()
        return fstat(2, &facts) == 0 && facts.st_mode & S_IFMT == S_IFCHR
    }
}
