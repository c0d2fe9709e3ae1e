public import LogbookCore
public import LogbookFiles
public import LogbookFormat

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A file system in which one call goes wrong, once or from then on: for running a scenario again and again with the fault one
/// call later each time, until nothing of it is left to fail. Calls that all fail from one on leave behind what a kill at that
/// moment would. Or one whose disk is full until you say otherwise: ``fail(_:)``.
public final class FaultyFileSystem: FileSystem {
    public enum Fault: Sendable, Hashable {
        /// The call does nothing and fails with this `errno`, such as `ENOSPC`.
        case failure(Int32)
        /// A write takes half of what it was given; other calls succeed.
        case shortWrite
        /// A write takes half of what it was given, and the next write fails; other calls fail at once.
        case tornWrite(Int32)
        /// The call does what it should, and the answer is lost.
        case lateFailure(Int32)
        /// The process is killed instead of making the call.
        case kill
        /// The process is killed as soon as the call has returned.
        case lateKill
    }

    private struct FileCall: Hashable {
        let name: String
        let call: String
    }

    private struct State {
        var calls: [String] = []
        var counted = 0
        var faults = 0
        var tearsNext = false
        var outage: Int32?
        var descriptors: Set<FileDescriptor> = []
        var names: [FileDescriptor: String] = [:]
        var failures: [FileCall: Int32] = [:]
        var unlisted: Set<String> = []
        var gates: [String: Gate] = [:]
        var locksAsNetworkDoes = false
        var readOnly: Set<FileDescriptor> = []
    }
    private let base = SystemFileSystem()
    private let failing: Int
    private let fault: Fault
    private let lasts: Bool
    private let only: Set<String>?
    private let state = Locked(State())

    /// - Parameters:
    ///   - call: Which call goes wrong, counted from 1; 0 for none.
    ///   - fault: How it goes wrong.
    ///   - lasts: All calls after it go wrong as well.
    ///   - only: Counts and fails only calls of these names, as in ``calls``.
    public init(
        failing call: Int = 0, with fault: Fault = .shortWrite, lasts: Bool = false, only: Set<String>? = nil
    ) {
        failing = call
        self.fault = fault
        self.lasts = lasts
        self.only = only
    }

    /// The names of all calls so far, in order: `append`, `synchronize`, `openForAppending`, `rename` and so on.
    public var calls: [String] { state.withLock { $0.calls } }
    /// How many calls went wrong.
    public var faults: Int { state.withLock { $0.faults } }
    /// Descriptors that were opened and not closed.
    public var openDescriptors: Int { state.withLock { $0.descriptors.count } }

    /// From now on every call that writes or makes something safe fails with this `errno`; nil lets them work again.
    public func fail(_ number: Int32?) { state.withLock { $0.outage = number } }

    /// From now on this call fails for the file of this name, `openForReading`, `openForLocking`, `openForAppending`, `read`,
    /// `status` or `statusOfName`; nil lets it work again.
    public func fail(_ number: Int32?, in call: String, of name: String) {
        state.withLock { $0.failures[FileCall(name: name, call: call)] = number }
    }

    /// From now on every call of this name waits at the gate first.
    public func hold(_ call: String, at gate: Gate) { state.withLock { $0.gates[call] = gate } }

    /// From now on these names are missing where a folder is listed: one that changes meanwhile may be listed so.
    package func leaveOut(_ names: Set<String>) { state.withLock { $0.unlisted = names } }

    /// From now on what was opened for reading alone cannot be locked alone, as on NFS.
    public func lockAsNetworkDoes() { state.withLock { $0.locksAsNetworkDoes = true } }

    private func checkLock(_ file: FileDescriptor) throws(SystemError) {
        if state.withLock({ $0.locksAsNetworkDoes && $0.readOnly.contains(file) }) { throw SystemError(EBADF, in: "tryLock") }
    }

    private static let failing: Set<String> = [
        "append", "truncate", "synchronize", "synchronizeFolder", "makeFolder", "openNew", "openForAppending", "rename", "replace",
    ]

