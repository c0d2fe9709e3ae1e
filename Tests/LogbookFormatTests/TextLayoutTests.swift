import LogbookCore
import LogbookFormat
import Testing

@Suite struct TextLayoutTests {
    let event = LogEvent(
        sequence: 7, time: LogTime(nanoseconds: 1_591_472_835_393_000_000), level: .info, message: "took: 812 (ms)",
        metadata: ["gateway": "north"], thread: 4711,
        source: LogSource(fileNamed: "Checkout/Cart.swift", functionNamed: "pay(with:)", line: 12))

    @Test func aLayoutIsTextWithPieces() throws {
        let format = try TextFormat.layout(
            "\(.time(digits: 3, zone: .utc)) \(.level(padded: true)) \(.fileName):\(.line) \(.message)\(.facts)")
        #expect(format.string(for: event) == "2020-06-06T19:47:15.393Z info     Cart.swift:12 took: 812 (ms)\tgateway=north\n")
        let date = try DatePattern("HH:mm", zone: .utc)
        let other = try TextFormat.layout("<\(.symbol) \(.time(date))> \(.message) (\(.file), \(.function), \(.thread)#\(.sequence))")
        #expect(
            other.string(for: event)
                == "<ℹ️ 19:47> took: 812 (ms) (Checkout/Cart.swift, pay(with:), 4711#7)\n")
        #expect(try other.event(from: other.string(for: event)).message == event.message)
    }

    @Test func aMistakeIsNamedWhenTheLayoutIsMade() throws {
        func mistake(_ layout: TextLayout) -> TextLayoutError? {
            do { _ = try TextFormat.layout(layout) } catch { return error }
            return nil
        }
        #expect(mistake("") == .withoutMessage)
        #expect(mistake("\(.level) text") == .withoutMessage)
        #expect(mistake("\(.level)\(.message)") == .adjacent(.level, .message))
        #expect(mistake("\(.message) \(.file) \(.fileName)") == .twice(.fileName))
        #expect(mistake("\(.message)\(.facts) ") == .factsNotLast)
        #expect(mistake("\(.time(digits: 10)) \(.message)") == .fractionDigits(10))
        #expect(mistake("a\nb \(.message)") == .cannotStandInALine("a\nb "))
        #expect(mistake("a\\b \(.message)") == .cannotStandInALine("a\\b "))
        #expect(mistake("\(.message)→\(.file)") == .beginsBeyondASCII("→"))
        #expect(mistake("\(.line)0 \(.message)") == .digit(beside: .line, "0 "))
        #expect(mistake("\(.message)1\(.line)") == .digit(beside: .line, "1"))
        #expect(mistake("\(.sequence)|\(.thread)4: \(.message)") == .digit(beside: .thread, "4: "))
        let hour = TextLayout.Piece.time(try DatePattern("H")), minute = TextLayout.Piece.time(try DatePattern("mm"))
        #expect(mistake("\(hour)0 \(.message)") == .digit(beside: hour, "0 "))
        #expect(mistake("\(.message)1\(hour)") == .digit(beside: hour, "1"))
        #expect(mistake("0\(minute)0 \(.message) 1:\(.line)") == nil)
        #expect(mistake("\(.message)\(.facts)") == nil)
        #expect(TextLayoutError.adjacent(.level, .message).description.contains("level and message"))
    }

    @Test func aFileEscapesWhatEndsIt() throws {
        let format = try TextFormat.layout("\(.file):\(.line) \(.message)")
        let odd = LogEvent(
            sequence: 0, time: LogTime(nanoseconds: 0), level: .info, message: "m", source: LogSource(fileNamed: "C:/a b", line: 3))
        #expect(format.string(for: odd) == "C\\u{3a}/a b:3 m\n")
        #expect(try format.event(from: format.string(for: odd)) == odd)
    }

    @Test func aLineThatIsNotInTheLayoutIsRefused() throws {
        let format = try TextFormat.layout("\(.level)| \(.message) <\(.line)>")
        #expect(throws: LogLineError.malformed(expected: "\"| \"", offset: 4)) { try format.event(from: "info x") }
        #expect(throws: LogLineError.self) { try format.event(from: "info| x <a>") }
        #expect(try format.event(from: "info| x <1> <2>").message == "x <1>")
    }
}
