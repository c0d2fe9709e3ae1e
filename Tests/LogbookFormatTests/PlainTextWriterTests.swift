@testable import LogbookCore
@testable import LogbookFormat
import Testing

/// The short way for records gives the lines that their events give, or leaves them to the long one.
@Suite struct PlainTextWriterTests {
    struct Case: CustomTestStringConvertible {
        var message: LogMessage = "payment \(4711) took \(812) ms"
        var file: StaticString = "Checkout/Cart.swift", function: StaticString = "pay()", line: UInt32 = 12
        var level = LogLevel.info, time: Int64 = 1_763_717_360_123_456_789
        var metadata: LogMetadata = [:]
        var isShort = true
        var testDescription: String { "\(level) \(message.description.prefix(20)) \(line) \(time) \(metadata.count)" }
    }

    private static let long = String(repeating: "0123456789", count: 1_000)
    private static let cases: [Case] =
        LogLevel.allCases.map { Case(level: $0) }
        + [0, 1, 999_999_999, -1, -1_500_000_000, 1_000_000_000, .min, .max, 1_763_717_360_999_999_999, 1_763_717_361_000_000_000, 0]
        .map { Case(time: $0) }
        + [0, 9, 10, 99_999, .max].map { Case(line: $0) }
        // Places that meet in the writer's slots, and come again.
        + (0..<2).flatMap { _ in (0..<600).map { Case(line: $0 * 7) } }
        + [
            Case(message: "\(0)\(9)\(10)\(99)\(100)\(9_999)\(10_000)\(99_999_999)\(100_000_000)\(Int.max)\(Int.min)\(-1)\(UInt64.max)"),
            Case(message: "\(true) \(0.5) \("text") é \("x", privacy: .public) \(Substring("sub"))"),
            Case(message: "\(1) of seventy letters and more: abcdefghijklmnopqrstuvwxyz abcdefghijklmn, of fifty: abcdefghijklmnopqrstuvwxyz \(2)"),
            Case(message: "\(1)"), Case(message: "1 \(long) 2 \(long) 3"), Case(message: "short again \(7)"),
            Case(message: "\(1) quote \"", isShort: false), Case(message: "\("two\nlines")", isShort: false),
            Case(message: "\(1) \\", isShort: false),
            Case(message: "\(1) \u{202E}turned", isShort: false), Case(message: "\("a\u{1B}")\("b")", isShort: false),
            Case(message: "after the others \(1)"),
            Case(file: "My Module/A:b.swift", isShort: false), Case(function: "odd](x:)", isShort: false), Case(function: ""),
            Case(file: "", function: "", line: 0, isShort: false), Case(file: ""),
            Case(metadata: ["user": "jane", "attempt": 2, "two words": "a=b", "line\n": "\n"]),
            Case(message: "\("two\nlines")", metadata: ["after": "an escape"], isShort: false),
            Case(metadata: ["long": .string(long)]),
        ]

    /// Literals that are kept of a place, in every length that is copied in another way; more of them than are kept; and others in their
    /// place.
    private static let keptLiterals: [Case] = [
        Case(message: "thirty-two bytes: 89012345678901\(1)thirty-three bytes: 0123456789012\(2)", line: 32),
        Case(message: "\(1)fifty-six bytes: 789012345678901234567890123456789012345\(2)", line: 33),
        Case(message: "\(1)fifty-seven bytes: 90123456789012345678901234567890123456\(2) and behind it", line: 34),
        Case(message: "a\(1)b\(2)c\(3)d\(4)e\(5)f\(6)g\(7)h\(8)i\(9)j", line: 35),
        Case(message: "a\(-1)b\("text")c\(0.5)d\(Int.min)e\(true)f\(UInt64.max)g\(100_000_000)h", line: 35),
        Case(message: "\(1)", line: 35), Case(message: "b\(1)a", line: 35), Case(message: "a\(1)b\"\(2)", line: 35, isShort: false),
        Case(message: "a\(1)b", metadata: ["user": "jane"]),
    ]

    private static let formats: [TextFormat] = [
        .standard(zone: .utc), .standard(zone: .fixed(seconds: -12_600)), .standard(zone: .local),
    ]

