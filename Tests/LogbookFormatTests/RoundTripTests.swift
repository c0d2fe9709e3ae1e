import LogbookCore
import LogbookFormat
import Testing

@Suite struct RoundTripTests {
    /// Nothing that moves a cursor, breaks a line or turns the direction of text.
    static func forbidden(_ bytes: [UInt8]) -> UInt32? {
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            switch scalar.value {
            case 0x09: continue
            case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: return scalar.value
            default: continue
            }
        }
        return nil
    }

    @Test("row 38, S1, S2, S3: hostile events come back as they were, each from one clean line", arguments: FormatUnderTest.all)
    func hostileEventsComeBack(under test: FormatUnderTest) throws {
        var events = HostileEvents(seed: 20_261_121)
        var bytes: [UInt8] = []
        for number in 0..<test.events {
            let event = events.event()
            bytes.removeAll(keepingCapacity: true)
            test.format.append(event, to: &bytes)
            let line = String(decoding: bytes, as: UTF8.self)
            guard bytes.last == 0x0A, bytes.lastIndex(of: 0x0A) == bytes.firstIndex(of: 0x0A) else {
                Issue.record("event \(number) is not one line: \(line.debugDescription)")
                return
            }
            if let scalar = Self.forbidden(Array(bytes.dropLast())) {
                Issue.record("event \(number) holds a raw U+\(String(scalar, radix: 16)): \(line.debugDescription)")
                return
            }
            do {
                let read = try test.format.event(from: bytes), kept = test.kept(event)
                guard read == kept, Array(read.message.utf8) == Array(kept.message.utf8) else {
                    Issue.record("event \(number) came back changed\n\(line)\n\(read)\n\(kept)")
                    return
                }
            } catch {
                Issue.record("event \(number): \(error)\n\(line)")
                return
            }
        }
    }

    @Test("no damage to a line crashes a reader, and what is still read can be written", arguments: FormatUnderTest.all)
    func damagedLinesAreRefusedOrRead(under test: FormatUnderTest) {
        var events = HostileEvents(seed: 7)
        var refused = 0
        for _ in 0..<500 {
            var line: [UInt8] = []
            test.format.append(events.event(), to: &line)
            for _ in 0..<10 {
                var damaged = line
                for _ in 0...events.below(3) {
                    let place = events.below(max(damaged.count, 1))
                    switch events.below(5) {
                    case 0 where !damaged.isEmpty: damaged[place] = UInt8(truncatingIfNeeded: events.word())
                    case 1 where !damaged.isEmpty: damaged[place] ^= 1 << UInt8(events.below(8))
                    case 2: damaged.removeSubrange(place..<min(damaged.count, place + events.below(9)))
                    case 3: damaged.insert(contentsOf: Array("\\u{\"]=[:".utf8.prefix(events.below(8))), at: min(place, damaged.count))
                    default: damaged = Array(damaged.prefix(place))
                    }
                }
                do {
                    var again: [UInt8] = []
                    test.format.append(try test.format.event(from: damaged), to: &again)
                } catch {
                    refused += 1
                    if error.description.isEmpty { Issue.record("an error without words") }
                }
                _ = try? LogLineReader().event(from: damaged)
            }
        }
        #expect(refused > 100)
    }

    @Test func everyFormatTakesALineWithOrWithoutItsEnd() throws {
        var events = HostileEvents(seed: 3)
        let event = events.event()
        for test in FormatUnderTest.all {
            let line = Array(test.format.string(for: event).utf8)
            for ending in ["", "\n", "\r\n"] {
                #expect(try test.format.event(from: Array(line.dropLast()) + ending.utf8) == test.kept(event))
            }
        }
    }
}
