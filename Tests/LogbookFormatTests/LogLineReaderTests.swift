import LogbookCore
import LogbookFormat
import Testing

@Suite struct LogLineReaderTests {
    static let written: [(kind: LogLineReader.Kind, format: any ReadableLogFormat)] = [
        (.text, TextFormat.standard()), (.article, TextFormat.article()), (.jsonLines, JSONLineFormat()), (.logfmt, LogfmtFormat()),
        (.ecs, ECSFormat()),
    ]

    @Test func recognisesEveryFormatWhateverTheEventHolds() throws {
        var events = HostileEvents(seed: 99)
        for _ in 0..<500 {
            let event = events.event()
            for (kind, format) in Self.written {
                let line = Array(format.string(for: event).utf8)
                #expect(LogLineReader.kind(of: line) == kind)
                #expect(try LogLineReader().event(from: line) == format.event(from: line))
            }
        }
    }

    @Test func membersOfJSONMayStandInAnyOrder() {
        #expect(LogLineReader.kind(of: Array(#"{"level":"info","time":"x"}"#.utf8)) == .jsonLines)
        #expect(LogLineReader.kind(of: Array(#"{"message":"x","@timestamp":"x"}"#.utf8)) == .ecs)
    }

    @Test(arguments: ["", "\n", "hello", "{}", "{", "[x]", "2015-02-06 hello", "12", "Feb  6 05:59:27 host app: x"])
    func knowsWhatIsNoneOfOurs(line: String) {
        #expect(LogLineReader.kind(of: Array(line.utf8)) == nil)
        #expect(throws: LogLineError.unrecognised) { try LogLineReader().event(from: Array(line.utf8)) }
    }

    @Test func readsALayoutWhenItIsToldOf() throws {
        let layout = try TextFormat.layout("\(.level): \(.message)")
        #expect(try LogLineReader(text: layout).event(from: Array("notice: hello\n".utf8)).message == "hello")
    }

    @Test func readsATimeStampOfOnesOwnAlsoWhenItLooksLikeOurs() throws {
        let text = TextFormat.standard(date: try DatePattern("yyyy-dd-MM HH:mm:ssXXX", zone: .utc)), reader = LogLineReader(text: text)
        let event = LogEvent(sequence: 0, time: ISO8601.time("2026-11-05T10:35:22Z")!, level: .error, message: "m")
        #expect(try reader.event(from: Array(text.string(for: event).utf8)) == event)
        #expect(try reader.event(from: Array(TextFormat.standard(zone: .utc).string(for: event).utf8)) == event)
    }

    @Test(
        "a layout is read as such, although its lines begin like those of another format",
        arguments: [
            ("\(.time(digits: 3, zone: .utc)) \(.level(padded: true)) \(.fileName):\(.line) \(.message)\(.facts)", .text),
            ("[\(.symbol) \(.time(zone: .utc))] \(.message)", .article),
            ("time=\(.time(zone: .utc)) \(.level) \(.message)", .logfmt),
        ] as [(TextLayout, LogLineReader.Kind)])
    func layoutsLikeOurs(pieces: TextLayout, kind: LogLineReader.Kind) throws {
        let layout = try TextFormat.layout(pieces), reader = LogLineReader(text: layout)
        let event = LogEvent(
            sequence: 7, time: LogTime(nanoseconds: 1_591_472_835_393_000_000), level: .warning, message: "payment took 812 ms",
            metadata: ["gateway": "north"], source: LogSource(fileNamed: "Checkout/Cart.swift", line: 12))
        let line = Array(layout.string(for: event).utf8)
        #expect(LogLineReader.kind(of: line) == kind)
        #expect(try reader.event(from: line) == layout.event(from: line))
        // A file may hold lines from before the layout.
        for (_, format) in Self.written {
            let line = Array(format.string(for: event).utf8)
            #expect(try reader.event(from: line) == format.event(from: line))
        }
    }
}
