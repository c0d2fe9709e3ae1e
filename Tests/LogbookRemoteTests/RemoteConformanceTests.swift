import LogbookCore
import LogbookDelivery
import LogbookFormat
import LogbookGzip
import LogbookHTTP
import LogbookRemote
import LogbookTestKit
import Testing

/// The provider contract, for events that a collector acknowledges.
@Suite(.serialized) struct RemoteConformanceTests {
    /// Stores each event once, by its key, as a collector does; and does not answer, or refuses, when told.
    private final class Collector: Sendable {
        private enum Mood { case willing, silent, refusing }
        private struct State {
            var mood = Mood.willing
            var keys: Set<String> = []
            var stored: [RecordedEvent] = []
        }
        private let state = Locked(State())
        let transport: ScriptedTransport

        init() {
            let state = state
            transport = ScriptedTransport { _, request in
                switch state.withLock({ $0.mood }) {
                case .silent: .hold
                case .refusing: .status(503)
                case .willing: .answer(Self.store(request, state))
                }
            }
        }

        private static func store(_ request: HTTPRequest, _ state: Locked<State>) -> HTTPResponse {
            let isGzip = request.headers.contains(HTTPHeader("Content-Encoding", "gzip"))
            let bytes = isGzip ? (try? Gzip.inflate(request.body, limit: 64 << 20)) ?? [] : request.body
            var accepted = 0, duplicates = 0
            for line in bytes.split(separator: 0x0A) {
                guard let (event, origin) = try? JSONLineFormat.parse(Array(line)) else { continue }
                let key = "\(origin?.installation ?? "")/\(origin?.epoch ?? 0)/\(event.sequence)"
                state.withLock { state in
                    guard state.keys.insert(key).inserted else { return duplicates += 1 }
                    state.stored.append(RecordedEvent(event))
                    accepted += 1
                }
            }
            let parcel = request.headers.first { $0.name.lowercased() == "logbook-parcel" }?.value ?? ""
            return FakeCollector.acknowledgement(parcel, accepted, duplicates, 0)
        }

        var stored: [RecordedEvent] { state.withLock { $0.stored } }

        func stall(_ isSilent: Bool) {
            state.withLock { $0.mood = isSilent ? .silent : .willing }
            if !isSilent { transport.release(with: HTTPResponse(status: 503, headers: [], body: [])) }   // it is asked again
        }

        func fail(_ isRefusing: Bool) { state.withLock { $0.mood = isRefusing ? .refusing : .willing } }
    }

    private static func specimen(_ queue: RemoteQueuePolicy) -> ConformanceSpecimen {
        let collector = Collector()
        let provider = RemoteLogProvider(
            to: CollectorDestination(url: "http://127.0.0.1:1", token: "hush"), queue: queue,
            delivery: DeliveryPolicy(firstPause: .milliseconds(1), longestPause: .milliseconds(5)), transport: collector.transport)
        return ConformanceSpecimen(
            provider, readBack: { collector.stored }, stall: collector.stall, fail: collector.fail,
            cleanUp: { try? provider.shutdown(by: .now) })
    }

    /// The same collector, with events in a folder on the way.
    private static func spooled() throws -> ConformanceSpecimen {
        let collector = Collector(), folder = TemporaryFolder()
        let provider = try RemoteLogProvider(
            to: .collector(url: "http://127.0.0.1:1", token: "hush"), spool: folder.path + "/spool",
            delivery: DeliveryPolicy(firstPause: .milliseconds(1), longestPause: .milliseconds(5)), transport: collector.transport)
        return ConformanceSpecimen(
            provider,
            readBack: {
                // After a shutdown the next run sends what is left.
                let next = try RemoteLogProvider(
                    to: .collector(url: "http://127.0.0.1:1"), spool: folder.path + "/spool", transport: collector.transport)
                try? provider.deliver(by: .seconds(60))
                try? next.deliver(by: .seconds(60))
                try? next.shutdown(by: .seconds(60))
                return collector.stored
            }, stall: collector.stall, fail: collector.fail,
            cleanUp: {
                try? provider.shutdown(by: .now)
                withExtendedLifetime(folder) {}
            })
    }

    @Test func eventsInAFolderConform() async throws {
        var claims = Self.claims
        claims.mayRepeatAfterFailure = false
        let report = await ProviderConformance(claims, patience: .seconds(120)) { try Self.spooled() }.run()
        #expect(report.findings.isEmpty, "\(report)")
    }

    private static var claims: ConformanceClaims {
        ConformanceClaims(largestMessage: LogLimits.highest.textBytes, mostMembers: LogLimits.highest.metadataMembers)
    }

    @Test func eventsThatACollectorAcknowledgesConform() async {
        let report = await ProviderConformance(Self.claims, patience: .seconds(120)) { Self.specimen(RemoteQueuePolicy()) }.run()
        #expect(report.findings.isEmpty, "\(report)")
    }

    @Test(arguments: [RemoteQueuePolicy.Overflow.dropOldest, .dropNewest])
    func aSmallQueueConformsUnderEveryOverflow(_ overflow: RemoteQueuePolicy.Overflow) async {
        var claims = Self.claims
        claims.capacity = 64 + 16   // the queue, and the parcel on its way
        let report = await ProviderConformance(claims, patience: .seconds(120)) {
            Self.specimen(RemoteQueuePolicy(maximumEvents: 64, overflow: overflow, parcelEvents: 16))
        }.run()
        #expect(report.findings.isEmpty, "\(report)")
    }
}
