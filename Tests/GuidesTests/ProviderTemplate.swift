public import Logbook
public import LogbookTestKit
import Testing

// The code of Plugins-Docs/ProviderTemplate.md, to the letter: GuideBlocksTests compares the two.

/// Where lines go: the seam between the provider and the world, so that a test can stand in for it.
public protocol LineReceiver: Sendable {
    /// Takes all lines, or throws and takes none.
    func send(_ lines: [String]) throws
}

/// Why a ``LineSink`` cannot be made.
public enum LineSinkError: Error, Equatable, CustomStringConvertible {
    case invalidName(String)

    public var description: String {
        switch self {
        case .invalidName(let name): "\"\(name)\" cannot name a sink; use 1 to 64 letters and digits"
        }
    }
}

/// Sends every event as a line of JSON that begins with the sink's name.
///
/// Register it with `LogService.shared.register(sink: try LineSink(name: "shop", to: receiver), from: .info)`.
///
/// **Durability.** When `log` returns the event is in memory; when `flush` returns the receiver has taken everything before it. A kill
/// loses at most what the queue holds. A batch whose answer was lost is sent again, so a line may come twice.
public struct LineSink: BatchSink {
    private let name: String
    private let receiver: any LineReceiver
    private let format = JSONLineFormat()

    /// - Throws: ``LineSinkError``: setting up is when the caller can still choose. Later trouble is retried, and counted.
    public init(name: String, to receiver: any LineReceiver) throws(LineSinkError) {
        guard (1...64).contains(name.utf8.count), name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
            throw .invalidName(name)
        }
        self.name = name
        self.receiver = receiver
    }

    public func write(_ batch: [LogEvent]) throws {
        try receiver.send(batch.map { name + " " + format.string(for: $0) })
    }
}

extension FakeReceiver: LineReceiver where Item == [String] {
    public func send(_ lines: [String]) throws { try receive(lines) }
}

@Suite(.serialized) struct LineSinkTests {
    @Test func itKeepsTheContract() async {
        // What the format does not keep whole is claimed: see LogLimits.
        var claims = ConformanceClaims(largestMessage: 64 << 10, mostMembers: 256, deepestMetadata: 16)
        claims.mayRepeatAfterFailure = true
        let report = await ProviderConformance(claims) {
            let receiver = FakeReceiver<[String]>()
            return ConformanceSpecimen(
                sink: try LineSink(name: "test", to: receiver),
                readBack: {
                    try receiver.received.joined().map { line in
                        RecordedEvent(try JSONLineFormat().event(from: String(line.dropFirst("test ".count))))
                    }
                },
                stall: { receiver.stall($0) },
                fail: { receiver.fail($0) })
        }.run()
        #expect(report.findings.isEmpty, "\(report)")
    }

    @Test func aNameThatCouldBeTakenForAnotherFieldIsRefused() {
        #expect(throws: LineSinkError.invalidName("two words")) {
            try LineSink(name: "two words", to: FakeReceiver<[String]>())
        }
    }
}
