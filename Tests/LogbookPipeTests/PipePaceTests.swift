import LogbookCore
import LogbookTestKit
import Testing

@testable import LogbookPipe

@Suite struct PipePaceTests {
    /// A provider that has everything before it until its gate opens.
    private final class Slow: LogProvider {
        let gate = Gate()
        private let account = Locked(LogLedger())
        private let failure = Locked<String?>("nobody is there")
        private let asked = Locked(0)
        func log(_ event: LogEvent) { account.withLock { $0.submit() } }
        func flush(by deadline: LogDeadline) throws {}
        func catchUp() { account.withLock { $0.deliver(Int($0.pending)) } }
        /// What it has is somewhere else.
        func letGo() { account.withLock { $0.drop(Int($0.pending), .keptElsewhere) } }
        func recover() { failure.withLock { $0 = nil } }
        /// How often its account was looked at.
        var looks: Int { asked.withLock { $0 } }
        var ledger: LogLedger? {
            asked.withLock { $0 += 1 }
            return account.withLock { $0 }
        }
        var latestFailure: String? { failure.withLock { $0 } }
    }

    /// Reads 100 events, a window of ten after the other, and comes to the gate.
    private func read(_ pace: PipePace, into service: LogService, counting passed: Locked<Int>, then gate: Gate) {
        LogThread.start("reader") {
            for _ in 0..<100 {
                pace.wait(for: 1)
                passed.withLock { $0 += 1 }
                service.info("x")
            }
            gate.wait()
        }
    }

    @Test func aReaderWaitsForAProviderWithMuchBeforeIt() {
        let service = LogService()
        let slow = Slow()
        let passed = Locked(0)
        let gate = Gate()
        service.register(slow)
        read(PipePace(service, windowEvents: 10, windowBytes: 1 << 20), into: service, counting: passed, then: gate)
        while passed.withLock({ $0 }) < 100 {
            let before = passed.withLock { $0 }
            #expect(slow.ledger!.pending <= 21, "two windows, and the event that is on its way")
            slow.catchUp()
            while passed.withLock({ $0 }) == before && passed.withLock({ $0 }) < 100 { slow.catchUp() }
        }
        #expect(gate.waitForArrivals(1))
        gate.open()
    }

    @Test func bytesCountAsWell() {
        let service = LogService()
        let slow = Slow()
        let gate = Gate()
        service.register(slow)
        let pace = PipePace(service, windowEvents: 1_000_000, windowBytes: 100)
        LogThread.start("reader") {
            for _ in 0..<10 {
                pace.wait(for: 60)
                service.info("x")
            }
            gate.wait()
        }
        while !gate.waitForArrivals(1, by: .milliseconds(1)) {
            #expect(slow.ledger!.pending <= 5)
            slow.catchUp()
        }
        gate.open()
    }

