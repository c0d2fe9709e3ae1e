internal import LogbookCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The folder that log files live in, held open.
struct LogFolder<Files: FileSystem>: Sendable {
    /// Absolute and without symbolic links, so that it means the same after the program changed its working folder.
    let path: String
    let handle: OwnedDescriptor<Files>
    /// Set when others than the owner could swap the files in it.
    let isOpenToOthers: Bool

    var descriptor: FileDescriptor { handle.descriptor }

    /// Opens the folder; makes it, and its parents, where they are missing. What is made is open to this user alone; what
    /// exists keeps its mode.
    init(_ path: String, _ files: Files) throws(FileLogProviderError) {
        // The system would read the path only up to the first zero.
        guard !path.utf8.contains(0) else { throw .cannotOpenFolder(path: path, errno: EINVAL) }
        do {
            let opened: FileDescriptor
            do { opened = try files.openFolder(at: path) } catch  where error.number == ENOENT {
                try Self.make(path, files)
                opened = try files.openFolder(at: path)
            }
            handle = OwnedDescriptor(opened, files)
            self.path = try files.resolvedPath(ofFolder: path)
            let permissions = try files.status(of: opened).permissions
            isOpenToOthers = permissions & 0o022 != 0 && permissions & 0o1000 == 0  // sticky folders protect their files
        } catch { throw .cannotOpenFolder(path: path, errno: error.number) }
    }

    private static func make(_ path: String, _ files: Files) throws(SystemError) {
        var made = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/") {
            made += part + "/"
            do { try files.makeFolder(at: made) } catch  where error.number == EEXIST || error.number == EISDIR {}
        }
    }
}
