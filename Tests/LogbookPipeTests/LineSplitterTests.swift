import LogbookCore
@testable import LogbookPipe
import Testing

@Suite struct LineSplitterTests {
    private func lines(of chunks: [[UInt8]], maximum: Int = 64 << 10) -> [LineSplitter.Line] {
        var splitter = LineSplitter(maximumLineBytes: maximum), found: [LineSplitter.Line] = []
        for chunk in chunks { splitter.take(chunk) { found.append($0) } }
        splitter.finish { found.append($0) }
        return found
    }

    private func texts(_ text: String, maximum: Int = 64 << 10) -> [String] {
        lines(of: [Array(text.utf8)], maximum: maximum).map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test(arguments: [
        ("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\nb", ["a", "b"]), ("\n\n", ["", ""]), ("a\r\nb\r\n", ["a", "b"]),
        ("a\rb\n", ["a\rb"]), ("a\r\r\n", ["a\r"]), ("\0\n\0", ["\0", "\0"]), ("a\r", ["a\r"]),
    ])
    func aLineEndsAtItsNewlineOrAtTheEnd(input: String, expected: [String]) {
        #expect(texts(input) == expected)
    }

    @Test func itDoesNotMatterHowTheBytesArrive() {
        let randomness = LogRandomness.seeded(7)
        for _ in 0..<300 {
            let bytes = (0..<Int(randomness.next() % 400)).map { _ -> UInt8 in
                switch randomness.next() % 8 {
                case 0: 0x0A
                case 1: 0x0D
                default: UInt8(truncatingIfNeeded: randomness.next())
                }
            }
            var chunks: [[UInt8]] = [], rest = bytes[...]
            while !rest.isEmpty {
                let count = Int(randomness.next() % 50) + 1
                chunks.append(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            #expect(lines(of: chunks, maximum: 20) == lines(of: [bytes], maximum: 20))
        }
    }

    @Test func thePiecesOfALongLineAreTheLine() {
        let pieces = lines(of: [Array("0123456789abcdefghijklmnopqrstuvwxyz\nnext".utf8)], maximum: 16)
        #expect(pieces.map(\.isContinued) == [false, true, true, false])
        #expect(pieces.map(\.bytes.count) == [16, 16, 4, 4])
        #expect(String(decoding: pieces.prefix(3).flatMap(\.bytes), as: UTF8.self) == "0123456789abcdefghijklmnopqrstuvwxyz")
    }

    @Test func aPieceEndsBetweenCharacters() {
        let text = String(repeating: "é😀", count: 20)
        let pieces = texts(text, maximum: 17)
        #expect(pieces.joined() == text)
        #expect(pieces.count > 1)
    }

    @Test func bytesThatAreNoTextAreCutAnywhereButNotLost() {
        let bytes = [UInt8](repeating: 0x80, count: 1000)
        #expect(lines(of: [bytes], maximum: 16).flatMap(\.bytes) == bytes)
    }

    @Test func aLineThatIsExactlyFullIsNotCutForItsEnding() {
        #expect(texts("0123456789abcdef\r\nx", maximum: 16) == ["0123456789abcdef", "x"])
        #expect(texts("0123456789abcdef\n", maximum: 16) == ["0123456789abcdef"])
    }
}
