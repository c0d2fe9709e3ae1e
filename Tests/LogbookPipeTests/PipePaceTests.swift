import LogbookCore
import LogbookTestKit
import Testing

@testable import LogbookPipe

@Suite struct PipePaceTests {
    /// A provider that has everything before it until its gate opens.
    private final class Slow: LogProvider {
        let gate = Gate()
        private let account = Locked(LogLedger())
        func log(_ event: LogEvent) { account.withLock { $0.submit() } }
        func flush(by deadline: LogDeadline) throws {}
        func catchUp() { account.withLock { $0.deliver(Int($0.pending)) } }
        var ledger: LogLedger? { account.withLock { $0 } }
        var latestFailure: String? { "nobody is there" }
    }

    @Test func aReaderWaitsForAProviderWithMuchBeforeIt() {
        let service = LogService()
        let slow = Slow()
        let passed = Locked(0)
        let gate = Gate()
        service.register(slow)
        let pace = PipePace(service, windowEvents: 10, windowBytes: 1 << 20)
        LogThread.start("reader") {
            for _ in 0..<100 {
                pace.wait(for: 1)
                passed.withLock { $0 += 1 }
                service.info("x")
            }
            gate.wait()
        }
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
