import LogbookCore
import Testing

@testable import LogbookFiles

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A folder of a test's own, removed with everything in it when the test lets go of it.
final class TemporaryFolder: Sendable {
    let path: String

    /// - Parameter inMemory: Where there is such a place: for tests that roll thousands of files, each made safe.
    init(inMemory: Bool = false) {
        let usual = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        let root = inMemory && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : usual
        var template = Array("\(root)/logbook-files-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil, let resolved = realpath(template, nil) else {
            preconditionFailure("mkdtemp failed")
        }
        path = String(cString: resolved)
        free(resolved)
    }

    deinit { remove(path) }

    /// Names in the folder, sorted; without hidden ones.
    var names: [String] { entries(path).filter { !$0.hasPrefix(".") }.sorted() }

    /// Everything in a file; empty when there is none.
    func text(_ name: String) -> String {
        guard let file = fopen("\(path)/\(name)", "r") else { return "" }
        defer { fclose(file) }
        return String(decoding: bytes(of: file), as: UTF8.self)
    }

    /// - Parameter mayBeTorn: The last line may lack its end.
    func lines(_ name: String, mayBeTorn: Bool = false) -> [String] {
        var lines = text(name).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() } else { #expect(mayBeTorn, "\(name) ends within a line") }
        return lines
    }

    /// The lines of all archives and then the active file, in the order of their names.
    func allLines(of name: String = "app", mayBeTorn: Bool = false) -> [String] {
        (archives(of: name) + names.filter { $0 == name + ".log" }).flatMap { lines($0, mayBeTorn: mayBeTorn) }
    }

    func archives(of name: String = "app") -> [String] {
        guard let name = try? LogFileName(name) else { return [] }
        return names.filter { ArchiveName($0, of: name) != nil && status($0)?.kind == .regular }
    }

    func write(_ text: String, to name: String) {
        let file = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        precondition(file >= 0)
        say(text, to: file)
        close(file)
    }

    func status(_ name: String) -> FileStatus? {
        let files = SystemFileSystem()
        guard let folder = try? files.openFolder(at: path) else { return nil }
        defer { files.close(folder) }
        return try? files.status(of: name, in: folder)
    }
}

/// Writes to a descriptor, past everything that buffers.
func say(_ text: String, to number: Int32 = 1) {
    var text = text
    text.withUTF8 { _ = write(number, $0.baseAddress, $0.count) }
}

/// What a shell command prints.
@discardableResult
func output(of command: String) -> String {
    guard let stream = popen(command, "r") else { return "" }
    defer { pclose(stream) }
    return String(decoding: bytes(of: stream), as: UTF8.self)
}

private func bytes(of stream: UnsafeMutablePointer<FILE>) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
        let count = fread(&buffer, 1, buffer.count, stream)
        if count == 0 { return bytes }
        bytes.append(contentsOf: buffer[..<count])
    }
}

private func entries(_ folder: String) -> [String] {
    let files = SystemFileSystem()
    guard let handle = try? files.openFolder(at: folder) else { return [] }
    defer { files.close(handle) }
    return (try? files.names(in: handle)) ?? []
}

private func remove(_ path: String) {
    if unlink(path) == 0 || errno == ENOENT { return }
    for entry in entries(path) { remove(path + "/" + entry) }
    rmdir(path)
}
