@testable import LogbookTestKit
import Testing

/// A bad habit, and the check that is meant for it.
struct Flaw: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let caughtBy: ConformanceCheck
    /// A part of what the finding says.
    let saying: String
    var claims = ConformanceClaims()
    /// Makes a specimen that calls `announceHang` when it will not come back, and what lets it end when the test is over.
    let make:
        @Sendable (_ service: LogService, _ announceHang: @escaping @Sendable () -> Void)
            -> (specimen: ConformanceSpecimen, release: @Sendable () -> Void)

    /// A shelf with a bad habit.
    static func shelf(
        _ name: String, _ check: ConformanceCheck, _ saying: String, claims: ConformanceClaims = .init(),
        _ spoil: @escaping @Sendable (inout Shelf.Habits, LogService) -> Void
    ) -> Flaw {
        Flaw(testDescription: name, caughtBy: check, saying: saying, claims: claims) { service, announceHang in
            var habits = Shelf.Habits()
            spoil(&habits, service)
            let shelf = Shelf(habits, announceHang: announceHang)
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
        _ name: String, _ check: ConformanceCheck, _ saying: String,
        _ write: @escaping @Sendable (BenchSink, [LogEvent]) throws -> Void,
        ignoring deadline: FlawedSink.Deadline? = nil
    ) -> Flaw {
        Flaw(testDescription: name, caughtBy: check, saying: saying) { _, announceHang in
            let inner = BenchSink()
            let sink = FlawedSink(inner: inner, writing: write, ignored: deadline, announceHang: announceHang)
            let specimen = ConformanceSpecimen(
                sink: sink, readBack: { inner.written.map { RecordedEvent($0) } }, stall: { inner.stall($0) },
                fail: { inner.fail($0 ? ScriptedFailure() : nil) })
            return (specimen, {})
        }
    }

    /// A shelf behind a wrapper with a bad habit.
    static func wrapper(_ name: String, _ check: ConformanceCheck, _ saying: String, _ flaw: EveryOther.Flaw) -> Flaw {
        Flaw(testDescription: name, caughtBy: check, saying: saying) { _, _ in
            let shelf = Shelf()
            let specimen = ConformanceSpecimen(
                EveryOther(shelf, flaw), readBack: { shelf.standing.map { RecordedEvent($0) } }, stall: { shelf.stall($0) },
                fail: { shelf.fail($0) })
            return (specimen, {})
        }
    }

    static func queue(
        _ name: String, _ check: ConformanceCheck, _ saying: String, _ flaw: FlawedQueue.Flaw
    ) -> Flaw {
        Flaw(testDescription: name, caughtBy: check, saying: saying) { _, _ in
            (ConformanceSpecimen { FlawedQueue($0, flaw) }, {})
        }
    }
}
