import LogbookTestKit
import Synchronization
import Testing

@testable import LogbookCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A provider that takes no memory, so that only the library's own can be interrupted.
private final class Counter: LogProvider {
    let count = Atomic<UInt64>(0)
    func log(_ event: LogEvent) { count.add(1, ordering: .relaxed) }
    func flush(by deadline: LogDeadline) {}
}

/// A provider that has something to say itself.
private final class Talker: LogProvider {
    private let service: LogService
    init(_ service: LogService) { self.service = service }
    func log(_ event: LogEvent) { service.info("from the provider") }
    func flush(by deadline: LogDeadline) {}
}

/// What the signal handler logs to, and how often it has.
private enum Handler {
    nonisolated(unsafe) static var service: LogService?
    static let calls = Atomic<UInt64>(0)

    static func install(_ service: LogService) {
        self.service = service
        service.error("warm")   // what is made at the first use is made now
        signal(SIGUSR2) { _ in
            Handler.service?.error("from the handler")
            Handler.calls.add(1, ordering: .releasing)
        }
    }

    /// Threads of the library and of Swift's pools block signals.
    static func letThrough() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGUSR2)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    static func remove() {
        signal(SIGUSR2, SIG_DFL)
        service = nil
    }
}

@Suite("35: log calls of signal handlers", .serialized)
struct SignalHandlerTests {
    @Test func aHandlerThatInterruptsALockIsCounted() {
        let service = LogService(), counter = Counter()
        let registration = service.register(counter), deaf = service.register(Counter(), from: .critical)
        Handler.install(service)
        defer { Handler.remove() }
        Handler.letThrough()
        raise(SIGUSR2)
        #expect(counter.count.load(ordering: .relaxed) == 2)   // with the warm one
        Locked(0).withLock { _ in _ = raise(SIGUSR2) }
        #expect(counter.count.load(ordering: .relaxed) == 2)
        #expect(registration.ledger == LogLedger(submitted: 3, delivered: 2, dropped: [.reentrant: 1]))
        #expect(deaf.unheard == LogUnheard(level: 3))
        raise(SIGUSR2)   // and the next one is written again
        #expect(registration.ledger == LogLedger(submitted: 4, delivered: 3, dropped: [.reentrant: 1]))
        #expect(deaf.ledger == LogLedger() && deaf.unheard == LogUnheard(level: 4))
        #expect(service.latestSequence == 4)
    }

    @Test("what another thread is entering into the accounts is waited for by whoever reads one")
    func accountsAreNeverReadInTheMiddle() {
        let service = LogService(), registration = service.register(Counter()), isOver = Atomic<Bool>(false), end = Monitor(false)
        LogThread.start("settling") {
            while !isOver.load(ordering: .relaxed) { service.settleInterruptedCalls() }
            end.withLock { access in
                access.value = true
                access.broadcast()
            }
        }
        let rounds = UInt64(Sanitizer.share(of: 50_000))
        var calls: UInt64 = 0
        while calls < rounds, registration.ledger.submitted == calls {
            Locked(0).withLock { _ in service.info("from a handler") }
            calls += 1
        }
        isOver.store(true, ordering: .relaxed)
        end.withLock { access in while !access.value, access.wait() {} }
        #expect(calls == rounds, "a call was in no account")
        #expect(registration.ledger == LogLedger(submitted: calls, dropped: [.reentrant: calls]))
    }

    @Test func whatFiltersAndProvidersSayIsNoHandlers() {
        let service = LogService(), others = LogService(), counter = Counter(), talker = Talker(others)
        others.register(counter)
        service.register(talker, where: { _ in
            others.info("from the filter")
            return true
        })
        service.info("heard", metadata: ["n": 1])
        service.info("plain")
        #expect(counter.count.load(ordering: .relaxed) == 4)
    }

    @Test func aTransactionsEntryThatInterruptsIsCountedToo() {
        let service = LogService(), registration = service.register(Counter())
        let entry = TransactionEntry(
            transactionID: "T", usecase: 1, kind: .happened(2), device: DeviceFacts(make: "m", os: "o", osVersion: "1"))
        Locked(0).withLock { _ in service.log(entry, source: .unknown) }
        #expect(registration.ledger == LogLedger(submitted: 1, dropped: [.reentrant: 1]))
        #expect(Locked(0).withLock { _ in service.isEnabled(.info) })
    }

    @Test("100,000 signals in a thread that logs: nothing waits for itself, and each call is written or counted", arguments: [true, false])
    func signalsAtAnyMoment(hasImmediate: Bool) {
        let service = LogService(), immediate = Counter(), queued = Counter()
        var registrations = [service.register(queued, delivery: .queued(QueuePolicy(overflow: .block(upTo: .seconds(60)))))]
        if hasImmediate { registrations.append(service.register(immediate)) }
        Handler.install(service)
        defer { Handler.remove() }
        let before = Handler.calls.load(ordering: .relaxed), said = Atomic<UInt64>(1), isOver = Atomic<Bool>(false)
        let thread = Locked<pthread_t?>(nil), end = Monitor(false)
        LogThread.start("logging") {
            Handler.letThrough()
            thread.withLock { $0 = pthread_self() }
            while !isOver.load(ordering: .relaxed) {
                service.info("a line")
                said.add(1, ordering: .relaxed)
            }
            end.withLock { access in
                access.value = true
                access.broadcast()
            }
        }
        while thread.withLock({ $0 }) == nil {}
        let target = thread.withLock { $0! }
        var handled: UInt64 { Handler.calls.load(ordering: .acquiring) - before }
        var isStuck = false
        while handled < Sanitizer.share(of: 100_000), !isStuck {
            // However slow the machine is: a thread that waits for itself handles none.
            let earlier = handled, deadline = LogDeadline.seconds(60)
            pthread_kill(target, SIGUSR2)
            var looks = 0
            while handled == earlier, !isStuck {
                looks += 1
                if looks < 1_000 { continue }   // usually it is handled by then; to give way takes milliseconds on a busy machine
                sched_yield()
                isStuck = deadline.hasPassed
            }
        }
        isOver.store(true, ordering: .relaxed)
        let deadline = LogDeadline.seconds(60)
        let hasEnded = end.withLock { access in
            while !access.value, access.wait(until: deadline) {}
            return access.value
        }
        #expect(hasEnded && !isStuck, "the thread waits for itself: \(handled) signals")
        guard hasEnded else { return }
        _ = service.flush(by: .seconds(60))
        for registration in registrations {
            let ledger = registration.ledger
            #expect(ledger.submitted == said.load(ordering: .relaxed) + handled)
            #expect(ledger.submitted + registration.unheard.total == service.latestSequence)
            #expect(ledger.pending == 0)
            #expect(Set(ledger.dropped.keys).isSubset(of: [.reentrant]))
            if hasImmediate { #expect(ledger.dropped[.reentrant, default: 0] > 0) }
        }
        #expect(queued.count.load(ordering: .relaxed) == registrations[0].ledger.delivered)
    }
}
