import LogbookCore
import LogbookTestKit
import Testing

@Suite struct LogLimitsTests {
    func event(_ message: String = "", metadata: LogMetadata = [:], error: LogErrorDetails? = nil) -> LogEvent {
        LogEvent(sequence: 1, time: LogTime(nanoseconds: 0), level: .info, message: message, metadata: metadata, error: error)
    }

    static func nested(_ levels: Int) -> LogValue {
        var value = LogValue.integer(1)
        for level in 0..<levels { value = level.isMultiple(of: 2) ? .array([value]) : .object(["in": value]) }
        return value
    }

    @Test func theDefaultsAreWhatTheDocumentationSays() {
        #expect(LogLimits.standard == LogLimits(textBytes: 65536, metadataBytes: 65536, metadataDepth: 16, metadataMembers: 256))
        #expect(LogLimits.highest.textBytes == 1_048_576)
        #expect(LogLimits(textBytes: .max, metadataBytes: .max, metadataDepth: .max, metadataMembers: .max) == .highest)
        #expect(LogLimits(textBytes: 0, metadataBytes: -1, metadataDepth: 0, metadataMembers: 0).textBytes == 1)
    }

    @Test func whatIsWithinTheLimitsIsLeftAlone() {
        let full = event(
            String(repeating: "m", count: 65536), metadata: ["deep": Self.nested(16), "list": [1, 2, 3], "text": "t"])
        #expect(full.within(.standard) == full)
    }

    @Test("row 37: a long text ends in its original size, and never within a character")
    func longTexts() {
        let limits = LogLimits(textBytes: 10)
        let long = String(repeating: "é", count: 500)
        let cut = event(long, error: LogErrorDetails(type: "T", description: "x" + long)).within(limits)
        #expect(cut.message == "ééééé… [cut from 1000 bytes]")
        #expect(cut.error?.description == "xéééé… [cut from 1001 bytes]")
        #expect(cut.within(limits) == cut)
    }

    @Test("row 37: too many members end in a count")
    func manyMembers() {
        let metadata = LogMetadata((0..<1_000_000).map { ("key\($0)", LogValue.integer(1)) })
        let cut = event(metadata: metadata).within(.standard)
        #expect(cut.metadata.count == 256)
        #expect(cut.metadata["key254"] == 1)
        #expect(cut.metadata["logbook.cut"] == "255 of 1000000 members")
        #expect(cut.within(.standard) == cut)
    }

    @Test("row 37: what is too deep names its depth, without recursion")
    func deepMetadata() {
        let cut = event(metadata: ["deep": Self.nested(10_000)]).within(LogLimits(metadataDepth: 2))
        #expect(cut.metadata == ["deep": ["in": ["… [cut from 9998 levels]"]]])
    }

    @Test func metadataHasOneBudget() {
        let limits = LogLimits(metadataBytes: 40)
        let cut = event(metadata: ["a": .string(String(repeating: "x", count: 30)), "b": 1, "c": 2, "d": 3]).within(limits)
        #expect(cut.metadata.count < 4 || cut.metadata["d"] == 3)
        let list = event(metadata: ["list": .array(Array(repeating: 1, count: 10_000))]).within(limits)
        #expect(list.metadata["list"] == [1, 1, 1, 1, "… [cut from 10000 elements]"])
        let giant = event(metadata: [String(repeating: "k", count: 5000): 1]).within(limits)
        #expect(giant.metadata == ["logbook.cut": "0 of 1 members"])
        let texts = event(metadata: ["list": .array(Array(repeating: "", count: 10_000))]).within(limits)
        #expect(texts.metadata["list"] == ["", "", "", "", "… [cut from 10000 elements]"])
        for event in [cut, list, giant, texts] { #expect(event.within(limits) == event) }
    }

    @Test("row 37: a service hands on no event that could exhaust a stack")
    func throughAService() throws {
        let service = LogService(), provider = RecordingProvider()
        service.register(provider, from: .verbose)
        service.info("deep", metadata: ["deep": Self.nested(10_000)])
        service.info("\(String(repeating: "m", count: 3 << 20))")
        service.flush(by: .after(.seconds(30)))
        let events = provider.events
        #expect(events.count == 2)
        #expect(events.first?.metadata["deep"]?.levels == LogLimits.highest.metadataDepth)
        #expect(events.last?.message.hasSuffix("… [cut from 3145728 bytes]") == true)
    }
}
