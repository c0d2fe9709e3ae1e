@testable import LogbookCore
import Testing

@Suite struct LogMetadataTests {
    @Test(arguments: [3, 32, 33, 500])
    func keysKeepTheirPlacesHoweverManyThereAre(count: Int) {
        var metadata = LogMetadata((0..<count).map { ("key\($0)", LogValue.integer(Int64($0))) })
        metadata["key1"] = "changed"
        metadata["key0"] = nil
        metadata["new"] = true
        #expect(metadata.map(\.key) == (1..<count).map { "key\($0)" } + ["new"])
        #expect(metadata["key1"] == "changed")
        #expect(metadata["key0"] == nil)
        #expect(metadata["key\(count - 1)"] != nil)
        #expect(metadata == LogMetadata(metadata.map { ($0.key, $0.value) }))
    }

    @Test func ofAKeyThatComesTwiceTheLaterValueStandsInTheEarlierPlace() {
        let literal: LogMetadata = ["a": 1, "b": .private("x"), "a": 2, "c": 3]
        #expect(literal.map(\.key) == ["a", "b", "c"])
        #expect(literal["a"] == 2)
        #expect(literal.mayHoldProtected)
        let other: LogMetadata = ["a": 2, "b": .private("x"), "c": 3]
        #expect(literal == other && literal.hashValue == other.hashValue && Set([literal, other]).count == 1)
        #expect(literal != ["a": 2, "c": 3, "b": .private("x")] && literal != ["a": 2, "b": .private("x")])
        let hidden: LogMetadata = ["a": 1, "b": ["c": .secret("x")]]
        #expect(hidden.mayHoldProtected)
        let plain: LogMetadata = ["a": 1, "b": ["c": "x"]]
        #expect(!plain.mayHoldProtected)
    }

    @Test func wholeNumbersOfAnyTypeAreNumbers() {
        let count: UInt8 = 7
        let metadata: LogMetadata = ["count": LogValue(count), "left": LogValue(-3 as Int32), "bytes": LogValue(UInt64.max)]
        #expect(metadata == ["count": .integer(7), "left": .integer(-3), "bytes": .string("18446744073709551615")])
    }
}
