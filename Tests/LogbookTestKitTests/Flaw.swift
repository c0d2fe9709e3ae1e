@testable import LogbookTestKit
import Testing

/// A bad habit, and the check that is meant for it.
struct Flaw: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let caughtBy: ConformanceCheck
    /// A part of what the finding says.
    let saying: String
    var claims = ConformanceClaims()
    /// True for habits that never come back: the check waits for its limit.
    var hangs = false
    let make: @Sendable (LogService) throws -> (specimen: ConformanceSpecimen, release: @Sendable () -> Void)

    /// A shelf with a bad habit.
    static func shelf(
        _ name: String, _ check: ConformanceCheck, _ saying: String, claims: ConformanceClaims = .init(), hangs: Bool = false,
        _ spoil: @escaping @Sendable (inout Shelf.Habits, LogService) -> Void
    ) -> Flaw {
        Flaw(testDescription: name, caughtBy: check, saying: saying, claims: claims, hangs: hangs) { service in
            var habits = Shelf.Habits()
            spoil(&habits, service)
            let shelf = Shelf(habits)
            return (shelf.specimen, { shelf.gate.open() })
        }
    }

    /// A shelf that makes something else of some events.
    static func keeping(
        _ name: String, _ check: ConformanceCheck, _ saying: String,
        _ keep: @escaping @Sendable (LogEvent, inout Shelf.State) -> [LogEvent]
    ) -> Flaw {
        shelf(name, check, saying) { habits, _ in habits.keep = keep }
    }

    static func sink(
        _ name: String, _ check: ConformanceCheck, _ saying: String, hangs: Bool = false,
        _ write: @escaping @Sendable (BenchSink, [LogEvent]) throws -> Void,
        flush: @escaping @Sendable (BenchSink, LogDeadline) throws -> Void = { $0.flush(by: $1) }
    ) -> Flaw {
        Flaw(testDescription: name, caughtBy: check, saying: saying, hangs: hangs) { _ in
            let inner = BenchSink()
            let sink = FlawedSink(inner: inner, writing: write, flushing: flush)
            let specimen = ConformanceSpecimen(
                sink: sink, readBack: { inner.written.map { RecordedEvent($0) } }, stall: { inner.stall($0) },
                fail: { inner.fail($0 ? ScriptedFailure() : nil) })
            return (specimen, {})
        }
    }

    static func queue(
        _ name: String, _ check: ConformanceCheck, _ saying: String, _ flaw: FlawedQueue.Flaw
    ) -> Flaw {
        Flaw(testDescription: name, caughtBy: check, saying: saying) { _ in
            (ConformanceSpecimen { FlawedQueue($0, flaw) }, {})
        }
    }
}

struct FlawedSink: BatchSink {
    let inner: BenchSink
    let writing: @Sendable (BenchSink, [LogEvent]) throws -> Void
    let flushing: @Sendable (BenchSink, LogDeadline) throws -> Void
    func write(_ batch: [LogEvent]) throws { try writing(inner, batch) }
    func flush(by deadline: LogDeadline) throws { try flushing(inner, deadline) }
    func close(by deadline: LogDeadline) { inner.close(by: deadline) }
}
