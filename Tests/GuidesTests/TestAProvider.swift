import Foundation
import Logbook
import LogbookTestKit
import Testing

// The code of Plugins-Docs/TestAProvider.md, to the letter: GuideBlocksTests compares the two.

struct Lines: BatchSink {
    let post: @Sendable ([String]) throws -> Void

    func write(_ batch: [LogEvent]) throws {
        try post(batch.map { "\($0.sequence)\t\($0.level.name)\t\($0.message)" })
    }
}

func recorded(_ line: String) -> RecordedEvent {
    let parts = line.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false)
    return RecordedEvent(
        sequence: UInt64(parts[0]), level: LogLevel(name: parts[1]), message: String(parts[2]))
}

@Suite(.serialized) struct TestAProviderTests {
    /// They are there with the trait `SwiftLog` alone, and named in either case.
    static let handlerChecks = 23

    static func page() throws -> String {
        let page = GuideBlocksTests.root.appendingPathComponent("Plugins-Docs/TestAProvider.md")
        return try String(contentsOf: page, encoding: .utf8)
    }

    @Test func redactingConforms() async {
        let report = await ProviderConformance {
            let recorder = RecordingProvider()
            return ConformanceSpecimen(Redacting(keys: ["card"], wrapped: recorder)) {
                recorder.events.map { RecordedEvent($0) }
            }
        }.run()
        #expect(report.findings.isEmpty, "\(report)")
    }

    @Test func linesConform() async {
        let report = await ProviderConformance {
            let server = FakeReceiver<[String]>()
            return ConformanceSpecimen(
                sink: Lines { try server.receive($0) },
                readBack: { server.received.joined().map(recorded) },
                stall: { server.stall($0) },
                fail: { server.fail($0) })
        }.run()
        #expect(report.findings.isEmpty, "\(report)")
        #expect(report.passed.contains(.logDoesNotWait) && report.passed.contains(.survivesFailure), "\(report)")   // the hooks are there
        #expect(!report.passed.contains(.staysBounded))
    }

    @Test func theWebhookOfTheOtherPageIsForged() async throws {
        let report = await ProviderConformance {
            let server = FakeReceiver<String>()
            return ConformanceSpecimen(sink: Webhook { try server.receive($0) }) {
                server.received.flatMap { $0.split(separator: "\n") }.map { _ in RecordedEvent() }
            }
        }.run()
        #expect(report.findings.map(\.check) == [.oneInOneOut])
        #expect(try Self.page().contains("```\n" + report.description.split(separator: "\n").prefix(2).joined(separator: "\n")))
    }

    @Test func aSmallQueueStaysWithinItsClaims() async {
        let policy = QueuePolicy(
            capacity: 64, reservedCapacity: 0, batchCount: 16, overflow: .dropOldest, firstPause: .milliseconds(1))
        let claims = ConformanceClaims(capacity: 64 + 16)    // the queue, and the batch that is being written
        let report = await ProviderConformance(claims) {
            ConformanceSpecimen { sink in BatchingProvider(sink, policy: policy) }
        }.run()
        #expect(report.findings.isEmpty, "\(report)")
    }

    @Test func aWrapperThatHoldsEventsBackConforms() async {
        let report = await ProviderConformance {
            let recorder = RecordingProvider()
            return ConformanceSpecimen(EveryOther(recorder)) { recorder.events.map { RecordedEvent($0) } }
        }.run()
        #expect(report.findings.isEmpty, "\(report)")
    }

    @Test func aProviderThatLogsConforms() async {
        final class Talkative: LogProvider {
            let recorder = RecordingProvider(), service: LogService
            init(service: LogService) { self.service = service }
            func log(_ event: LogEvent) {
                recorder.log(event)
                if event.level >= .critical { service.notice("somebody should look at \(event.sequence)") }
            }
            func flush(by deadline: LogDeadline) {}
        }
        let report = await ProviderConformance(withService: { service in
            let talkative = Talkative(service: service)
            return ConformanceSpecimen(talkative) { talkative.recorder.events.map { RecordedEvent($0) } }
        }).run()
        #expect(report.findings.isEmpty, "\(report)")
    }

    @Test func aBlockedNeighbourDelaysNobody() {
        let service = LogService(), stuck = BlockingProvider(), console = RecordingProvider()
        service.register(stuck, delivery: .queued())
        service.register(console)
        service.info("still here")
        #expect(console.messages == ["still here"])
        #expect(stuck.gate.waitForArrivals(1))    // by now it hangs, and nobody else does
        stuck.gate.open()
        #expect(service.flush(by: .seconds(30)).isComplete)
        #expect(stuck.messages == ["still here"])
    }

    @Test func timeStandsStill() {
        let clock = ManualClock(now: LogTime(seconds: 1_767_225_600))
        let service = LogService(clock: .manual(clock)), heard = RecordingProvider()
        service.register(heard)
        service.info("one")
        clock.advance(by: .seconds(90))
        service.info("two")
        #expect(heard.events.map(\.time.wholeSeconds) == [1_767_225_600, 1_767_225_690])
    }

    @Test func theDiskIsFull() throws {
        let place = TemporaryFolder(), folder = place.path
        let disk = FaultyFileSystem(), clock = ManualClock(now: LogTime(seconds: 1_767_225_600))
        let service = LogService(clock: .manual(clock))
        let file = try FileLogProvider(in: folder, on: disk, clock: .manual(clock))
        service.register(file)
        disk.fail(ENOSPC)
        service.error("not written")
        #expect(service.health().providers[0].latestFailure?.contains("No space left on device") == true)
        disk.fail(nil)
        clock.advance(by: .seconds(60))    // past the pause between two attempts
        service.info("written")
        #expect(service.health().providers[0].latestFailure == nil)
        #expect(file.ledger?.dropped == [.inputOutputError: 1])
        #expect(try String(contentsOfFile: place("app.log"), encoding: .utf8).contains("written"))
    }

    @Test func thePageNamesEveryCheckWithItsPromise() throws {
        let text = try Self.page().components(separatedBy: "## The checks")[1]
        for check in ProviderConformance.checks {
            #expect(text.contains("| `\(check.name)` | \(check.promise) |"))
        }
        #expect(text.components(separatedBy: "\n| `").count - 1 == ProviderConformance.checks.count + Self.handlerChecks)
    }
}
