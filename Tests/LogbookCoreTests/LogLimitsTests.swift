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

    @Test("row 37: what is cut twice says how much there was at first")
    func cutTwice() {
        let wide = LogLimits(textBytes: 1000, metadataBytes: 10_000, metadataDepth: 8, metadataMembers: 20)
        let narrow = LogLimits(textBytes: 10, metadataBytes: 1000, metadataDepth: 2, metadataMembers: 10)
        func cut(_ message: String, _ metadata: LogMetadata) -> LogEvent {
            let cut = event(message, metadata: metadata).within(wide).within(narrow)
            #expect(cut.within(narrow) == cut)
            return cut
        }
        #expect(cut(String(repeating: "m", count: 5000), [:]).message == "mmmmmmmmmm… [cut from 5000 bytes]")
        let members = cut("", LogMetadata((0..<300).map { ("key\($0)", LogValue.integer(1)) })).metadata
        #expect(members.count == 10 && members.last?.value == "9 of 300 members")
        let elements: [LogValue] = Array(repeating: 1, count: 124) + ["… [cut from 5000 elements]"]
        #expect(cut("", ["list": .array(Array(repeating: 1, count: 5000))]).metadata["list"] == .array(elements))
        #expect(cut("", ["deep": Self.nested(100)]).metadata == ["deep": ["in": ["… [cut from 98 levels]"]]])
        let text = cut("", ["text": .string(String(repeating: "t", count: 20_000))]).metadata["text"]
        #expect(text == .string(String(repeating: "t", count: 996) + "… [cut from 20000 bytes]"))
    }

    @Test("row 37: no mark is cut itself")
    func marksStayWhole() {
        // The last byte that there is room for stands within the mark.
        let limits = LogLimits(metadataBytes: 100, metadataDepth: 1)
        let long = LogValue.string(String(repeating: "x", count: 400))
        let marked = event(metadata: [
            "a": .string(String(repeating: "x", count: 90) + "… [cut from 5000 bytes]"), "b": long, "logbook.cut": "2 of 7 members",
        ])
        #expect(
            marked.within(limits).metadata == [
                "a": .string(String(repeating: "x", count: 90) + "… [cut from 5000 bytes]"), "logbook.cut": "1 of 7 members",
            ])
        // What looks like a mark and cannot be one is cut like everything else.
        let forged = event(metadata: ["a": long, "b": 1, "logbook.cut": "7 of 2 members"])
        #expect(forged.within(limits).metadata["logbook.cut"] == "1 of 3 members")
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
        #expect(events.first?.isWithin(.highest) == true)
        #expect(events.first?.metadata["deep"]?.levels == 10_000)   // with those that the mark names
        #expect(events.last?.message.hasSuffix("… [cut from 3145728 bytes]") == true)
    }
}
