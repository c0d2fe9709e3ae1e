import LogbookCore
import Testing

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

    init() {
        let root = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(root)/logbook-files-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil, let resolved = realpath(template, nil) else { preconditionFailure("mkdtemp failed") }
        path = String(cString: resolved)
        free(resolved)
    }

    deinit { _ = output(of: "rm -rf '\(path)'") }

    /// Names in the folder, sorted; without hidden ones.
    var names: [String] {
        output(of: "ls '\(path)'").split(separator: "\n").map(String.init)
    }

    /// Everything in a file, read by another process.
    func text(_ name: String) -> String { output(of: "cat '\(path)/\(name)'") }

    func lines(_ name: String) -> [String] {
        var lines = text(name).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(lines.popLast() ?? "" == "", "\(name) ends within a line")
        return lines
    }

    /// The lines of all archives and then the active file, in the order of their names.
    func allLines(of name: String = "app") -> [String] {
        let archives = names.filter { $0.hasPrefix(name + "-") }
        return (archives + names.filter { $0 == name + ".log" }).flatMap(lines)
    }

    func archives(of name: String = "app") -> [String] { names.filter { $0.hasPrefix(name + "-") } }

    func write(_ text: String, to name: String) {
        let file = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        precondition(file >= 0)
        var text = text
        text.withUTF8 { _ = writeNumber(file, $0.baseAddress, $0.count) }
        close(file)
    }

    func status(_ name: String) -> FileStatus? {
        let files = SystemFileSystem()
        guard let folder = try? files.openFolder(at: path) else { return nil }
        defer { files.close(folder) }
        return try? files.status(of: name, in: folder)
    }
}

private func writeNumber(_ file: Int32, _ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int { write(file, bytes, count) }

/// What a shell command prints.
@discardableResult
func output(of command: String) -> String {
    guard let stream = popen(command, "r") else { return "" }
    defer { pclose(stream) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
        let count = fread(&buffer, 1, buffer.count, stream)
        if count == 0 { break }
        bytes.append(contentsOf: buffer[..<count])
    }
    return String(decoding: bytes, as: UTF8.self)
}