    /// Waits where the call is held, counts it, and fails it where it was told to.
    /// - Returns: Whether it is the one that goes wrong.
    private func begin(_ call: String, of name: String? = nil, writes: Bool = true) throws(SystemError) -> Bool {
        state.withLock { $0.gates[call] }?.wait()
        let (isFaulty, number) = state.withLock { state -> (Bool, Int32?) in
            state.calls.append(call)
            var number = writes && Self.failing.contains(call) ? state.outage : nil
            if let name, let own = state.failures[FileCall(name: name, call: call)] { number = own }
            var isFaulty = false
            if only?.contains(call) ?? true {
                state.counted += 1
                isFaulty = failing > 0 && (lasts ? state.counted >= failing : state.counted == failing)
            }
            if isFaulty || number != nil { state.faults += 1 }
            return (isFaulty, number)
        }
        if let number { throw SystemError(number, in: call) }
        return isFaulty
    }

    private func perform<Result>(
        _ call: String, of name: String? = nil, writes: Bool = true, _ body: () throws(SystemError) -> Result
    ) throws(SystemError) -> Result {
        guard try begin(call, of: name, writes: writes) else { return try body() }
        switch fault {
        case .failure(let number), .tornWrite(let number): throw SystemError(number, in: call)
        case .shortWrite: return try body()
        case .lateFailure(let number):
            _ = try body()
            throw SystemError(number, in: call)
        case .kill: Self.die()
        case .lateKill:
            _ = try? body()
            Self.die()
        }
    }

    private static func die() -> Never {
        _ = kill(getpid(), SIGKILL)
        while true { pause() }
    }

    private func opened(_ descriptor: FileDescriptor, _ name: String? = nil) -> FileDescriptor {
        state.withLock { state in
            state.descriptors.insert(descriptor)
            state.names[descriptor] = name
        }
        return descriptor
    }

    package var user: UInt32 { base.user }

