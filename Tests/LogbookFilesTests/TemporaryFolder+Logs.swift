import LogbookCore
import LogbookTestKit
import Testing

@testable import LogbookFiles

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension TemporaryFolder {
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
}

/// Writes to a descriptor, past everything that buffers.
func say(_ text: String, to number: Int32 = 1) {
    var text = text
    text.withUTF8 { _ = write(number, $0.baseAddress, $0.count) }
}
