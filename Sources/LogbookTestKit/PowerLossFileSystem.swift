package import LogbookCore

/// A file system that writes down what is changed on it, and tells what a loss of power at any moment may leave of it: for asking of every
/// such state whether what was acknowledged is there.
///
/// It is as unkind as systems are allowed to be. Of a file that nobody has made safe since, any number of the last bytes are missing, or
/// are zeros; a new name, a new place for an old one and a removal are there once their folder was made safe, and whatever is not safe may
/// be there as well, in the order in which it was done in that folder. What one file has does not say what another has.
package final class PowerLossFileSystem: FileSystem {
    /// What a disk holds: the bytes of each file by its path.
    package typealias Remains = [String: [UInt8]]

    private enum Change {
        case made(String, Int)
        case renamed(String, String)
        case removed(String)
        case appended(Int, [UInt8])
        case truncated(Int, Int)
        case fileIsSafe(Int)
        case folderIsSafe(String)
    }

    private struct State {
        var changes: [Change] = []
        var folders: [FileDescriptor: String] = [:]
        var files: [FileDescriptor: Int] = [:]
        var numbers: [String: Int] = [:]   // of those that have a name
        var made = 0
    }
    private let base = SystemFileSystem()
    private let state = Locked(State())

    package init() {}

    /// How many changes there were so far.
    package var changes: Int { state.withLock { $0.changes.count } }

    // MARK: What is left

    /// What one inode or folder may look like: how far it is surely there, and how far it may be.
    private struct Content {
        var safe: [UInt8] = [], now: [UInt8] = []
    }
    private struct Folder {
        var safe: [String: Int] = [:], since: [Change] = []
    }

    /// What a loss of power after so many changes may leave: nothing but what is safe, all there was, and so many states in between.
    /// Each once.
    package func remains(after count: Int, between: Int, _ random: LogRandomness) -> Set<Remains> {
        var contents: [Int: Content] = [:], folders: [String: Folder] = [:]
        for change in state.withLock({ $0.changes }).prefix(count) {
            switch change {
            case .made(let path, let number):
                contents[number] = Content()
                folders[Self.folder(of: path), default: Folder()].since.append(change)
            case .renamed(let path, _), .removed(let path): folders[Self.folder(of: path), default: Folder()].since.append(change)
            case .appended(let number, let bytes): contents[number, default: Content()].now += bytes
            case .truncated(let number, let length):
                let content = contents[number] ?? Content()
                contents[number] = Content(safe: content.safe, now: Array(content.now.prefix(length)))
            case .fileIsSafe(let number): contents[number, default: Content()].safe = contents[number]!.now
            case .folderIsSafe(let path):
                var folder = folders[path] ?? Folder()
                folder.since.forEach { Self.apply($0, to: &folder.safe) }
                folder.since = []
                folders[path] = folder
            }
        }
        func upTo(_ limit: Int) -> Int { limit == 0 ? 0 : Int(random.next() % UInt64(limit + 1)) }
        func remains(names: (Int) -> Int, bytes: (Content) -> [UInt8]) -> Remains {
            var remains: Remains = [:]
            for path in folders.keys.sorted() {
                var entries = folders[path]!.safe
                folders[path]!.since.prefix(names(folders[path]!.since.count)).forEach { Self.apply($0, to: &entries) }
                for (name, number) in entries.sorted(by: { $0.key < $1.key }) { remains[name] = bytes(contents[number]!) }
            }
            return remains
        }
        let between = (0..<between).map { _ in remains(names: upTo) { Self.some($0, upTo, zeros: random.next() % 4 == 0) } }
        let extremes = [
            remains(names: { _ in 0 }, bytes: { $0.safe }), remains(names: { $0 }, bytes: { $0.now }),
            remains(names: { $0 }, bytes: { $0.safe }), remains(names: { _ in 0 }, bytes: { $0.now }),
        ]
        return Set(extremes + between)
    }

    private static func some(_ content: Content, _ upTo: (Int) -> Int, zeros: Bool) -> [UInt8] {
        guard content.now.starts(with: content.safe) else { return upTo(1) == 0 ? content.safe : content.now }
        let kept = content.safe.count + upTo(content.now.count - content.safe.count)
        let bytes = Array(content.now[..<kept])
        return zeros ? bytes + [UInt8](repeating: 0, count: content.now.count - kept) : bytes
    }

    private static func apply(_ change: Change, to entries: inout [String: Int]) {
        switch change {
        case .made(let path, let number): entries[path] = number
        case .renamed(let path, let newPath): entries[newPath] = entries.removeValue(forKey: path)
        case .removed(let path): entries[path] = nil
        case .appended, .truncated, .fileIsSafe, .folderIsSafe: break
        }
    }

    private static func folder(of path: String) -> String { String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) }

    // MARK: What changes

    private func path(_ name: String, _ folder: FileDescriptor) -> String { state.withLock { ($0.folders[folder] ?? "?") + "/" + name } }

    private func opened(_ file: FileDescriptor, _ path: String, isNew: Bool) -> FileDescriptor {
        state.withLock { state in
            if isNew || state.numbers[path] == nil {
                state.made += 1
                state.numbers[path] = state.made
                state.changes.append(.made(path, state.made))
            }
            state.files[file] = state.numbers[path]
        }
        return file
    }

    private func move(_ name: String, to newName: String, in folder: FileDescriptor) {
        let old = path(name, folder), new = path(newName, folder)
        state.withLock { state in
            state.numbers[new] = state.numbers.removeValue(forKey: old)
            state.changes.append(.renamed(old, new))
        }
    }

    private func note(_ file: FileDescriptor, _ change: (Int) -> Change) {
        state.withLock { state in
            if let number = state.files[file] { state.changes.append(change(number)) }
        }
    }

    package func openFolder(at path: String) throws(SystemError) -> FileDescriptor {
        let folder = try base.openFolder(at: path)
        state.withLock { $0.folders[folder] = path }
        return folder
    }
    package func redirect(_ descriptor: FileDescriptor, to target: FileDescriptor) throws(SystemError) {
        try base.redirect(descriptor, to: target)
        state.withLock { state in
            state.folders[descriptor] = state.folders[target]
            state.files[descriptor] = state.files[target]
        }
    }
    package func openForAppending(
        _ name: String, in folder: FileDescriptor, permissions: UInt32
    ) throws(SystemError) -> FileDescriptor {
        opened(try base.openForAppending(name, in: folder, permissions: permissions), path(name, folder), isNew: false)
    }
    package func openNew(_ name: String, in folder: FileDescriptor, permissions: UInt32) throws(SystemError) -> FileDescriptor {
        opened(try base.openNew(name, in: folder, permissions: permissions), path(name, folder), isNew: true)
    }
    package func openForReading(_ name: String, in folder: FileDescriptor) throws(SystemError) -> FileDescriptor {
        opened(try base.openForReading(name, in: folder), path(name, folder), isNew: false)
    }
    package func openForLocking(_ name: String, in folder: FileDescriptor) throws(SystemError) -> FileDescriptor {
        opened(try base.openForLocking(name, in: folder), path(name, folder), isNew: false)
    }
    package func append(_ bytes: UnsafeRawBufferPointer, to file: FileDescriptor) throws(SystemError) -> Int {
        let count = try base.append(bytes, to: file)
        note(file) { .appended($0, Array(bytes.prefix(count))) }
        return count
    }
    package func truncate(_ file: FileDescriptor, to bytes: Int) throws(SystemError) {
        try base.truncate(file, to: bytes)
        note(file) { .truncated($0, bytes) }
    }
    package func synchronize(_ file: FileDescriptor) throws(SystemError) {
        try base.synchronize(file)
        note(file) { .fileIsSafe($0) }
    }
    package func synchronizeFolder(_ folder: FileDescriptor) throws(SystemError) {
        try base.synchronizeFolder(folder)
        state.withLock { $0.changes.append(.folderIsSafe($0.folders[folder] ?? "?")) }
    }
    package func rename(_ name: String, to newName: String, in folder: FileDescriptor) throws(SystemError) {
        try base.rename(name, to: newName, in: folder)
        move(name, to: newName, in: folder)
    }
    package func replace(_ name: String, with newFile: String, in folder: FileDescriptor) throws(SystemError) {
        try base.replace(name, with: newFile, in: folder)
        move(newFile, to: name, in: folder)
    }
    package func remove(_ name: String, in folder: FileDescriptor) throws(SystemError) {
        try base.remove(name, in: folder)
        let path = path(name, folder)
        state.withLock { state in
            state.numbers[path] = nil
            state.changes.append(.removed(path))
        }
    }
    package func close(_ descriptor: FileDescriptor) {
        state.withLock { state in
            state.files[descriptor] = nil
            state.folders[descriptor] = nil
        }
        base.close(descriptor)
    }

    // MARK: What changes nothing that is asked here

    package var user: UInt32 { base.user }
    package func resolvedPath(ofFolder path: String) throws(SystemError) -> String { try base.resolvedPath(ofFolder: path) }
    package func makeFolder(at path: String) throws(SystemError) { try base.makeFolder(at: path) }
    package func names(in folder: FileDescriptor) throws(SystemError) -> [String] { try base.names(in: folder) }
    package func byte(at offset: Int, of file: FileDescriptor) throws(SystemError) -> UInt8? { try base.byte(at: offset, of: file) }
    package func read(
        _ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(SystemError) -> Int { try base.read(file, into: buffer, at: offset) }
    package func position(of file: FileDescriptor) throws(SystemError) -> Int { try base.position(of: file) }
    package func status(of file: FileDescriptor) throws(SystemError) -> FileStatus { try base.status(of: file) }
    package func status(of name: String, in folder: FileDescriptor) throws(SystemError) -> FileStatus {
        try base.status(of: name, in: folder)
    }
    package func awaitWriters(of file: FileDescriptor) throws(SystemError) { try base.awaitWriters(of: file) }
    package func tryLock(_ file: FileDescriptor) throws(SystemError) -> Bool { try base.tryLock(file) }
    package func tryLockShared(_ file: FileDescriptor) throws(SystemError) -> Bool { try base.tryLockShared(file) }
    package func unlock(_ file: FileDescriptor) { base.unlock(file) }
}

extension TemporaryFolder {
    /// Has what a loss of power has left of another folder.
    package convenience init(_ remains: PowerLossFileSystem.Remains, of other: TemporaryFolder) {
        self.init(inMemory: true)
        for (path, bytes) in remains {
            precondition(path.hasPrefix(other.path + "/"), "\(path) is elsewhere")
            let parts = path.dropFirst(other.path.count + 1).split(separator: "/")
            for end in parts.indices.dropFirst() { makeFolder(parts[..<end].joined(separator: "/")) }
            write(bytes, to: parts.joined(separator: "/"))
        }
    }
}