    package func resolvedPath(ofFolder path: String) throws(SystemError) -> String {
        try perform("resolvedPath") { () throws(SystemError) in try base.resolvedPath(ofFolder: path) }
    }
    package func makeFolder(at path: String) throws(SystemError) {
        // A full disk as well says of a folder that is there that it is.
        try perform("makeFolder", writes: !isThere(path)) { () throws(SystemError) in try base.makeFolder(at: path) }
    }
    private func isThere(_ folder: String) -> Bool {
        guard let descriptor = try? base.openFolder(at: folder) else { return false }
        base.close(descriptor)
        return true
    }
    package func openFolder(at path: String) throws(SystemError) -> FileDescriptor {
        try perform("openFolder") { () throws(SystemError) in opened(try base.openFolder(at: path)) }
    }
    package func redirect(_ descriptor: FileDescriptor, to target: FileDescriptor) throws(SystemError) {
        try perform("redirect") { () throws(SystemError) in try base.redirect(descriptor, to: target) }
    }
    package func names(in folder: FileDescriptor) throws(SystemError) -> [String] {
        let unlisted = state.withLock { $0.unlisted }
        return try perform("names") { () throws(SystemError) in try base.names(in: folder).filter { !unlisted.contains($0) } }
    }
    package func openForAppending(
        _ name: String, in folder: FileDescriptor, permissions: UInt32
    ) throws(SystemError) -> FileDescriptor {
        try perform("openForAppending", of: name) { () throws(SystemError) in
            opened(try base.openForAppending(name, in: folder, permissions: permissions), name)
        }
    }
    package func openNew(
        _ name: String, in folder: FileDescriptor, permissions: UInt32
    ) throws(SystemError) -> FileDescriptor {
        try perform("openNew") { () throws(SystemError) in
            opened(try base.openNew(name, in: folder, permissions: permissions))
        }
    }
    package func openForReading(_ name: String, in folder: FileDescriptor) throws(SystemError) -> FileDescriptor {
        try perform("openForReading", of: name) { () throws(SystemError) in
            let file = opened(try base.openForReading(name, in: folder), name)
            state.withLock { _ = $0.readOnly.insert(file) }
            return file
        }
    }
    package func openForLocking(_ name: String, in folder: FileDescriptor) throws(SystemError) -> FileDescriptor {
        try perform("openForLocking", of: name) { () throws(SystemError) in
            opened(try base.openForLocking(name, in: folder), name)
        }
    }
    package func read(
        _ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(SystemError) -> Int {
        try perform("read", of: state.withLock { $0.names[file] }) { () throws(SystemError) in
            try base.read(file, into: buffer, at: offset)
        }
    }
    package func append(_ bytes: UnsafeRawBufferPointer, to file: FileDescriptor) throws(SystemError) -> Int {
        let isFaulty = try begin("append")
        let half = UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)])
        let tears = state.withLock { state in
            defer { state.tearsNext = false }
            return state.tearsNext
        }
        if tears, case .tornWrite(let number) = fault { throw SystemError(number, in: "append") }
        guard isFaulty else { return try base.append(bytes, to: file) }
        switch fault {
        case .shortWrite where half.count > 0: return try base.append(half, to: file)
        case .shortWrite: return try base.append(bytes, to: file)
        case .tornWrite(let number):
            if half.isEmpty { throw SystemError(number, in: "append") }
            state.withLock { $0.tearsNext = true }
            return try base.append(half, to: file)
        case .failure(let number): throw SystemError(number, in: "append")
        case .lateFailure(let number):
            _ = try base.append(bytes, to: file)
            throw SystemError(number, in: "append")
        case .kill: Self.die()
        case .lateKill:
            _ = try? base.append(bytes, to: file)
            Self.die()
        }
    }
    package func byte(at offset: Int, of file: FileDescriptor) throws(SystemError) -> UInt8? {
        try perform("byte") { () throws(SystemError) in try base.byte(at: offset, of: file) }
    }
    package func position(of file: FileDescriptor) throws(SystemError) -> Int {
        try perform("position") { () throws(SystemError) in try base.position(of: file) }
    }
    package func truncate(_ file: FileDescriptor, to bytes: Int) throws(SystemError) {
        try perform("truncate") { () throws(SystemError) in try base.truncate(file, to: bytes) }
    }
    package func synchronize(_ file: FileDescriptor) throws(SystemError) {
        try perform("synchronize") { () throws(SystemError) in try base.synchronize(file) }
    }
    package func synchronizeFolder(_ folder: FileDescriptor) throws(SystemError) {
        try perform("synchronizeFolder") { () throws(SystemError) in try base.synchronizeFolder(folder) }
    }
    package func status(of file: FileDescriptor) throws(SystemError) -> FileStatus {
        try perform("status", of: state.withLock { $0.names[file] }) { () throws(SystemError) in try base.status(of: file) }
    }
    package func status(of name: String, in folder: FileDescriptor) throws(SystemError) -> FileStatus {
        try perform("statusOfName", of: name) { () throws(SystemError) in try base.status(of: name, in: folder) }
    }
    package func awaitWriters(of file: FileDescriptor) throws(SystemError) {
        try perform("awaitWriters") { () throws(SystemError) in try base.awaitWriters(of: file) }
    }
    package func rename(_ name: String, to newName: String, in folder: FileDescriptor) throws(SystemError) {
        try perform("rename") { () throws(SystemError) in try base.rename(name, to: newName, in: folder) }
    }
    package func replace(_ name: String, with newFile: String, in folder: FileDescriptor) throws(SystemError) {
        try perform("replace") { () throws(SystemError) in try base.replace(name, with: newFile, in: folder) }
    }
    package func remove(_ name: String, in folder: FileDescriptor) throws(SystemError) {
        try perform("remove") { () throws(SystemError) in try base.remove(name, in: folder) }
    }
    package func tryLock(_ file: FileDescriptor) throws(SystemError) -> Bool {
        try checkLock(file)
        return try perform("tryLock") { () throws(SystemError) in try base.tryLock(file) }
    }
    package func tryLockShared(_ file: FileDescriptor) throws(SystemError) -> Bool {
        try perform("tryLockShared") { () throws(SystemError) in try base.tryLockShared(file) }
    }
    package func unlock(_ file: FileDescriptor) { base.unlock(file) }
    package func close(_ descriptor: FileDescriptor) {
        state.withLock { state in
            state.descriptors.remove(descriptor)
            state.readOnly.remove(descriptor)
        }
        base.close(descriptor)
    }
}

extension FileLogProvider {
    /// A provider whose disk fails as a test says, and whose clock may be one that is turned by hand: what it does with a disk that is full,
    /// or with a `fsync` that fails, is what your program will see there. The rest is as in
    /// ``init(in:name:format:header:rolling:durability:onArchive:)``.
    public convenience init(
        in folder: String, on disk: FaultyFileSystem, clock: LogClock = .system, name: String = "app", format: some LogFormat = .text,
        header: String = "", rolling: RollingPolicy = RollingPolicy(), durability: FileDurability = .process,
        onArchive: (@Sendable (LogArchiveEvent) -> Void)? = nil
    ) throws(FileLogProviderError) {
        try self.init(
            in: folder, name: name, format: format, header: header, rolling: rolling, durability: durability, files: disk, clock: clock,
            onArchive: onArchive)
    }
}
