import Foundation
import LogbookGzip
import LogbookTestKit
import Testing

@Suite struct GzipTests {
    static func lines(_ count: Int) -> [UInt8] {
        (0..<count).flatMap {
            Array("{\"level\":\"info\",\"message\":\"event \($0 &* 2_654_435_761 % 1_000_003)\"}\n".utf8)
        }
    }

    /// Named, since a test prints what it is given.
    enum Content: CaseIterable, Sendable {
        case nothing, oneByte, oneLine, fewLines, manyLines, everyByte

        var bytes: [UInt8] {
            switch self {
            case .nothing: []
            case .oneByte: [0]
            case .oneLine: Array("hello\n".utf8)
            case .fewLines: lines(10)
            case .manyLines: lines(50_000)
            case .everyByte: [UInt8](0...255)
            }
        }
    }

    @Test(arguments: Content.allCases, [1, 6, 9])
    func whatWasCompressedComesBack(content: Content, level: Int) throws {
        let bytes = content.bytes
        let compressed = try Gzip.compress(bytes, level: level)
        #expect(try Gzip.inflate(compressed, limit: bytes.count) == bytes)
    }

    @Test func bytesWithoutPatternComeBackToo() throws {
        var random = SystemRandomNumberGenerator()
        let bytes = (0..<200_000).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        #expect(try Gzip.inflate(Gzip.compress(bytes), limit: 200_000) == bytes)
    }

    /// Runs the machine's gzip over bytes.
    func gzip(_ arguments: [String], _ input: [UInt8]) throws -> [UInt8] {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("gzip-\(UUID().uuidString)")
        try Data(input).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let output = file.path + ".out"
        defer { try? FileManager.default.removeItem(atPath: output) }
        let input = try FileHandle(forReadingFrom: file)
        try #require(ChildProcess.run(["gzip"] + arguments, input: input.fileDescriptor, output: output) == .exited(0))
        return try Array(Data(contentsOf: URL(fileURLWithPath: output)))
    }

    @Test func theMachinesGzipReadsWhatWeWrite() throws {
        let bytes = Self.lines(5000)
        #expect(try gzip(["-dc"], Gzip.compress(bytes)) == bytes)
    }

    @Test func weReadWhatTheMachinesGzipWrites() throws {
        let bytes = Self.lines(5000)
        #expect(try Gzip.inflate(gzip(["-c", "-9"], bytes), limit: bytes.count) == bytes)
    }

    @Test func membersInARowAreOneContent() throws {
        let members = try Gzip.compress(Array("one".utf8)) + Gzip.compress([]) + Gzip.compress(Array(" two".utf8))
        #expect(try Gzip.inflate(members, limit: 7) == Array("one two".utf8))
        #expect(throws: GzipError.tooLarge(limit: 6)) { try Gzip.inflate(members, limit: 6) }
    }

    @Test func contentBeyondTheLimitIsRefusedAndTheLimitItselfIsNot() throws {
        let compressed = try Gzip.compress([UInt8](repeating: 1, count: 1000))
        #expect(try Gzip.inflate(compressed, limit: 1000).count == 1000)
        #expect(throws: GzipError.tooLarge(limit: 999)) { try Gzip.inflate(compressed, limit: 999) }
    }

    @Test("S16: a bomb is refused long before it is inflated")
    func aBombIsRefused() throws {
        // A hundred million zeros: a megabyte in each of a hundred members.
        let member = try Gzip.compress([UInt8](repeating: 0, count: 1_000_000), level: 9)
        let bomb = [[UInt8]](repeating: member, count: 100).flatMap { $0 }
        let before = residentBytes()
        for limit in [1 << 20, 16 << 20] {
            #expect(throws: GzipError.tooLarge(limit: limit)) { try Gzip.inflate(bomb, limit: limit) }
            #expect(Gzip.mostContent(of: bomb.count, limit: limit) == limit)
        }
        #expect(residentBytes() - before < 64 << 20)
    }

    @Test("what nothing but the limit keeps small is taken, and never becomes more than was thought possible")
    func theSmallestGzipIsTaken() throws {
        let zeros = [UInt8](repeating: 0, count: 4 << 20), compressed = try Gzip.compress(zeros, level: 9)
        #expect(zeros.count > 1000 * compressed.count)
        #expect(Gzip.mostContent(of: compressed.count, limit: .max) >= zeros.count)
        #expect(try Gzip.inflate(compressed, limit: .max) == zeros)
        #expect(Gzip.mostContent(of: .max, limit: 100) == 100)
    }

    private func residentBytes() -> Int {
        let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
        return fields.count > 1 ? (Int(fields[1]) ?? 0) * 4096 : 0
    }

    @Test func everyPrefixIsCutOff() throws {
        let compressed = try Gzip.compress(Self.lines(20))
        for length in 0..<compressed.count {
            #expect(throws: GzipError.corrupt) { try Gzip.inflate(Array(compressed[..<length]), limit: 1 << 20) }
        }
    }

    @Test func damageAndWhatFollowsAreSeen() throws {
        let bytes = Self.lines(200)
        let compressed = try Gzip.compress(bytes)
        for place in [0, 1, 2, compressed.count / 2, compressed.count - 8, compressed.count - 1] {
            var damaged = compressed
            damaged[place] ^= 0x55
            #expect(throws: GzipError.corrupt) { try Gzip.inflate(damaged, limit: 1 << 20) }
        }
        #expect(throws: GzipError.corrupt) { try Gzip.inflate(compressed + [0], limit: 1 << 20) }
        #expect(throws: GzipError.corrupt) { try Gzip.inflate(compressed + Array("tail".utf8), limit: 1 << 20) }
        #expect(throws: GzipError.corrupt) { try Gzip.inflate(Array("plain text".utf8), limit: 1 << 20) }
    }
}
