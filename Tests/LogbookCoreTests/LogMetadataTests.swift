import LogbookCore
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
}
