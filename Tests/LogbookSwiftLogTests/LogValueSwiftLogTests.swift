#if SwiftLog
    import LogbookCore
    @testable import LogbookSwiftLog
    import LogbookTestKit
    import Logging
    import Testing

    @Suite struct LogValueSwiftLogTests {
        @Test func knownTypesStayWhatTheyAre() {
            let cases: [(any CustomStringConvertible & Sendable, LogValue)] = [
                (-7, -7), (Int8.min, -128), (Int16.min, -32768), (Int32.min, -2_147_483_648), (Int64.min, .integer(.min)),
                (UInt8.max, 255), (UInt16.max, 65535), (UInt32.max, 4_294_967_295), (UInt(5), 5),
                (UInt64.max, .unsigned(.max)), (true, true), (1.5, 1.5), (Float(0.1), .double(0.1)), ("text", "text"),
                (Float.infinity, .double(.infinity)), ("abc".dropFirst(), "bc"), (1...2, "1...2"),
            ]
            for (given, expected) in cases { #expect(LogValue(.stringConvertible(given)) == expected) }
        }

        @Test func listsAndDictionariesKeepTheirShape() {
            let value: Logger.MetadataValue = ["b": ["x", .stringConvertible(1), []], "a": ["k": [:]]]
            let expected: LogValue = ["a": ["k": [:]], "b": ["x", 1, []]]
            #expect(LogValue(value) == expected)   // in the order of the keys
        }

        @Test func whatLiesTooDeepIsCutOff() {
            var value: Logger.MetadataValue = "bottom"
            for _ in 0..<100 { value = [value] }
            var depth = 0, reached = LogValue(value)
            while case .array(let inner) = reached {
                depth += 1
                reached = inner[0]
            }
            #expect(depth == LogValue.maximumDepth && reached == "…")
        }

        @Test func everyValueComesBackFromSwiftLogAsItWas() {
            let value: LogValue = [
                "array": [1, 2.5, true, nil], "big": .unsigned(.max), "object": ["k": "v"], "text": "t", "zero": 0,
            ]
            #expect(LogValue(Logger.MetadataValue(value)) == value)
        }

        @Test func anErrorSaysWhatIsPrivate() {
            struct Declined: LogDescribableError, CustomStringConvertible {
                let name: String
                var logDescription: LogMessage { "declined for \(name, privacy: .private)" }
                var description: String { "declined for \(name)" }
            }
            #expect(LogValue(.stringConvertible(Declined(name: "jane"))) == "declined for <private>")
        }

        @Test func protectedValuesNeverReachSwiftLog() {
            #expect(Logger.MetadataValue(.private("jane")) == "<private>")
            #expect(Logger.MetadataValue(.secret("key")) == "<secret>")
            #expect(Logger.MetadataValue(.protected(.public, "open")) == "open")
        }
    }
#endif
