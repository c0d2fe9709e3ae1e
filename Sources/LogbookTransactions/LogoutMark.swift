#if Transactions
internal import GRDB
internal import LogbookCore
#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// What another process had stored in its lane when somebody logged out here, and does not belong to whoever uses the program next.
///
/// It stands beside the lane as `<lane>.logout`, such as `logbook logout 3 17`: whoever opens the lane next gives that up first. By keys
/// and not by times: those are the caller's clock's, which may be set back.
struct LogoutMark: Equatable {
    /// Entries of earlier epochs, and those of this one up to the sequence.
    var epoch: Int64
    var sequence: Int64

    /// All that there is.
    static let everything = LogoutMark(epoch: .max, sequence: .max)

    private static let word = "logbook logout "

    private var line: String { "\(Self.word)\(epoch) \(sequence)\n" }

    private init?(line: String) {
        guard line.hasPrefix(Self.word), line.hasSuffix("\n") else { return nil }
        let numbers = line.dropFirst(Self.word.count).dropLast().split(separator: " ").map { Int64($0) }
        guard numbers.count == 2, let epoch = numbers[0], let sequence = numbers[1] else { return nil }
        self.init(epoch: epoch, sequence: sequence)
    }

    init(epoch: Int64, sequence: Int64) { (self.epoch, self.sequence) = (epoch, sequence) }

    static func path(of lane: String) -> String { lane + ".logout" }

    /// What is in a lane that another process writes to. Where that cannot be read, all that the process has stored or will; nil where
    /// there never was a store.
    static func current(in lane: String) -> LogoutMark? {
        var configuration = Configuration()
        configuration.readonly = true
        let found = try? DatabaseQueue(path: lane, configuration: configuration).read { db in
            try Row.fetchOne(
                db,
                sql: "SELECT epoch, ifnull((SELECT max(sequence) FROM txn_log WHERE txn_log.epoch = meta.epoch), 0) FROM meta")
        }
        if let epoch = found?.integer(0), let sequence = found?.integer(1) { return LogoutMark(epoch: epoch, sequence: sequence) }
        return StoreFile.identityInLock(of: lane).map { LogoutMark(epoch: $0.epoch, sequence: .max) }
    }

    /// Makes it survive a crash of the machine.
    func leave(for lane: String) throws(TransactionStoreError) {
        let path = Self.path(of: lane), new = path + ".new", files = RestartingFileSystem(SystemFileSystem())
        let slash = path.lastIndex(of: "/")
        func name(_ path: String) -> String { String(path[(slash.map { path.index(after: $0) } ?? path.startIndex)...]) }
        do throws(SystemError) {
            let folder = try files.openFolder(at: slash.map { String(path[...$0]) } ?? ".")
            defer { files.close(folder) }
            try? files.remove(name(new), in: folder)
            let file = try files.openNew(name(new), in: folder, permissions: 0o600)
            defer { files.close(file) }
            let bytes = Array(line.utf8)
            let count = try bytes.withUnsafeBufferPointer { bytes throws(SystemError) in
                try files.append(UnsafeRawBufferPointer(bytes), to: file)
            }
            if count < bytes.count { throw SystemError(ENOSPC, in: "write") }
            try files.synchronize(file)
            try files.replace(name(path), with: name(new), in: folder)
            try files.synchronizeFolder(folder)
        } catch {
            throw .cannotOpen(path: path, reason: StoreFile.reason(error.number))
        }
    }

    /// Nil where none was left; everything, where what stands there says nothing.
    static func left(for lane: String) -> LogoutMark? {
        let path = path(of: lane)
        guard access(path, F_OK) == 0 else { return nil }
        guard let file = fopen(path, "re") else { return .everything }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = fread(&bytes, 1, bytes.count, file)
        return LogoutMark(line: String(decoding: bytes[..<count], as: UTF8.self)) ?? .everything
    }

    /// Where this fails it is heeded once more, which gives up nothing else.
    static func forget(for lane: String) { unlink(path(of: lane)) }
}
#endif
