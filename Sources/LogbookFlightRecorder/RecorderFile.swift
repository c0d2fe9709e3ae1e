internal import CLogbookSystem
internal import LogbookCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A file that outlives the process: opened so that nobody can put another one in its place, and held by one writer at a time.
struct RecorderFile: Sendable {
    enum Purpose { case reading, writing }

    enum Failure: Error, Equatable {
        case cannotOpen(errno: Int32)
        case notARegularFile
        case ownedBySomeoneElse(user: UInt32)
        case hasSeveralNames
        case tooLarge
        case inUse
        case cannotMakeRoom(bytes: Int, errno: Int32)
    }

    let descriptor: FileDescriptor
    private let purpose: Purpose
    private let maximumBytes: Int
    private static let files = RestartingFileSystem(SystemFileSystem())

    /// - Parameter maximumBytes: What is larger is none of ours.
    init(_ path: String, for purpose: Purpose, maximumBytes: Int) throws(Failure) {
        self.purpose = purpose
        self.maximumBytes = maximumBytes
        guard !path.utf8.contains(0) else { throw .cannotOpen(errno: EINVAL) }
        let files = Self.files
        do { descriptor = try Self.open(path, for: purpose) } catch {
            if error.number == ELOOP { throw .notARegularFile }
            throw .cannotOpen(errno: error.number)
        }
        do throws(Failure) {
            try Self.check(descriptor, maximumBytes: maximumBytes)
            if purpose == .writing { try Self.lock(descriptor) }
        } catch {
            files.close(descriptor)
            throw error
        }
    }

    private static func open(_ path: String, for purpose: Purpose) throws(SystemError) -> FileDescriptor {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard let name = parts.last, !name.isEmpty else { throw SystemError(EISDIR, in: "openat") }
        let parents = parts.dropLast().joined(separator: "/")
        let folder = try files.openFolder(at: parts.count == 1 ? "." : parents.isEmpty ? "/" : parents)
        defer { files.close(folder) }
        if purpose == .writing { return try files.openForAppending(String(name), in: folder, permissions: 0o600) }
        let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK
        let opened = logbook_openat(folder.number, String(name), flags, 0)
        if opened < 0 { throw SystemError(errno, in: "openat") }
        return FileDescriptor(opened)
    }

    private static func check(_ descriptor: FileDescriptor, maximumBytes: Int) throws(Failure) {
        let status: FileStatus
        do { status = try files.status(of: descriptor) } catch { throw .cannotOpen(errno: error.number) }
        guard status.kind == .regular else { throw .notARegularFile }
        guard status.owner == files.user else { throw .ownedBySomeoneElse(user: status.owner) }
        guard status.links == 1 else { throw .hasSeveralNames }
        guard status.bytes <= maximumBytes else { throw .tooLarge }
    }

    private static func lock(_ descriptor: FileDescriptor) throws(Failure) {
        let isOurs: Bool
        do { isOurs = try files.tryLock(descriptor) } catch { throw .cannotOpen(errno: error.number) }
        guard isOurs else { throw .inUse }
    }

    func content() throws(Failure) -> [UInt8] {
        var content: [UInt8] = []
        if let status = try? Self.files.status(of: descriptor) { content.reserveCapacity(min(status.bytes, maximumBytes)) }
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while content.count <= maximumBytes {
            let count = pread(descriptor.number, &piece, piece.count, off_t(content.count))
            if count == 0 { break }
            if count < 0 {
                if errno == EINTR { continue }
                throw .cannotOpen(errno: errno)
            }
            content.append(contentsOf: piece[..<count])
        }
        return content
    }

    /// Maps the whole file, with room on the disk for every byte of it: a mapping without would end the program when it is full.
    /// - Parameters:
    ///   - anew: Throws away what is there.
    ///   - preallocate: Makes the room, where it is not there already, and returns an error number.
    func map(
        _ bytes: Int, anew: Bool, preallocate: (Int32, Int64) -> Int32 = logbook_preallocate
    ) throws(Failure) -> UnsafeMutableRawPointer {
        if anew {
            do { try Self.files.truncate(descriptor, to: 0) } catch { throw .cannotOpen(errno: error.number) }
        }
        // Where the file system cannot make room, the C library does it by writing, and not into a file that only grows at its end.
        let flags = fcntl(descriptor.number, F_GETFL)
        if flags >= 0 { _ = fcntl(descriptor.number, F_SETFL, flags & ~O_APPEND) }
        // Asked to make room that is there already, XFS refuses when the disk is full.
        var failure = !anew && (writtenByCalls != nil || hasRoom(bytes)) ? 0 : preallocate(descriptor.number, Int64(bytes))
        if failure == 0 {
            let base = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor.number, 0)
            if let base, base != UnsafeMutableRawPointer(bitPattern: -1) { return base }
            failure = errno
        }
        if anew { giveRoomBack() }
        throw .cannotMakeRoom(bytes: bytes, errno: failure)
    }

    private func hasRoom(_ bytes: Int) -> Bool {
        var found = stat()
        return fstat(descriptor.number, &found) == 0 && Int(found.st_size) >= bytes && Int(found.st_blocks) * 512 >= bytes
    }

    /// Empties the file: a ring that was not begun would keep what it took of a full disk.
    func giveRoomBack() { try? Self.files.truncate(descriptor, to: 0) }

    /// What is to be written to by system calls and not through the mapping; nil where the mapping has its room.
    var writtenByCalls: FileDescriptor? { Self.writesElsewhere(logbook_file_system(descriptor.number)) ? descriptor : nil }

    /// Whether a file system may put what replaces a block somewhere else. No room that was made ahead is any good there: on a full disk
    /// a store into the mapping ends the program, where a call says that there is none.
    static func writesElsewhere(_ fileSystem: UInt32) -> Bool {
        switch fileSystem {
        case 0x9123_683E: true   // btrfs
        case 0x2FC1_2FC1: true   // ZFS
        case 0xCA45_1A4E: true   // bcachefs
        case 0x794C_7630: true   // overlayfs, as in a container: it does not say on which of them it lies
        default: false
        }
    }

    static func unmap(_ base: UnsafeMutableRawPointer, _ bytes: Int) { munmap(base, bytes) }

    /// - Parameter keepingLock: In a forked child, where the lock is the parent's.
    func close(keepingLock: Bool = false) {
        if purpose == .writing && !keepingLock { Self.files.unlock(descriptor) }
        Self.files.close(descriptor)
    }
}
