@testable import LogbookCore
import LogbookFormat
import Testing

/// A view of a record gives the line that the event gives, also where the line is written in one go.
@Suite struct PlainEventTests {
    private struct Case: CustomTestStringConvertible {
        var file: StaticString = "Checkout/Cart.swift", function: StaticString = "pay()", line: UInt32 = 12
        var message = "payment took 812 ms", level = LogLevel.info, time: Int64 = 1_763_717_360_123_456_789
        var metadata: LogMetadata = [:]
        var testDescription: String { "\(level) \(message.prefix(20)) \(line) \(time) \(metadata.count)" }
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
        + [
            ["user": "jane", "attempt": 2, "share": 0.5, "paid": true, "new": false, "note": nil, "large": .unsigned(.max), "small": .integer(.min)],
            ["": "", "two words": "two words", "a=b": "a=b", "x.y*z": "[1]", "x.y_z": "{", "level": "level", "error.type": "none", "fields.a": "b"],
            ["number": "12", "truth": "true", "nothing": "null", "quote \"": "\\", "line\n": "\n\u{1B}[31m", "ä": "\u{202E}ö", "1.5": "-0.0"],
            ["nan": .double(.nan), "infinite": .double(-.infinity), "whole": 7.0, "tiny": 1e-300],
            ["long": .string(String(repeating: "ä\"", count: 3_000)), "message": "m", "time": "t", "seq": 1],
        ].map { Case(metadata: $0) }
        + [
            Case(metadata: LogMetadata((0..<256).map { ("key\($0)", .integer($0)) })),
            Case(message: "two\nlines", metadata: ["after": "an escape"]), Case(file: "", function: "", line: 0, metadata: ["without": "a place"]),
        ]

    private static let formats: [any ReadableLogFormat & LineLayout] = [
        TextFormat.standard(zone: .utc), TextFormat.standard(zone: .fixed(seconds: -12_600)), TextFormat.standard(zone: .local),
        TextFormat.standard(zone: .utc, limits: LogLimits(textBytes: 100)),
        TextFormat.standard(zone: .utc, limits: LogLimits(metadataMembers: 5)),
        TextFormat.standard(zone: .utc, limits: LogLimits(metadataBytes: 100, metadataMembers: 5)),
        JSONLineFormat(limits: LogLimits(metadataBytes: 90)), TextFormat.standard(date: .article), TextFormat.article(),
        JSONLineFormat(), LogfmtFormat(), ECSFormat(),
    ]

    @Test(arguments: formats.indices)
    func isWrittenAsItsEventIs(_ number: Int) throws {
        let format = Self.formats[number], memory = LineMemory(), other = LineMemory()
        var expected: [UInt8] = []
        for each in Self.cases {
            let file = try #require(StaticText(each.file)), function = try #require(StaticText(each.function))
            let event = LogEvent(
                sequence: 7, time: LogTime(nanoseconds: each.time), level: each.level, message: each.message, metadata: each.metadata, thread: 4711,
                source: LogSource(file: file, function: function, line: each.line), transaction: nil, error: nil, nesting: 0)
            format.append(event, to: &expected)
            format.append(event, to: other)
            // As the distributor looks at texts: first unknown, then remembered.
            let text = MessageText()
            let isMessageClean = !each.message.utf8.contains { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C || $0 >= 0x80 }
            var message = each.message
            let size = try #require(MemberWords.size(of: each.metadata))
            let words = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: size)
            defer { words.deallocate() }
            if let start = words.baseAddress { MemberWords.write(each.metadata, to: start) }
            let members = MemberWords(UnsafeBufferPointer(words), count: each.metadata.count)
            message.withUTF8 { message in
                format.append(
                    PlainEvent(
                        time: event.time, sequence: 7, thread: 4711, message: message, members: members, file: file, function: function, line: each.line,
                        level: each.level, isMessageClean: isMessageClean, isFileClean: text.isCleanFile(file, 1),
                        isFunctionClean: text.isCleanFunction(function, 2)),
                    to: memory)
            }
        }
        for memory in [memory, other] {
            memory.endLine(LogTime(nanoseconds: 0), 1)
            #expect(memory.take().lend { Array($0.bytes) } == expected)
        }
    }
}