    @Test func whatALongWaitIsForIsSaidOnceAndThatItIsOver() {
        let service = LogService(), slow = Slow(), gate = Gate(), said = Locked<[String]>([])
        let clock = ManualClock(now: LogTime(nanoseconds: 0))
        service.register(slow, name: "remote")
        let pace = PipePace(service, windowEvents: 1, windowBytes: 1 << 20, clock: .manual(clock)) { text in
            said.withLock { $0.append(text) }
        }
        LogThread.start("reader") {
            for _ in 0..<3 {
                pace.wait(for: 1)
                service.info("x")
            }
            gate.wait()
        }
        #expect(
            becomesTrue {
                clock.advance(by: .seconds(1))
                return !said.withLock { $0.isEmpty }
            })
        clock.advance(by: .seconds(100))
        slow.catchUp()
        #expect(gate.waitForArrivals(1))
        gate.open()
        #expect(
            said.withLock { $0 } == [
                "logbook pipe: reading waits for remote (nobody is there); the program at the other end of the pipe waits too\n",
                "logbook pipe: reading goes on\n",
            ])
    }

    @Test func whoFailsForLongIsRelievedAndAnOutageCostsThePatienceOnce() {
        let service = LogService(), slow = Slow(), gate = Gate(), passed = Locked(0), said = Locked<[String]>([])
        let clock = ManualClock(now: LogTime(nanoseconds: 0))
        service.register(slow, name: "remote")
        let pace = PipePace(service, windowEvents: 10, windowBytes: 1 << 20, clock: .manual(clock)) { text in
            said.withLock { $0.append(text) }
        }
        let begin = clock.now
        pace.relieve(after: .seconds(60), into: "rest.jsonl") { registration in
            #expect(registration.name == "remote")
            #expect(clock.now.nanoseconds - begin.nanoseconds >= 60_000_000_000)
            slow.letGo()
            return true
        }
        read(pace, into: service, counting: passed, then: gate)
        #expect(
            becomesTrue {
                if passed.withLock({ $0 <= 20 }) { clock.advance(by: .seconds(1)) }
                return passed.withLock { $0 > 20 }
            })
        #expect(gate.waitForArrivals(1), "without another advance of the clock")
        #expect(slow.ledger?.delivered == 0 && slow.ledger?.submitted == 100)
        slow.recover()
        for _ in 0..<20 {
            slow.catchUp()
            pace.wait(for: 1)
            service.info("x")
        }
        gate.open()
        #expect(
            said.withLock { $0 } == [
                "logbook pipe: reading waits for remote (nobody is there); the program at the other end of the pipe waits too\n",
                "logbook pipe: until remote takes events again (nobody is there), they are saved in rest.jsonl\n",
                "logbook pipe: reading goes on\n", "logbook pipe: remote takes events again\n",
            ])
    }

    @Test func whoseEventsCannotBeKeptElsewhereIsWaitedFor() {
        let service = LogService(), slow = Slow(), gate = Gate(), passed = Locked(0), tries = Locked(0)
        let clock = ManualClock(now: LogTime(nanoseconds: 0))
        service.register(slow)
        let pace = PipePace(service, windowEvents: 10, windowBytes: 1 << 20, clock: .manual(clock))
        pace.relieve(after: .seconds(60), into: "rest.jsonl") { _ in
            tries.withLock { $0 += 1 }
            return false
        }
        read(pace, into: service, counting: passed, then: gate)
        #expect(
            becomesTrue {
                clock.advance(by: .seconds(1))
                return tries.withLock { $0 >= 3 }
            })
        #expect(passed.withLock { $0 } == 20 && slow.ledger == LogLedger(submitted: 20))
        pace.release()
        #expect(gate.waitForArrivals(1))
        gate.open()
    }

    @Test func whoIsOnlySlowIsWaitedFor() {
        let service = LogService(), slow = Slow(), gate = Gate(), passed = Locked(0), tries = Locked(0)
        let clock = ManualClock(now: LogTime(nanoseconds: 0))
        slow.recover()
        service.register(slow)
        let pace = PipePace(service, windowEvents: 10, windowBytes: 1 << 20, clock: .manual(clock))
        pace.relieve(after: .seconds(60), into: "rest.jsonl") { _ in
            tries.withLock { $0 += 1 }
            return true
        }
        read(pace, into: service, counting: passed, then: gate)
        for _ in 0..<10 {
            clock.advance(by: .seconds(600))
            let looks = slow.looks
            #expect(becomesTrue { slow.looks > looks + 5 })
        }
        #expect(tries.withLock { $0 } == 0 && passed.withLock { $0 } == 20)
        pace.release()
        #expect(gate.waitForArrivals(1))
        gate.open()
    }

    @Test func nobodyWaitsAfterTheRelease() {
        let service = LogService()
        let slow = Slow()
        service.register(slow)
        let pace = PipePace(service, windowEvents: 1, windowBytes: 1)
        pace.release()
        for _ in 0..<100 {
            pace.wait(for: 10)
            service.info("x")
        }
        #expect(slow.ledger?.pending == 100)
    }
}
