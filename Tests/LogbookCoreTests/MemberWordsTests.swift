@testable import LogbookCore
import Testing

@Suite struct MemberWordsTests {
    /// Metadata as it comes out of a record; nil where it cannot go into one.
    private func carried(_ metadata: LogMetadata) -> LogMetadata? {
        guard let size = MemberWords.size(of: metadata) else { return nil }
        // Exactly so many words, and nothing behind them.
        let words = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: size)
        defer { words.deallocate() }
        words.initialize(repeating: .max)
        guard let start = words.baseAddress else { return metadata }
        #expect(MemberWords.write(metadata, to: start) == start + size)
        return MemberWords(UnsafeBufferPointer(words), count: metadata.count).metadata
    }

    @Test func plainValuesComeOutAsTheyWentIn() {
        let values: [LogValue] = [
            nil, true, false, .integer(.min), .integer(.max), 0, .unsigned(0), .unsigned(.max), .double(-0.0), .double(.infinity), 1.5,
            "", "a", "1234567", "12345678", "123456789", .string(String(repeating: "ü", count: 5_000)),
        ]
        let keys = ["", "k", "1234567", "12345678", "123456789", String(repeating: "ö", count: 40), "\u{0}"]
        for key in keys {
            for value in values {
                let metadata = LogMetadata([("first", 1), (key, value), ("last", "z")])
                #expect(carried(metadata) == metadata)
            }
        }
        #expect(carried([:]) == [:])
        let many = LogMetadata((0..<256).map { ("key\($0)", values[$0 % (values.count - 1)]) })
        #expect(carried(many) == many)
    }

    @Test func whatIsMoreThanPlainDoesNotFit() {
        let nested: [LogValue] = [[], [1], [:], ["a": 1], .private("x"), .secret("x"), .public("x"), [.private("x")]]
        for value in nested { #expect(carried(["a": 1, "b": value]) == nil) }
        // One more than an event may have: it has to be cut first.
        #expect(carried(LogMetadata((0..<257).map { ("key\($0)", .integer($0)) })) == nil)
    }

    @Test func keysThatAreEqualAsOtherBytesTakeTheRoomTheyTake() {
        let long = "aaaaaae\u{301}", short = "aaaaaa\u{E9}"
        #expect(long == short && long.utf8.count == 9 && short.utf8.count == 8)
        var changed: LogMetadata = [long: 1]
        changed[short] = 2
        let before: [(String, LogValue)] = (0..<40).map { ("key\($0)", .integer($0)) }
        let pair: [(String, LogValue)] = [(long, 1), (short, 2)], turned: [(String, LogValue)] = [(short, 1), (long, 2)]
        let all: [LogMetadata] = [
            changed, [long: 1, short: 2], [short: 1, long: 2], LogMetadata(pair), LogMetadata(turned),
            (["a": 1, long: 1] as LogMetadata).merging(["b": 1, short: 2]), LogMetadata(before + pair),
            LogMetadata(before + turned),
        ]
        for metadata in all {
            #expect(metadata.plainWords == metadata.reduce(0) { $0 + MemberWords.size($1.key, $1.value)! })
            #expect(carried(metadata) == metadata)
        }
    }

    @Test func theSizeIsRightHoweverTheMetadataCameToBe() {
        var numbers = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var metadata = LogMetadata()
            for _ in 0..<Int.random(in: 1...60, using: &numbers) {
                let key = String(repeating: "k", count: .random(in: 0...20, using: &numbers))
                switch Int.random(in: 0...4, using: &numbers) {
                case 0: metadata[key] = nil
                case 1: metadata[key] = .integer(1)
                case 2: metadata[key] = true
                default: metadata[key] = .string(String(repeating: "ä", count: .random(in: 0...20, using: &numbers)))
                }
            }
            let sum = metadata.reduce(0) { $0 + MemberWords.size($1.key, $1.value)! }
            #expect(metadata.plainWords == sum)
            #expect(LogMetadata(distinct: metadata.map { ($0.key, $0.value) }).plainWords == sum)
            #expect(carried(metadata) == metadata)
            metadata["nested"] = []
            #expect(metadata.plainWords == nil)
        }
        let letters: [Character] = ["k", "\u{E9}", "e\u{301}", "\u{AC00}", "\u{1100}\u{1161}"]
        for _ in 0..<200 {   // equal keys of other bytes
            var metadata = LogMetadata()
            for number in 0..<Int.random(in: 1...60, using: &numbers) {
                metadata[String((0..<Int.random(in: 0...6, using: &numbers)).map { _ in letters.randomElement(using: &numbers)! })] =
                    .integer(Int64(number))
            }
            #expect(metadata.plainWords == metadata.reduce(0) { $0 + MemberWords.size($1.key, $1.value)! })
            #expect(carried(metadata) == metadata)
        }
        var large: LogMetadata = ["text": .string(String(repeating: "x", count: EventRecord.maximumWords * 8 - 16))]
        #expect(large.plainWords == EventRecord.maximumWords)
        large["t"] = true
        #expect(large.plainWords == nil)
    }
}
