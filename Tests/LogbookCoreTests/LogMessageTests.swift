import LogbookCore
import LogbookTestKit
import Testing

@Suite struct LogMessageTests {
    struct Point: CustomStringConvertible { let description = "(1, 2)" }

    @Test func everyKindOfValueIsRendered() {
        let text = "text", part = "xpart".dropFirst(), optional: Int? = nil
        let message: LogMessage = "\(text) \(part) \(-7) \(UInt8.max) \(Int64.min) \(0) \(true) \(1.5) \(Point()) \(String(describing: optional)) é☠️"
        #expect(message.description == "text part -7 255 -9223372036854775808 0 true 1.5 (1, 2) nil é☠️")
    }

    @Test func theServiceDecidesWhoSeesPrivateValues() {
        for (mode, expected) in [
            (PrivacyMode.masked, "a 1 <private> c <secret> 2 <private>"), (.revealed, "a 1 jane c <secret> 2 42"),
        ] {
            let provider = RecordingProvider(), service = LogService(privacy: mode)
            service.register(provider)
            service.info("a \(1, privacy: .public) \("jane", privacy: .private) c \("key", privacy: .secret) 2 \(42, privacy: .private)")
            #expect(provider.messages == [expected])
        }
    }

    @Test func aSecretIsNotEvenEvaluated() {
        nonisolated(unsafe) var evaluated = false
        func secret() -> String {
            evaluated = true
            return "key"
        }
        let message: LogMessage = "\(secret(), privacy: .secret)"
        #expect(message.description == "<secret>" && !evaluated)
    }

    @Test func protectedMetadataIsResolvedBeforeAnyProviderSeesIt() {
        for (mode, user) in [(PrivacyMode.masked, LogValue("<private>")), (.revealed, "jane")] {
            let provider = RecordingProvider(), service = LogService(privacy: mode)
            service.register(provider)
            service.info("m", metadata: ["user": .private("jane"), "in": ["list": [.secret("k"), 1]], "open": 2])
            #expect(provider.events.map(\.metadata) == [["user": user, "in": ["list": ["<secret>", 1]], "open": 2]])
        }
    }

    @Test func metadataKeepsItsOrderAndTheLaterValue() {
        var metadata: LogMetadata = ["b": 1, "a": 2, "b": 3]
        #expect(metadata.map(\.key) == ["b", "a"] && metadata["b"] == 3)
        metadata["b"] = nil
        metadata["c"] = 1.5
        #expect(metadata.merging(["a": "z"]) == ["a": "z", "c": 1.5])
    }
}
