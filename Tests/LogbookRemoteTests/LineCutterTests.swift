import LogbookCore
import Testing

@testable import LogbookRemote

@Suite struct LineCutterTests {
    private struct Cut: Equatable {
        var lines: [String] = []
        var isContinued: [Bool] = []
        var tooLong: [UInt64] = []
    }

    private func cut(_ chunks: [[UInt8]], limit: Int = 16) -> Cut {
        var cutter = LineCutter(limit: limit), lines: [LineCutter.Line] = [], cut = Cut()
        for chunk in chunks + [[]] { cut.tooLong += cutter.take(chunk, &lines) }
        cut.lines = lines.map { String(decoding: $0.bytes, as: UTF8.self) }
        cut.isContinued = lines.map(\.isContinued)
        return cut
    }

    private func cut(_ text: String, limit: Int = 16) -> Cut { cut(text.isEmpty ? [] : [Array(text.utf8)], limit: limit) }

    @Test(arguments: [
        ("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\nb", ["a", "b"]), ("\n\n", []), ("a\r\n\r\nb\r", ["a", "b"]), ("a\rb\n", ["a\rb"]),
    ])
    func aLineEndsAtItsNewlineOrAtTheEnd(input: String, expected: [String]) {
        #expect(cut(input).lines == expected)
    }

    @Test func thePiecesOfALongLineAreTheLine() {
        let found = cut("\nfirst\n0123456789abcdefghijklmnopqrstuvwxyz\r\nnext\n0123456789abcdefg")
        #expect(found.lines == ["first", "0123456789abcdef", "ghijklmnopqrstuv", "wxyz", "next", "0123456789abcdef", "g"])
        #expect(found.isContinued == [false, false, true, true, false, false, true])
        #expect(found.tooLong == [3, 5])   // empty lines have places too
    }

    @Test func aLineThatIsExactlyFullIsNotCutForItsEnding() {
        #expect(cut("0123456789abcdef\r\nx") == Cut(lines: ["0123456789abcdef", "x"], isContinued: [false, false]))
        #expect(cut([Array("0123456789abcdef\r".utf8), Array("\n".utf8)]) == cut("0123456789abcdef\n"))
    }

    @Test("a piece ends between characters; what is no text is cut anywhere, and not lost", arguments: 4...19)
    func aPieceEndsBetweenCharacters(limit: Int) {
        let text = String(repeating: "é😀a", count: 20), found = cut(text, limit: limit)
        #expect(found.lines.joined() == text)
        #expect(found.lines.dropLast().allSatisfy { $0.utf8.count <= limit && $0.utf8.count > limit - 4 })
        var cutter = LineCutter(limit: limit), lines: [LineCutter.Line] = []
        let noText = [UInt8](repeating: 0x80, count: 100)
        for bytes in [noText, []] { _ = cutter.take(bytes, &lines) }
        #expect(lines.flatMap(\.bytes) == noText)
    }

    @Test func itDoesNotMatterHowTheBytesCome() {
        let randomness = LogRandomness.seeded(11)
        for _ in 0..<300 {
            let bytes = (0..<Int(randomness.next() % 300)).map { _ -> UInt8 in
                switch randomness.next() % 12 {
                case 0: 0x0A
                case 1: 0x0D
                default: UInt8(truncatingIfNeeded: randomness.next())
                }
            }
            var chunks: [[UInt8]] = [], rest = bytes[...]
            while !rest.isEmpty {
                let count = Int(randomness.next() % 40) + 1
                chunks.append(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            #expect(cut(chunks) == cut(bytes.isEmpty ? [] : [bytes]))
        }
    }

    @Test("a line without end gives a piece for each piece that comes, and one in crumbs is looked at once")
    func aLineWithoutEnd() {
        var cutter = LineCutter(), lines: [LineCutter.Line] = []
        let megabyte = [UInt8](repeating: 0, count: 1 << 20)
        for count in 1...8 {
            let tooLong = cutter.take(megabyte, &lines)
            #expect(tooLong == (count == 2 ? [1] : []))
            #expect(lines.count == count - 1)
        }
        // Looked at from the beginning each time, this would take hours.
        let crumb = [UInt8](repeating: 0x61, count: 8)
        for _ in 0..<(1 << 17) { _ = cutter.take(crumb, &lines) }
        #expect(lines.count == 8)
        #expect(lines.allSatisfy { $0.bytes.count == 1 << 20 })
    }
}
