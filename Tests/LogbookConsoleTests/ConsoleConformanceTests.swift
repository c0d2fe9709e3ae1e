import LogbookCore
import LogbookFormat
import LogbookTestKit
import Testing

@testable import LogbookConsole

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The provider contract, for lines on a stream.
@Suite(.serialized) struct ConsoleConformanceTests {
    /// What a program would redirect the stream to.
    private final class Redirection: Sendable {
        let descriptor: Int32

        init() {
            var template = Array("/tmp/logbook-console-XXXXXX".utf8CString)
            descriptor = mkstemp(&template)
            precondition(descriptor >= 0 && fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0)
            unlink(template)
        }
        deinit { close(descriptor) }

        var lines: [[UInt8]] {
            var bytes: [UInt8] = [], piece = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = pread(descriptor, &piece, piece.count, off_t(bytes.count))
                if count <= 0 { break }
                bytes += piece[..<count]
            }
            var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0) }
            if lines.last?.isEmpty == true { lines.removeLast() }
            return lines
        }
    }

    @Test(arguments: [false, true])
    func linesOnAStreamConform(areColoured: Bool) async {
        var claims = ConformanceClaims(visibility: .whenLogReturns)
        claims.largestMessage = LogLimits.highest.textBytes
        claims.mostMembers = LogLimits.highest.metadataMembers
        claims.timeResolution = .microseconds(1)
        let format = TextFormat.standard(zone: .utc, limits: .highest)
        let report = await ProviderConformance(claims, patience: .seconds(120)) {
            let stream = Redirection()
            let provider = ConsoleLogProvider(
                format: format, descriptor: stream.descriptor, colour: areColoured ? .always : .never)
            return ConformanceSpecimen(provider) {
                try stream.lines.map { line in
                    let event = try format.event(from: areColoured ? Self.withoutColours(line) : line)
                    return RecordedEvent(time: event.time, level: event.level, message: event.message, metadata: event.metadata)
                }
            }
        }.run()
        #expect(report.findings.isEmpty, "\(report)")
    }

    /// No text of an event holds an escape character: those that are there are ours.
    private static func withoutColours(_ line: [UInt8]) -> [UInt8] {
        var plain: [UInt8] = [], isInside = false
        for byte in line {
            if byte == 0x1B { isInside = true }
            if !isInside { plain.append(byte) }
            if isInside, byte == UInt8(ascii: "m") { isInside = false }
        }
        return plain
    }
}