    /// Lets `body` have a record of each case.
    private func withRecords(_ cases: [Case], _ body: (Case, UnsafeRawPointer) -> Void) throws {
        let distributor = Distributor(.manual(ManualClock(now: LogTime(nanoseconds: 0)))), ring = distributor.ring
        let hearing = Hearing(seats: 1, generation: 0)
        for level in LogLevel.allCases { distributor.set(hearing, for: level, isEntry: false) }
        for each in cases {
            let site = try #require(CallSite(each.file, each.function, each.line)), names = try #require(site.words)
            let memberWords = try #require(MemberWords.size(of: each.metadata))
            let isPushed: Bool? = each.message.withPieces { pieces in
                distributor.push(
                    pieces, words: pieces.words, each.metadata, memberWords: memberWords, mayRelieve: false, level: each.level,
                    hearing: hearing, time: RecordTime(LogTime(nanoseconds: each.time)), sequence: 7, thread: 4711,
                    file: names.file, function: names.function, line: site.line)
            }
            #expect(isPushed == true)
            ring.drain(upTo: ring.end) { memory in
                body(each, UnsafeRawPointer(memory))
                return true
            }
        }
    }

    @Test(arguments: formats.indices)
    func aRecordIsWrittenAsItsEventIs(_ number: Int) throws {
        let format = Self.formats[number], writer = try #require(format.recordWriter()), memory = LineMemory(), texts = MessageText()
        let cases = Self.cases + Self.keptLiterals + Self.keptLiterals   // the second time they are kept
        var expected: [UInt8] = []
        try withRecords(cases) { each, record in
            let before = memory.count, view = MessageText()
            let isShort = writer.append(PlainRecord(record), texts, to: memory)
            #expect(isShort == each.isShort, "\(each)")
            if isShort {
                memory.endLine(LogTime(nanoseconds: each.time), 7)
                format.append(EventRecord.view(of: record, in: view).event, to: &expected)
            } else {
                #expect(memory.count == before, "\(each)")
            }
        }
        let lines = { (bytes: [UInt8]) in bytes.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) } }
        for (line, wanted) in zip(lines(memory.take().lend { Array($0.bytes) }), lines(expected)) where line != wanted {
            Issue.record("\(line) instead of \(wanted)")
        }
        #expect(lines(expected).count == cases.count { $0.isShort })
    }

    @Test func whatIsBeyondTheLimitsIsLeftToTheLongWay() throws {
        let format = TextFormat.standard(zone: .utc, limits: LogLimits(textBytes: 100, metadataBytes: 100, metadataMembers: 2))
        let writer = try #require(format.recordWriter()), memory = LineMemory(), texts = MessageText()
        let cases = [
            Case(message: "\(Self.long.prefix(101))", isShort: false), Case(message: "\(Self.long.prefix(100))"),
            Case(metadata: ["a": 1, "b": 2, "c": 3], isShort: false), Case(metadata: ["a": .string(Self.long)], isShort: false),
            Case(metadata: ["a": 1, "b": 2]),
        ]
        var answers: [Bool] = []
        try withRecords(cases) { _, record in answers.append(writer.append(PlainRecord(record), texts, to: memory)) }
        #expect(answers == cases.map(\.isShort))
    }

    @Test func aMessageBeyondTheLimitsTakesNoMoreMemory() throws {
        let format = TextFormat.standard(zone: .utc, limits: LogLimits(textBytes: 100)), writer = try #require(format.recordWriter())
        let memory = LineMemory(), texts = MessageText(), room = memory.end - memory.next
        var pieces = LogMessage.StringInterpolation(literalCapacity: 0, interpolationCount: 0)
        for _ in 0..<2_000 {
            pieces.appendLiteral("a literal that is said over and over: for a record it is a word, and two thousand of them are a long text")
        }
        try withRecords([Case(message: LogMessage(stringInterpolation: pieces), isShort: false)]) { _, record in
            #expect(!writer.append(PlainRecord(record), texts, to: memory))
        }
        #expect(memory.end - memory.next == room)
    }

    @Test func theOtherStylesHaveNoShortWay() throws {
        #expect(TextFormat.article().recordWriter() == nil)
        #expect(TextFormat.standard(date: .article).recordWriter() == nil)
        #expect(JSONLineFormat().recordWriter() == nil)
    }
}
