import LogbookCore
import LogbookTestKit
import Testing

@testable import LogbookFlightRecorder

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Does not come back from its shutdown until the gate opens.
private final class SlowToClose: LogProvider {
    let gate = Gate()
    func log(_ event: LogEvent) {}
    func flush(by deadline: LogDeadline) {}
    func shutdown(by deadline: LogDeadline) { gate.wait() }
}

/// Says something when it is flushed.
private struct TalkativeFlush: LogProvider {
    func log(_ event: LogEvent) {}
    func flush(by deadline: LogDeadline) { LogService.shared.info("while flushing") }
}

/// What a thread of its own comes back with: the pool that runs the tests has none to spare for what waits.
private final class Outcome<Value: Sendable>: Sendable {
    private let value = Locked<Value?>(nil), isThere = Gate()

    init(_ body: @escaping @Sendable () -> Value) {
        LogThread.start("waiting") { [self] in
            let result = body()
            value.withLock { $0 = result }
            isThere.open()
        }
    }

    func get() throws -> Value {
        isThere.wait()
        return try #require(value.withLock { $0 })
    }
}

/// What a recorder keeps where everything became safe, and somebody logged meanwhile.
@Suite struct SafeEndTests {
    private let folder = TemporaryFolder()

    private func recorder(epoch: UInt64 = 1) throws -> FlightRecorder {
        try FlightRecorder(
            path: folder("ring"), capacityBytes: FlightRecorder.capacities.lowerBound,
            origin: LogOrigin(installation: "test", epoch: epoch))
    }
    private var kept: [String] { get throws { try FlightRecorder.recover(folder("ring")).map(\.message) } }

    @Test func whatIsStillInTheQueueOfOneThatHasLeftIsNoSafeEnd() throws {
        let service = LogService(), sink = GatedSink()
        defer { sink.gate.open() }
        service.register(try recorder())
        let leaving = service.register(BatchingProvider(sink), name: "leaving")
        service.info("in hand")
        #expect(sink.gate.waitForArrivals(1))
        leaving.unregister(by: .now)
        // The recorder closes last, and has a second for it, which a busy machine may take as well.
        #expect(service.shutdown(by: .milliseconds(50)).unfinished.first?.name == "leaving")
        #expect(try kept == ["in hand"])
    }

    @Test("what came while the others shut down reached nobody else, and stays", arguments: [[], ["old"]])
    func whatCameDuringAShutdownStays(owed: [String]) throws {
        for message in owed {
            try recorder().log(LogEvent(sequence: 1, time: LogTime(nanoseconds: 0), level: .info, message: message))
        }
        let service = LogService(), slow = SlowToClose()
        service.register(try recorder(epoch: 2))
        let others = [service.register(RecordingProvider()), service.register(slow)]
        service.info("in time")
        let report = Outcome { service.shutdown(by: .seconds(60)) }
        #expect(slow.gate.waitForArrivals(1))
        #expect(becomesTrue { others.allSatisfy { !$0.isOpen } })
        service.info("late")
        slow.gate.open()
        #expect(try report.get().isComplete)
        #expect(others.map(\.ledger.dropped) == [[.alreadyShutDown: 1], [.alreadyShutDown: 1]])
        #expect(try kept == owed + ["late"])
    }

    @Test func whatIsStillOnItsWayToTheOthersWhenAShutdownBeginsStays() throws {
        let service = LogService(), blocking = BlockingProvider()
        service.register(try recorder())
        let way = service.register(blocking), last = service.register(RecordingProvider())
        let saying = Outcome { service.info("on its way") }
        #expect(blocking.gate.waitForArrivals(1))
        let report = Outcome { service.shutdown(by: .seconds(60)) }
        #expect(becomesTrue { !way.isOpen && !last.isOpen })
        blocking.gate.open()
        try saying.get()
        #expect(try report.get().isComplete)
        #expect(last.ledger.dropped == [.alreadyShutDown: 1])
        #expect(try kept == ["on its way"])
    }

    @Test func whatCameDuringTheFlushOfAnExitStays() async throws {
        await #expect(processExitsWith: .success) { [path = folder("ring") as String] in
            LogService.exitFlushLimit = .seconds(60)
            LogService.register(provider: try FlightRecorder(path: path, capacityBytes: FlightRecorder.capacities.lowerBound))
            LogService.register(provider: TalkativeFlush())
            LogService.info("in time")
            exit(0)
        }
        #expect(try kept == ["while flushing"])
    }

    // MARK: Behind a wrapper

    @Test func aRecorderBehindAWrapperIsToldOfASafeEndAsWell() throws {
        let service = LogService()
        let limiting = RateLimiting(try recorder(), to: RateLimit(1, per: .seconds(3600), key: .everything))
        service.register(Sampling(limiting, SamplingPolicy(first: 100)))
        let receiver = service.register(RecordingProvider())
        for _ in 1...3 { service.info("safe") }
        #expect(service.shutdown(by: .seconds(60)).isComplete)
        #expect(receiver.ledger == LogLedger(submitted: 3, delivered: 3))
        #expect(try kept == [])
    }

    @Test func soItIsAtAnExit() async throws {
        await #expect(processExitsWith: .success) { [path = folder("ring") as String] in
            LogService.exitFlushLimit = .seconds(60)
            let recorder = try FlightRecorder(path: path, capacityBytes: FlightRecorder.capacities.lowerBound)
            LogService.register(provider: FoldingRepeats(recorder))
            for _ in 1...3 { LogService.info("safe") }
            exit(0)
        }
        #expect(folder.bytes("ring").count == FlightRecorder.capacities.lowerBound + RingHeader.bytes)
        #expect(try kept == [])
    }

    @Test func whatARecorderBehindAWrapperHandsOverItDoesNotGetItself() throws {
        try recorder().log(LogEvent(sequence: 1, time: LogTime(nanoseconds: 0), level: .info, message: "old"))
        let service = LogService(), next = try recorder(epoch: 2), heard = RecordingProvider()
        service.register(Sampling(next, SamplingPolicy(first: 100)))
        service.register(heard)
        #expect(next.handOver(to: service).isComplete)
        #expect(heard.messages == ["old"])
        #expect(try kept == [])
    }
}
