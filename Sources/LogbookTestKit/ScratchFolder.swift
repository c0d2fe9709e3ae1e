#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A folder of a test's own, removed with everything in it when it is let go. Names are relative to it.
package final class ScratchFolder: Sendable {
    package let path: String

    package init() {
        var template = Array("/tmp/logbook-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil, "the machine gives no temporary folder")
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { Self.remove(path) }

    private static func remove(_ path: String) {
        for name in entries(path) {
            if unlink(path + "/" + name) != 0 { remove(path + "/" + name) }
        }
        rmdir(path)
    }

    private static func entries(_ path: String) -> [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }

    /// In order.
    package func names(_ folder: String = ".") -> [String] { Self.entries(path + "/" + folder).sorted() }

    /// Nil when there is no such file.
    package func bytes(_ name: String) -> [UInt8]? {
        let descriptor = open(path + "/" + name, O_RDONLY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = [], piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(descriptor, &piece, piece.count)
            guard count > 0 else { return count == 0 ? bytes : nil }
            bytes += piece[..<count]
        }
    }

    package func text(_ name: String) -> String? { bytes(name).map { String(decoding: $0, as: UTF8.self) } }

    package func write(_ name: String, _ bytes: [UInt8]) {
        let descriptor = open(path + "/" + name, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        defer { close(descriptor) }
        precondition(bytes.isEmpty || writeAll(descriptor, bytes) == bytes.count, "a test's file cannot be written")
    }

    package func write(_ name: String, _ text: String) { write(name, Array(text.utf8)) }

    package func makeFolder(_ name: String) { _ = mkdir(path + "/" + name, 0o700) }

    package func remove(_ name: String) { _ = unlink(path + "/" + name) }

    /// The lower bits of the mode: `0o600`.
    package func permissions(_ name: String) -> UInt32? {
        var found = stat()
        return stat(path + "/" + name, &found) == 0 ? UInt32(found.st_mode & 0o7777) : nil
    }
}

/// write(2), which the type's own function hides.
private func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) -> Int { write(descriptor, bytes, bytes.count) }
