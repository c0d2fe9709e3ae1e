/// Everything the library asks of a file system, so that a test can make the k-th request fail.
///
/// Names are looked up in an open folder: whoever swaps a parent folder meanwhile cannot redirect a call. Code that writes
/// files is generic over this protocol, so the calls cost what the system calls cost.
package protocol FileSystem: Sendable {
    /// The user that new files will belong to.
    var user: UInt32 { get }

    /// The folder's absolute path without symbolic links.
    func resolvedPath(ofFolder path: String) throws(SystemError) -> String
    /// Makes one folder, open to its owner alone.
    func makeFolder(at path: String) throws(SystemError)
    func openFolder(at path: String) throws(SystemError) -> FileDescriptor
    /// From now on the one descriptor means what the other does, for everybody who uses it.
    func redirect(_ descriptor: FileDescriptor, to target: FileDescriptor) throws(SystemError)
    func names(in folder: FileDescriptor) throws(SystemError) -> [String]

    /// Opens or makes a file so that every write goes to its end. Follows no symbolic link, waits for no other side of a pipe,
    /// and a child process does not inherit it.
    func openForAppending(
        _ name: String, in folder: FileDescriptor, permissions: UInt32
    ) throws(SystemError) -> FileDescriptor
    /// Makes a file that must not exist yet, to be appended to.
    /// - Throws: `EEXIST` when the name is taken.
    func openNew(_ name: String, in folder: FileDescriptor, permissions: UInt32) throws(SystemError) -> FileDescriptor
    /// Opens a file that exists, under the same rules, to read it.
    func openForReading(_ name: String, in folder: FileDescriptor) throws(SystemError) -> FileDescriptor
    /// Opens a file that exists, under the same rules, to lock it alone and to read it: for writing too where that is allowed,
    /// because on NFS nothing else can be locked so.
    func openForLocking(_ name: String, in folder: FileDescriptor) throws(SystemError) -> FileDescriptor
    /// - Returns: How many bytes were taken, which may be fewer than given.
    func append(_ bytes: UnsafeRawBufferPointer, to file: FileDescriptor) throws(SystemError) -> Int
    /// The byte at an offset; nil at or after the end.
    func byte(at offset: Int, of file: FileDescriptor) throws(SystemError) -> UInt8?
    /// Reads from an offset.
    /// - Returns: How many bytes were read; 0 at or after the end.
    func read(
        _ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(SystemError) -> Int
    /// The end of the latest write through this descriptor.
    func position(of file: FileDescriptor) throws(SystemError) -> Int
    func truncate(_ file: FileDescriptor, to bytes: Int) throws(SystemError)

    /// Returns when the file's bytes survive a crash of the machine.
    func synchronize(_ file: FileDescriptor) throws(SystemError)
    /// Returns when the folder's names survive a crash of the machine.
    func synchronizeFolder(_ folder: FileDescriptor) throws(SystemError)

    func status(of file: FileDescriptor) throws(SystemError) -> FileStatus
    /// Of the name itself, also when it is a symbolic link.
    func status(of name: String, in folder: FileDescriptor) throws(SystemError) -> FileStatus

    /// Returns once every write that was under way on the file has ended.
    func awaitWriters(of file: FileDescriptor) throws(SystemError)

    /// Never replaces anything.
    /// - Throws: `EEXIST` when `newName` is taken.
    func rename(_ name: String, to newName: String, in folder: FileDescriptor) throws(SystemError)
    /// Gives a file another name, in place of what had it.
    func replace(_ name: String, with newFile: String, in folder: FileDescriptor) throws(SystemError)
    func remove(_ name: String, in folder: FileDescriptor) throws(SystemError)

    /// Takes an advisory lock that ends with ``unlock(_:)`` or the process.
    /// - Returns: False when someone else holds it.
    func tryLock(_ file: FileDescriptor) throws(SystemError) -> Bool
    /// Takes the same lock beside others that take it this way.
    /// - Returns: False when someone else holds it alone.
    func tryLockShared(_ file: FileDescriptor) throws(SystemError) -> Bool
    /// Closing is not enough: a child that was forked meanwhile keeps the lock until it starts its own program.
    func unlock(_ file: FileDescriptor)

    func close(_ descriptor: FileDescriptor)
}

/// The number of an open file or folder.
package struct FileDescriptor: Sendable, Hashable {
    package let number: Int32
    package init(_ number: Int32) { self.number = number }
}
