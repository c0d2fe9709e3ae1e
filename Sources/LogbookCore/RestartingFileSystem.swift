#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A file system whose calls are made again when a signal interrupted them.
package struct RestartingFileSystem<Base: FileSystem>: FileSystem {
    /// How often one call is made again before the interruption counts as a failure.
    private static var maximumRestarts: Int { 100 }
    private let base: Base

    package init(_ base: Base) { self.base = base }

    private func restarting<Result>(_ call: () throws(SystemError) -> Result) throws(SystemError) -> Result {
        for _ in 0..<Self.maximumRestarts {
            do { return try call() } catch  where error.number == EINTR { continue }
        }
        return try call()
    }

    package var user: UInt32 { base.user }

    package func resolvedPath(ofFolder path: String) throws(SystemError) -> String {
        try restarting { () throws(SystemError) in try base.resolvedPath(ofFolder: path) }
    }
    package func makeFolder(at path: String) throws(SystemError) {
        try restarting { () throws(SystemError) in try base.makeFolder(at: path) }
    }
    package func openFolder(at path: String) throws(SystemError) -> FileDescriptor {
        try restarting { () throws(SystemError) in try base.openFolder(at: path) }
    }
    package func redirect(_ descriptor: FileDescriptor, to target: FileDescriptor) throws(SystemError) {
        try restarting { () throws(SystemError) in try base.redirect(descriptor, to: target) }
    }
    package func names(in folder: FileDescriptor) throws(SystemError) -> [String] {
        try restarting { () throws(SystemError) in try base.names(in: folder) }
    }
    package func openForAppending(
        _ name: String, in folder: FileDescriptor, permissions: UInt32
    ) throws(SystemError) -> FileDescriptor {
        try restarting { () throws(SystemError) in
            try base.openForAppending(name, in: folder, permissions: permissions)
        }
    }
    package func openNew(
        _ name: String, in folder: FileDescriptor, permissions: UInt32
    ) throws(SystemError) -> FileDescriptor {
        try restarting { () throws(SystemError) in try base.openNew(name, in: folder, permissions: permissions) }
    }
    package func openForReading(_ name: String, in folder: FileDescriptor) throws(SystemError) -> FileDescriptor {
        try restarting { () throws(SystemError) in try base.openForReading(name, in: folder) }
    }
    package func openForLocking(_ name: String, in folder: FileDescriptor) throws(SystemError) -> FileDescriptor {
        try restarting { () throws(SystemError) in try base.openForLocking(name, in: folder) }
    }
    package func read(
        _ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(SystemError) -> Int {
        try restarting { () throws(SystemError) in try base.read(file, into: buffer, at: offset) }
    }
    package func append(_ bytes: UnsafeRawBufferPointer, to file: FileDescriptor) throws(SystemError) -> Int {
        try restarting { () throws(SystemError) in try base.append(bytes, to: file) }
    }
    package func byte(at offset: Int, of file: FileDescriptor) throws(SystemError) -> UInt8? {
        try restarting { () throws(SystemError) in try base.byte(at: offset, of: file) }
    }
    package func position(of file: FileDescriptor) throws(SystemError) -> Int {
        try restarting { () throws(SystemError) in try base.position(of: file) }
    }
    package func truncate(_ file: FileDescriptor, to bytes: Int) throws(SystemError) {
        try restarting { () throws(SystemError) in try base.truncate(file, to: bytes) }
    }
    package func synchronize(_ file: FileDescriptor) throws(SystemError) {
        try restarting { () throws(SystemError) in try base.synchronize(file) }
    }
    package func synchronizeFolder(_ folder: FileDescriptor) throws(SystemError) {
        try restarting { () throws(SystemError) in try base.synchronizeFolder(folder) }
    }
    package func status(of file: FileDescriptor) throws(SystemError) -> FileStatus {
        try restarting { () throws(SystemError) in try base.status(of: file) }
    }
    package func status(of name: String, in folder: FileDescriptor) throws(SystemError) -> FileStatus {
        try restarting { () throws(SystemError) in try base.status(of: name, in: folder) }
    }
    package func awaitWriters(of file: FileDescriptor) throws(SystemError) {
        try restarting { () throws(SystemError) in try base.awaitWriters(of: file) }
    }
    package func rename(_ name: String, to newName: String, in folder: FileDescriptor) throws(SystemError) {
        try restarting { () throws(SystemError) in try base.rename(name, to: newName, in: folder) }
    }
    package func replace(_ name: String, with newFile: String, in folder: FileDescriptor) throws(SystemError) {
        try restarting { () throws(SystemError) in try base.replace(name, with: newFile, in: folder) }
    }
    package func remove(_ name: String, in folder: FileDescriptor) throws(SystemError) {
        try restarting { () throws(SystemError) in try base.remove(name, in: folder) }
    }
    package func tryLock(_ file: FileDescriptor) throws(SystemError) -> Bool {
        try restarting { () throws(SystemError) in try base.tryLock(file) }
    }
    package func tryLockShared(_ file: FileDescriptor) throws(SystemError) -> Bool {
        try restarting { () throws(SystemError) in try base.tryLockShared(file) }
    }
    package func unlock(_ file: FileDescriptor) { base.unlock(file) }
    /// Never made again: the descriptor is gone even when the call was interrupted.
    package func close(_ descriptor: FileDescriptor) { base.close(descriptor) }
}
