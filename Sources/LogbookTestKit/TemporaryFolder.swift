package import LogbookCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A folder of a test's own, removed with everything in it when the test lets go of it.
package final class TemporaryFolder: Sendable {
    /// Absolute, without symbolic links.
    package let path: String
    private let files = SystemFileSystem()

    /// - Parameter inMemory: Where there is such a place: for tests that roll thousands of files, each made safe.
    package init(inMemory: Bool = false) {
        let usual = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        let root = inMemory && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : usual
        var template = Array("\(root)/logbook-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil, let resolved = realpath(template, nil) else {
            preconditionFailure("mkdtemp in \(root) failed with errno \(errno)")
        }
        path = String(cString: resolved)
        free(resolved)
    }

    deinit { Self.remove(path, files) }

    /// The path of something in it.
    package func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

    /// Everything in the folder, sorted.
    package var allNames: [String] { Self.entries(path, files).sorted() }

    /// Names in the folder, sorted; without hidden ones.
    package var names: [String] { allNames.filter { !$0.hasPrefix(".") } }

    /// Everything in a folder of it, sorted; empty when there is none.
    package func names(in name: String) -> [String] { Self.entries(self(name), files).sorted() }

    package func makeFolder(_ name: String) { _ = mkdir(self(name), 0o700) }

    /// The lower bits of the mode, as in `0o600`; nil when there is nothing of that name.
    package func permissions(_ name: String) -> UInt32? {
        var found = stat()
        return stat(self(name), &found) == 0 ? UInt32(found.st_mode & 0o7777) : nil
    }

    /// Everything in a file; empty when there is none.
    package func bytes(_ name: String) -> [UInt8] {
        guard let folder = try? files.openFolder(at: path) else { return [] }
        defer { files.close(folder) }
        guard let file = try? files.openForReading(name, in: folder) else { return [] }
        defer { files.close(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while let count = piece.withUnsafeMutableBytes({ try? files.read(file, into: $0, at: bytes.count) }), count > 0 {
            bytes += piece[..<count]
        }
        return bytes
    }

    package func text(_ name: String) -> String { String(decoding: bytes(name), as: UTF8.self) }

    /// Puts a file in place of what has the name.
    package func write(_ text: String, to name: String) { put(Array(text.utf8), in: name, "w") }
    package func write(_ bytes: [UInt8], to name: String) { put(bytes, in: name, "w") }
    package func append(_ text: String, to name: String) { put(Array(text.utf8), in: name, "a") }

    /// Waits until a program has written something into a file, or has ended.
    package func waitForWords(in name: String, of process: ChildProcess? = nil, by deadline: LogDeadline = .seconds(120)) {
        while bytes(name).isEmpty, process?.end == nil, !deadline.hasPassed { usleep(500) }
    }

    private func put(_ bytes: [UInt8], in name: String, _ mode: String) {
        guard let file = fopen(self(name), mode + "e") else { preconditionFailure("\(self(name)) cannot be written, errno \(errno)") }
        precondition(fwrite(bytes, 1, bytes.count, file) == bytes.count, "\(self(name)) is written only in part, errno \(errno)")
        fclose(file)
        chmod(self(name), 0o600)
    }

    package func status(_ name: String) -> FileStatus? {
        guard let folder = try? files.openFolder(at: path) else { return nil }
        defer { files.close(folder) }
        return try? files.status(of: name, in: folder)
    }

    private static func entries(_ folder: String, _ files: SystemFileSystem) -> [String] {
        guard let handle = try? files.openFolder(at: folder) else { return [] }
        defer { files.close(handle) }
        return (try? files.names(in: handle)) ?? []
    }

    private static func remove(_ path: String, _ files: SystemFileSystem) {
        if unlink(path) == 0 || errno == ENOENT { return }
        for entry in entries(path, files) { remove(path + "/" + entry, files) }
        rmdir(path)
    }
}
