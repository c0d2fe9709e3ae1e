import Foundation
import Testing

/// What the guides show is what the tests compile: every block of Swift in them stands, line for line, in a file of this folder.
@Suite struct GuideBlocksTests {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static func pages() throws -> [URL] {
        let guides = try FileManager.default.contentsOfDirectory(
            at: root.appendingPathComponent("Plugins-Docs"), includingPropertiesForKeys: nil)
        return guides.filter { $0.pathExtension == "md" } + [root.appendingPathComponent("README.md")]
    }

    static func lines(_ text: some StringProtocol) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    /// The blocks fenced as `swift`, without imports: a file needs them once.
    static func blocks(of page: String) -> [[String]] {
        page.components(separatedBy: "```swift\n").dropFirst().map { rest in
            lines(rest.components(separatedBy: "```")[0]).filter { !$0.hasPrefix("import ") }
        }
    }

    @Test func everyBlockOfTheGuidesIsCompiled() throws {
        let folder = Self.root.appendingPathComponent("Tests/GuidesTests")
        let sources = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "swift" && $0.lastPathComponent != "GuideBlocksTests.swift" }
            .map { Self.lines(try String(contentsOf: $0, encoding: .utf8)) }
        var found = 0
        for page in try Self.pages() {
            for block in Self.blocks(of: try String(contentsOf: page, encoding: .utf8)) {
                found += 1
                let isCompiled = sources.contains { source in
                    source.indices.contains { source[$0...].starts(with: block) }
                }
                #expect(isCompiled, "\(page.lastPathComponent) shows code that no test compiles: \(block.first ?? "")")
            }
        }
        #expect(found >= 8)
    }

    @Test func noSwiftHidesBehindAnotherFence() throws {
        for page in try Self.pages() {
            let parts = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```")
            for block in stride(from: 1, to: parts.count, by: 2).map({ parts[$0] }) where !block.hasPrefix("swift\n") {
                #expect(!block.contains("import Logbook"), "\(page.lastPathComponent) shows code that is not fenced as swift")
            }
        }
    }
}
