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
        if let start = words.baseAddress { MemberWords.write(metadata, to: start) }
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
        var large: LogMetadata = ["text": .string(String(repeating: "x", count: EventRecord.maximumWords * 8 - 16))]
        #expect(large.plainWords == EventRecord.maximumWords)
        large["t"] = true
        #expect(large.plainWords == nil)
    }
}
