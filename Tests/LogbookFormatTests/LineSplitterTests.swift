import LogbookCore
import Testing

@testable import LogbookFormat

@Suite struct LineSplitterTests {
    private func lines(of chunks: [[UInt8]], maximum: Int = 64 << 10, droppingReturn: Bool = false) -> [LineSplitter.Line] {
        var splitter = LineSplitter(maximumLineBytes: maximum)
        var found: [LineSplitter.Line] = []
        for chunk in chunks { splitter.take(chunk[...]) { found.append($0) } }
        splitter.finish(droppingReturn: droppingReturn) { found.append($0) }
        return found
    }

    private func text(_ line: LineSplitter.Line) -> String { String(decoding: line.bytes, as: UTF8.self) }

    private func texts(_ text: String, maximum: Int = 64 << 10, droppingReturn: Bool = false) -> [String] {
        lines(of: [Array(text.utf8)], maximum: maximum, droppingReturn: droppingReturn).map { self.text($0) }
    }

    @Test(arguments: [
        ("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\nb", ["a", "b"]), ("\n\n", ["", ""]), ("a\r\nb\r\n", ["a", "b"]),
        ("a\rb\n", ["a\rb"]), ("a\r\r\n", ["a\r"]), ("\0\n\0", ["\0", "\0"]), ("a\r", ["a\r"]),
    ])
    func aLineEndsAtItsNewlineOrAtTheEnd(input: String, expected: [String]) {
        #expect(texts(input) == expected)
    }

    @Test(arguments: [
        ("", []), ("a", ["a"]), ("a\r\n\r\nb\r", ["a", "", "b"]), ("a\rb", ["a\rb"]), ("a\r\r", ["a\r"]), ("a\r\n\r", ["a"]),
    ])
    func aReturnAtTheVeryEndCanBeDropped(input: String, expected: [String]) {
        #expect(texts(input, droppingReturn: true) == expected)
    }

    @Test(arguments: [(seed: 7, oneIn: 8, maximum: 20), (seed: 11, oneIn: 12, maximum: 16), (seed: 13, oneIn: 3, maximum: 4)])
    func itDoesNotMatterHowTheBytesArrive(seed: Int, oneIn: Int, maximum: Int) {
        let randomness = LogRandomness.seeded(UInt64(seed))
        for round in 0..<300 {
            let bytes = (0..<Int(randomness.next() % 400)).map { _ -> UInt8 in
                switch randomness.next() % UInt64(oneIn) {
                case 0: 0x0A
                case 1: 0x0D
                default: UInt8(truncatingIfNeeded: randomness.next())
                }
            }
            var chunks: [[UInt8]] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Int(randomness.next() % 50) + 1
                chunks.append(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            let dropping = round % 2 == 1
            let found = lines(of: chunks, maximum: maximum, droppingReturn: dropping)
            #expect(found == lines(of: [bytes], maximum: maximum, droppingReturn: dropping))
            #expect(found.allSatisfy { $0.bytes.count <= maximum })
        }
    }

    @Test func thePiecesOfALongLineAreTheLine() {
        let input = "\nfirst\n0123456789abcdefghijklmnopqrstuvwxyz\r\nnext\n0123456789abcdefg"
        let found = lines(of: [Array(input.utf8)], maximum: 16)
        #expect(
            found.map { text($0) } == ["", "first", "0123456789abcdef", "ghijklmnopqrstuv", "wxyz", "next", "0123456789abcdef", "g"])
        #expect(found.map(\.isContinued) == [false, false, false, true, true, false, false, true])
        #expect(found.map(\.goesOn) == [false, false, true, true, false, false, true, false])
        #expect(found.map(\.number) == [1, 2, 3, 3, 3, 4, 5, 5])   // empty lines have places too
    }

    @Test("a piece ends between characters; what is no text is cut anywhere, and not lost", arguments: 4...19)
    func aPieceEndsBetweenCharacters(maximum: Int) {
        let text = String(repeating: "é😀a", count: 20), pieces = texts(text, maximum: maximum)
        #expect(pieces.joined() == text)
        #expect(pieces.count > 1)
        #expect(pieces.dropLast().allSatisfy { $0.utf8.count <= maximum && $0.utf8.count > maximum - 4 })
        let noText = [UInt8](repeating: 0x80, count: 1000)
        #expect(lines(of: [noText], maximum: maximum).flatMap(\.bytes) == noText)
        let torn = [0x61] + noText
        #expect(lines(of: [torn], maximum: maximum).flatMap(\.bytes) == torn)
    }

    @Test func aLineThatIsExactlyFullIsNotCutForItsEnding() {
        #expect(texts("0123456789abcdef\r\nx", maximum: 16) == ["0123456789abcdef", "x"])
        #expect(texts("0123456789abcdef\n", maximum: 16) == ["0123456789abcdef"])
        #expect(texts("0123456789abcdef\r", maximum: 16, droppingReturn: true) == ["0123456789abcdef"])
        let torn = lines(of: [Array("0123456789abcdef\r".utf8), Array("\nx".utf8)], maximum: 16)
        #expect(torn == lines(of: [Array("0123456789abcdef\nx".utf8)], maximum: 16))
        #expect(torn.allSatisfy { !$0.isContinued && !$0.goesOn })
    }

    @Test("a second carriage return belongs to the line, which may be too long for it", arguments: 1...18)
    func aSecondReturn(chunk: Int) {
        let bytes = Array("0123456789abcdef\r\r\n".utf8)
        let found = lines(of: [Array(bytes.prefix(chunk)), Array(bytes.dropFirst(chunk))], maximum: 16)
        #expect(found.map { text($0) } == ["0123456789abcdef", "\r"])
    }

    @Test func aShortLineBehindALongOneTakesLittleMemory() {
        var splitter = LineSplitter(maximumLineBytes: 1 << 20), lines: [LineSplitter.Line] = []
        let input = [UInt8](repeating: 0x61, count: 1 << 19) + Array(String(repeating: "\na", count: 1000).utf8) + [0x0A]
        splitter.take(input[...]) { lines.append($0) }
        #expect(lines.count == 1001 && lines[0].bytes.count == 1 << 19)
        #expect(lines.dropFirst().allSatisfy { $0.bytes == [0x61] && $0.bytes.capacity < 1024 })
    }

    @Test("a line without end gives a piece for each piece that comes, and one in crumbs is looked at once")
    func aLineWithoutEnd() {
        var splitter = LineSplitter(maximumLineBytes: 1 << 20), lines: [LineSplitter.Line] = []
        let megabyte = [UInt8](repeating: 0, count: 1 << 20)
        for count in 1...8 {
            splitter.take(megabyte[...]) { lines.append($0) }
            #expect(lines.count == count - 1)
            #expect(lines.filter { $0.goesOn && !$0.isContinued }.map(\.number) == (count < 2 ? [] : [1]))
        }
        // Looked at from the beginning each time, this would take hours.
        let crumb = [UInt8](repeating: 0x61, count: 8)
        for _ in 0..<(1 << 17) { splitter.take(crumb[...]) { lines.append($0) } }
        #expect(lines.count == 8)
        #expect(lines.allSatisfy { $0.bytes.count == 1 << 20 })
    }
}
