import LogbookCore
import LogbookFormat
import LogbookTestKit
import Testing

@Suite struct LimitsTests {
    static let formats: [any ReadableLogFormat] = [TextFormat.standard(zone: .utc), JSONLineFormat(), LogfmtFormat(), ECSFormat()]

    func line(_ format: some LogFormat, _ message: String, _ metadata: LogMetadata = [:]) -> [UInt8] {
        var bytes: [UInt8] = []
        format.append(
            LogEvent(sequence: 1, time: LogTime(nanoseconds: 0), level: .info, message: message, metadata: metadata), to: &bytes)
        return bytes
    }

    @Test("row 37: a message of 100 MB is one short line that says so", arguments: 0..<formats.count)
    func hugeMessage(format: Int) throws {
        let bytes = line(Self.formats[format], String(repeating: "0123456789\n", count: 10_000_000))
        #expect(bytes.count < 200_000)
        #expect(bytes.filter { $0 == 0x0A }.count == 1)
        let read = try Self.formats[format].event(from: bytes)
        #expect(read.message.hasSuffix("… [cut from 110000000 bytes]"))
    }

    static let manyAndDeep: LogMetadata = {
        var deep = LogValue.null
        for _ in 0..<10_000 { deep = .array([deep]) }
        return LogMetadata([("deep", deep)] + (0..<1_000_000).map { ("key\($0)", LogValue.string("\n")) })
    }()

    @Test("row 37: a million keys and ten thousand levels are one line that says so", arguments: 0..<formats.count)
    func hugeMetadata(format: Int) throws {
        let bytes = line(Self.formats[format], "m", Self.manyAndDeep)
        #expect(bytes.count < 100_000)
        #expect(bytes.filter { $0 == 0x0A }.count == 1)
        let read = try Self.formats[format].event(from: bytes).metadata
        #expect(read.count == 256)
        #expect(read.last?.value == "255 of 1000001 members")
    }

    @Test func whatIsWrittenWithTheHighestLimitsCanBeRead() throws {
        let text = String(repeating: "\u{1}", count: 1 << 20)
        for format in [
            TextFormat.standard(zone: .utc, limits: .highest) as any ReadableLogFormat, JSONLineFormat(limits: .highest),
            LogfmtFormat(limits: .highest), ECSFormat(limits: .highest),
        ] {
            var value = LogValue.string("x")
            for _ in 0..<LogLimits.highest.metadataDepth { value = .array([value]) }
            let read = try format.event(from: line(format, text, ["deep": value]))
            #expect(read.message == text)
            if !(format is ECSFormat) { #expect(read.metadata == ["deep": value]) }
            // Within a document that is a string, each of these bytes is written in seven, and each quote in two.
            let most = LogLimits.highest.maximumElements - 2
            for (text, count) in [(1_000_000, 1), (8, most)] {
                let texts = Array(repeating: LogValue.string(String(repeating: "\u{1}", count: text)), count: count)
                let metadata = try format.event(from: line(format, "m", ["d": .array(texts)])).metadata
                if !(format is ECSFormat) { #expect(metadata == ["d": .array(texts)]) }
            }
        }
    }

    @Test("row 37: an array of empty texts is no smaller than one of numbers, and is cut like that", arguments: 0..<formats.count)
    func manyEmptyTexts(format: Int) throws {
        let bytes = line(Self.formats[format], "m", ["list": .array(Array(repeating: "", count: 200_000))])
        #expect(bytes.count < 200_000)
        #expect(String(decoding: bytes, as: UTF8.self).contains("… [cut from 200000 elements]"))
        let read = try Self.formats[format].event(from: bytes)
        #expect(read.message == "m" && read.metadata.map(\.key) == ["list"])
    }

    @Test func theLongestArrayOfTheHighestLimitsCanBeRead() throws {
        // The key and the array itself count as well.
        let most = LogLimits.highest.maximumElements - 2
        for format in [
            TextFormat.standard(zone: .utc, limits: .highest) as any ReadableLogFormat, JSONLineFormat(limits: .highest),
            LogfmtFormat(limits: .highest), ECSFormat(limits: .highest),
        ] {
            for (element, count) in [(1, 120_000), (1, most), ("", most)] as [(LogValue, Int)] {
                let list = LogValue.array(Array(repeating: element, count: count))
                let read = try format.event(from: line(format, "m", ["list": list])).metadata
                if !(format is ECSFormat) { #expect(read == ["list": list]) }
            }
            let cut = line(format, "m", ["list": .array(Array(repeating: "", count: most + 1))])
            #expect(String(decoding: cut, as: UTF8.self).contains("… [cut from \(most + 1) elements]"))
            #expect(try format.event(from: cut).message == "m")
        }
    }

    @Test("row 37: what the service has cut is cut again by the format, and says how much there was at first")
    func cutTwice() throws {
        let service = LogService(), provider = RecordingProvider(), format = JSONLineFormat()
        service.register(provider, from: .verbose)
        let members = LogMetadata((0..<300).map { ("key\(100 + $0)", LogValue.string(String(repeating: "v", count: 300))) })
        let deep = (0..<10_000).reduce(LogValue.null) { value, _ in .array([value]) }
        service.info("\(String(repeating: "m", count: 3 << 20))")
        service.info("members", metadata: members)
        service.info("list", metadata: ["list": .array(Array(repeating: 1, count: 200_000))])
        service.info("deep", metadata: ["deep": deep])
        let lines = provider.events.map { format.string(for: $0) }
        try #require(lines.count == 4)
        #expect(try format.event(from: lines[0]).message.hasSuffix("… [cut from 3145728 bytes]"))
        #expect(try format.event(from: lines[1]).metadata.last?.value == "215 of 300 members")
        #expect(lines[2].contains("… [cut from 200000 elements]"))
        #expect(lines[3].contains("… [cut from 9984 levels]"))
    }

    @Test func aValueThatWentThroughNoLimitsIsCutByTheWriter() {
        var deep = LogValue.null
        for _ in 0..<10_000 { deep = .object(["a": deep]) }
        var bytes: [UInt8] = []
        bytes.append(json: deep)
        #expect(String(decoding: bytes, as: UTF8.self).contains("… [cut from 9976 levels]"))
    }
}
