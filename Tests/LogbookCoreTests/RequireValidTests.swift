import LogbookCore
import LogbookTestKit
import Testing

/// Values that cannot be. What is optimized is tested with the address sanitizer: there a `precondition` ends a program without a word.
@Suite struct RequireValidTests {
    private struct Nowhere: BatchSink { func write(_ batch: [LogEvent]) {} }

    @Test func aValueThatCannotBeIsNamedWhereItEndsTheProgram() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            LogService().register(sink: Nowhere(), queue: QueuePolicy(firstPause: .seconds(15)))
        }
        let words = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(words.contains("QueuePolicy.longestPause must not be shorter than firstPause"), "\(words)")
    }

    @Test func soIsAPatternThatIsNone() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let text: LogPattern = "net..http*x"
            withExtendedLifetime(text) {}
        }
        #expect(String(decoding: result.standardErrorContent, as: UTF8.self).contains("\"net..http*x\" is not a pattern of names"))
    }
}
