import LogbookCore
import LogbookFlightRecorder
import LogbookTestKit
import Testing

/// The provider contract, for what a killed program has said.
@Suite struct FlightRecorderConformanceTests {
    /// The recorder as a service knows it that is told of no safe end: one leaves nothing to recover, and so nothing to read back.
    private struct Unwitnessed: LogProvider {
        let recorder: FlightRecorder

        func log(_ event: LogEvent) { recorder.log(event) }
        func flush(by deadline: LogDeadline) throws { try recorder.flush(by: deadline) }
        func shutdown(by deadline: LogDeadline) throws { try recorder.shutdown(by: deadline) }
        var ledger: LogLedger? { recorder.ledger }
    }

    @Test func theRecorderConforms() async {
        var claims = ConformanceClaims(visibility: .whenLogReturns)
        claims.largestMessage = LogLimits.standard.textBytes
        claims.mostMembers = LogLimits.standard.metadataMembers
        claims.deepestMetadata = LogLimits.standard.metadataDepth
        let report = await ProviderConformance(claims, patience: .seconds(120)) {
            let folder = TemporaryFolder(inMemory: true)
            let recorder = try FlightRecorder(path: folder("ring"), capacityBytes: 2 << 20)
            return ConformanceSpecimen(Unwitnessed(recorder: recorder)) {
                try FlightRecorder.recover(folder("ring")).map { event in
                    var read = RecordedEvent(event)
                    guard case .unsigned(let sequence)? = event.metadata[FlightRecorder.sequenceKey] else { throw Unmarked() }
                    read.sequence = sequence
                    read.metadata = LogMetadata(event.metadata.dropFirst(3).map { ($0.key, $0.value) })   // without the marks
                    return read
                }
            }
        }.run()
        #expect(report.findings.isEmpty, "\(report)")
    }

    private struct Unmarked: Error {}
}
