@testable import LogbookCore
import LogbookTestKit
import Testing

@Suite struct LogLedgerTests {
    @Test func whatAQueueDeliveredToAProviderThatLostItIsLost() {
        let queue = LogLedger(submitted: 10, delivered: 7, dropped: [.queueFull: 1])
        let provider = LogLedger(submitted: 7, delivered: 3, dropped: [.inputOutputError: 2])
        let both = queue.followed(by: provider, settled: 7)
        #expect(both == LogLedger(submitted: 10, delivered: 3, dropped: [.queueFull: 1, .inputOutputError: 2]))
        #expect(both.pending == 4)
    }

    @Test func whatAProviderDoesNotCountItHasDelivered() {
        let queue = LogLedger(submitted: 10, delivered: 7)
        let provider = LogLedger(submitted: 4, delivered: 1, dropped: [.inputOutputError: 2])
        #expect(queue.followed(by: provider, settled: 6) == LogLedger(submitted: 10, delivered: 3, dropped: [.inputOutputError: 2]))
    }

    @Test("of a provider that others feed as well nothing that it has lost counts as delivered")
    func whatOthersMayHaveLostIsNotDelivered() {
        let queue = LogLedger(submitted: 100, delivered: 100)
        let provider = LogLedger(submitted: 200, delivered: 20, dropped: [.inputOutputError: 90, .oversize: 90])
        #expect(
            queue.followed(by: provider, settled: 100)
                == LogLedger(submitted: 100, delivered: 0, dropped: [.inputOutputError: 90, .oversize: 10]))
        let some = LogLedger(submitted: 200, delivered: 194, dropped: [.oversize: 6])
        #expect(queue.followed(by: some, settled: 100) == LogLedger(submitted: 100, delivered: 94, dropped: [.oversize: 6]))
    }

    /// Keeps an account, and after each event waits until a test lets it go on.
    private final class Accountant: LogProvider {
        private struct State { var account = LogLedger(), allowed = 0 }
        private let state = Monitor(State())
        func log(_ event: LogEvent) {
            state.withLock { access in
                access.value.account.submit()
                if event.message == "lost" { access.value.account.drop(1, .inputOutputError) } else { access.value.account.deliver() }
                access.broadcast()
                while access.value.allowed < access.value.account.submitted { access.wait() }
            }
        }
        func flush(by deadline: LogDeadline) {}
        var ledger: LogLedger? { state.withLock { $0.value.account } }

        /// Lets it take so many, and waits until it holds the next or all of them are through.
        func allow(_ count: Int, of all: Int) {
            state.withLock { access in
                access.value.allowed = count
                access.broadcast()
                while access.value.account.submitted < min(count + 1, all) { access.wait() }
            }
        }
    }

    @Test(.timeLimit(.minutes(10)), arguments: [["lost", "lost", "kept"], ["kept", "lost", "lost", "lost"], ["lost"]])
    func theLedgerOfAProviderThatKeepsOneIsExactInTheMiddleOfABatch(turns: [String]) {
        let provider = Accountant(), service = LogService(clock: .manual(ManualClock(now: LogTime(nanoseconds: 0))))
        let policy = QueuePolicy(batchCount: 7, linger: .zero), count = 30
        let registration = service.register(provider, delivery: .queued(policy))
        for number in 0..<count { service.info("\(turns[number % turns.count])") }
        for number in 0..<count {
            provider.allow(number, of: count)
            let lost = UInt64((0...number).count { turns[$0 % turns.count] == "lost" })
            #expect(
                registration.ledger == LogLedger(
                    submitted: UInt64(count), delivered: UInt64(number + 1) - lost, dropped: lost == 0 ? [:] : [.inputOutputError: lost]))
        }
        provider.allow(count, of: count)
    }

    @Test func theLedgerOfAProviderThatKeepsOneNeverGoesBack() {
        /// Keeps an account, and loses two of three.
        final class Careless: LogProvider {
            private let account = Locked(LogLedger())
            func log(_ event: LogEvent) {
                account.withLock { $0.submit() }
                account.withLock { if event.sequence % 3 == 0 { $0.deliver() } else { $0.drop(1, .inputOutputError) } }
            }
            func flush(by deadline: LogDeadline) {}
            var ledger: LogLedger? { account.withLock { $0 } }
        }
        // With a clock that stands still, nobody is told of losses.
        let service = LogService(clock: .manual(ManualClock(now: LogTime(nanoseconds: 0)))), isDone = Locked(false)
        let registration = service.register(Careless(), delivery: .queued(QueuePolicy(batchCount: 7, overflow: .block(upTo: .seconds(60)))))
        LogThread.start("logs") {
            for number in 0..<20_000 { service.info("\(number)") }
            isDone.withLock { $0 = true }
        }
        var last = LogLedger()
        while !isDone.withLock({ $0 }) {
            let next = registration.ledger
            if next.submitted < last.submitted || next.delivered < last.delivered || next.droppedTotal < last.droppedTotal {
                Issue.record("\(next) after \(last)")
                break
            }
            last = next
        }
        #expect(becomesTrue { isDone.withLock { $0 } })
        #expect(service.flush(by: .seconds(60)).isComplete)
        #expect(registration.ledger == LogLedger(submitted: 20_000, delivered: 6_666, dropped: [.inputOutputError: 13_334]))
    }

    @Test func ofALedgerAtRestEverythingThatWasHeldBackIsSettled() {
        let ledger = LogLedger(submitted: 10, delivered: 9, dropped: [.inputOutputError: 1])
        // One thread has noted 3 after another had noted 4.
        #expect(ledger.leavingOut(4, settled: 3) == LogLedger(submitted: 6, delivered: 5, dropped: [.inputOutputError: 1]))
        let moving = LogLedger(submitted: 11, delivered: 9, dropped: [.inputOutputError: 1])
        #expect(moving.leavingOut(4, settled: 3) == LogLedger(submitted: 7, delivered: 6, dropped: [.inputOutputError: 1]))
    }

    @Test func levelsAreReadUnderManyNames() {
        #expect(LogLevel(name: "WARN") == .warning && LogLevel(name: "fatal") == .critical && LogLevel(name: "Trace") == .verbose)
        #expect(LogLevel(name: "loud") == nil)
        #expect(LogLevel.allCases.allSatisfy { LogLevel(name: $0.name) == $0 })
        #expect(Set(LogLevel.allCases.map(\.symbol)).count == 7)
    }

    @Test func anEnvironmentIsOneOfThree() throws {
        #expect(try LogEnvironment.named("Staging", default: .production) == .staging)
        #expect(try LogEnvironment.named("", default: .development) == .development)
        #expect(throws: LogEnvironmentError.unknown("prod")) { try LogEnvironment.named("prod", default: .production) }
    }

    @Test func deadlinesNeitherOverflowNorPassEarly() {
        #expect(LogDeadline.now.hasPassed && !LogDeadline.never.hasPassed && LogDeadline.seconds(-1).hasPassed)
        #expect(LogDeadline.after(.seconds(Int64.max)) > .after(.seconds(1_000_000)))
        #expect(!LogDeadline.seconds(3600).hasPassed && LogDeadline.now.remaining == .zero)
        #expect(LogDeadline.seconds(.infinity) == .never && LogDeadline.seconds(1e30) == .never)
        #expect(LogDeadline.seconds(-.infinity).hasPassed && LogDeadline.seconds(-1e30).hasPassed && LogDeadline.seconds(.nan).hasPassed)
        #expect(LogDeadline.milliseconds(.max) > .after(.seconds(1_000_000)) && LogDeadline.milliseconds(.min).hasPassed)
    }
}
