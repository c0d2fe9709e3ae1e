import LogbookCore
import LogbookFormat
import LogbookTestKit
import Testing

@testable import LogbookFiles

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The provider contract, for files in every format.
@Suite(.serialized) struct FileConformanceTests {
    private enum Style: CaseIterable, CustomTestStringConvertible {
        case text, article, jsonLines, logfmt, ecs
        var testDescription: String { "\(self)" }

        /// With room for what the checks log; a program's own limits are smaller.
        var format: any ReadableLogFormat {
            switch self {
            case .text: TextFormat.standard(zone: .utc, limits: .highest)
            case .article: TextFormat.article(date: Self.date, limits: .highest)
            case .jsonLines: JSONLineFormat(limits: .highest)
            case .logfmt: LogfmtFormat(limits: .highest)
            case .ecs: ECSFormat(limits: .highest)
            }
        }
        private static let date = try! DatePattern("yyyy-MM-dd HH:mm:ss.SSSSSS", zone: .utc)
    }

    private static func claims(_ style: Style, _ visibility: ConformanceClaims.Visibility) -> ConformanceClaims {
        var claims = ConformanceClaims(visibility: visibility)
        claims.largestMessage = LogLimits.highest.textBytes
        claims.mostMembers = LogLimits.highest.metadataMembers
        if style == .text || style == .article { claims.timeResolution = .microseconds(1) }
        return claims
    }

    /// A file that can be made to fail, and what stands in it.
    private struct Bench {
        let folder = TemporaryFolder(inMemory: true)
        let clock = ManualClock(now: LogTime(seconds: 1_767_225_600)), files = FaultyFileSystem()
        let style: Style

        func provider() throws -> FileLogProvider {
            try FileLogProvider(
                in: folder.path, format: style.format, rolling: RollingPolicy(maximumBytes: 4 << 20), files: files,
                clock: .manual(clock))
        }

        func readBack() throws -> [RecordedEvent] {
            try folder.allLines().compactMap { line in
                let event = try style.format.event(from: line)
                if event.message.contains("missing here: ") { return nil }   // the provider's own line about a loss
                switch style {
                case .article: return RecordedEvent(time: event.time, level: event.level, message: event.message)
                case .text:
                    return RecordedEvent(time: event.time, level: event.level, message: event.message, metadata: event.metadata)
                case .ecs:   // labels are text: lists and objects come back as JSON
                    return RecordedEvent(sequence: event.sequence, time: event.time, level: event.level, message: event.message)
                case .jsonLines, .logfmt: return RecordedEvent(event)
                }
            }
        }

        func fail(_ isFailing: Bool) {
            files.fail(isFailing ? ENOSPC : nil)
            if !isFailing { clock.advance(by: .seconds(60)) }   // past every pause between attempts
        }
    }

    @Test(arguments: Style.allCases)
    private func oneByOneConforms(_ style: Style) async {
        let report = await ProviderConformance(Self.claims(style, .whenLogReturns), patience: .seconds(120)) {
            let bench = Bench(style: style)
            return ConformanceSpecimen(try bench.provider(), readBack: bench.readBack, fail: bench.fail)
        }.run()
        #expect(report.findings.isEmpty, "\(report)")
    }

    @Test(arguments: Style.allCases)
    private func inBatchesConforms(_ style: Style) async {
        let report = await ProviderConformance(Self.claims(style, .whenFlushReturns), patience: .seconds(120)) {
            let bench = Bench(style: style)
            return ConformanceSpecimen(sink: try bench.provider(), readBack: bench.readBack, fail: bench.fail)
        }.run()
        #expect(report.findings.isEmpty, "\(report)")
    }
}
