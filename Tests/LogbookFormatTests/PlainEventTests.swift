@testable import LogbookCore
import LogbookFormat
import Testing

/// A view of a record gives the line that the event gives, also where the line is written in one go.
@Suite struct PlainEventTests {
    private struct Case: CustomTestStringConvertible {
        var file: StaticString = "Checkout/Cart.swift", function: StaticString = "pay()", line: UInt32 = 12
        var message = "payment took 812 ms", level = LogLevel.info, time: Int64 = 1_763_717_360_123_456_789
        var testDescription: String { "\(level) \(message.prefix(20)) \(line) \(time)" }
    }

    private static let cases =
        LogLevel.allCases.map { Case(level: $0) }
        + [0, 1, 999_999_999, -1, -1_500_000_000, 1_000_000_000, 253_402_300_799_000_000].map { Case(time: Int64($0)) }
        + [0, 9, 10, 4_294_967_295].map { Case(line: $0) }
        + ["", "two\nlines", #"quote " and \"#, "tab\there", "\u{202E}turned", "[like a place] text", String(repeating: "ä", count: 9_000)]
        .map { Case(message: $0) }
        + [
            Case(message: String(repeating: "x", count: 200_000)), Case(function: ""), Case(function: "odd](x:)"),
            Case(file: "My Module/A:b.swift"), Case(file: "", function: "", line: 0), Case(file: "", function: "", line: 0, message: "[x"),
        ]

    private static let formats: [any ReadableLogFormat & LineLayout] = [
        TextFormat.standard(zone: .utc), TextFormat.standard(zone: .fixed(seconds: -12_600)), TextFormat.standard(zone: .local),
        TextFormat.standard(zone: .utc, limits: LogLimits(textBytes: 100)), TextFormat.standard(date: .article), TextFormat.article(),
        JSONLineFormat(), LogfmtFormat(), ECSFormat(),
    ]

    @Test(arguments: formats.indices)
    func isWrittenAsItsEventIs(_ number: Int) throws {
        let format = Self.formats[number], memory = LineMemory()
        var expected: [UInt8] = []
        for each in Self.cases {
            let file = try #require(StaticText(each.file)), function = try #require(StaticText(each.function))
            let event = LogEvent(
                sequence: 7, time: LogTime(nanoseconds: each.time), level: each.level, message: each.message, metadata: [:], thread: 4711,
                source: LogSource(file: file, function: function, line: each.line), transaction: nil, error: nil, nesting: 0)
            format.append(event, to: &expected)
            // As the distributor looks at texts: first unknown, then remembered.
            let text = MessageText()
            let isMessageClean = !each.message.utf8.contains { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C || $0 >= 0x80 }
            var message = each.message
            message.withUTF8 { message in
                format.append(
                    PlainEvent(
                        time: event.time, sequence: 7, thread: 4711, message: message, file: file, function: function, line: each.line,
                        level: each.level, isMessageClean: isMessageClean, isFileClean: text.isCleanFile(file, 1),
                        isFunctionClean: text.isCleanFunction(function, 2)),
                    to: memory)
            }
        }
        #expect(memory.take().bytes == expected)
    }
}
