#if SwiftLog
    import Logbook
    import LogbookSwiftLog
    import LogbookTestKit
    import Logging
    import Testing

    // The swift-log part of README.md, to the letter.

    @Suite struct ReadmeSwiftLogTests {
        @Test func bothDirectionsReachTheirEnd() async throws {
            let result = try await #require(
                processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
            ) {
                let name = "jane"
                LogService.register(provider: ConsoleLogProvider())
                LoggingSystem.bootstrap { LogbookLogHandler(label: $0) }
                Logger(label: "com.example.shop").notice("cart opened", metadata: ["user": "\(name, privacy: .private)"])

                let outer = Logger(label: "shop") { StreamLogHandler.standardError(label: $0) }
                LogService.register(provider: SwiftLogForwardingProvider(to: outer))
                LogService.info("said to us")
            }
            let console = String(decoding: result.standardOutputContent, as: UTF8.self)
            #expect(console.contains("cart opened") && console.contains("user=\"<private>\""))
            #expect(console.contains("logger=com.example.shop"))
            #expect(String(decoding: result.standardErrorContent, as: UTF8.self).contains("said to us"))
        }
    }
#endif
