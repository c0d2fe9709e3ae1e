import LogbookTestKit
import Testing

@testable import LogbookCore

// What a shutdown says, and what is said while one is under way.
extension LogServiceTests {
    /// Its shutdown takes until a gate opens, and may fail.
    private final class Closing: LogProvider {
        let gate = Gate(), failure: ScriptedFailure?
        init(_ failure: ScriptedFailure? = nil) { self.failure = failure }
        func log(_ event: LogEvent) {}
        func flush(by deadline: LogDeadline) {}
        func shutdown(by deadline: LogDeadline) throws {
            gate.wait()
            if let failure { throw failure }
        }
    }

    /// The reports of calls that wait, each on a thread of its own.
    private final class Reports: Sendable {
        private let reports = Monitor<[LogFlushReport]>([])

        func add(_ ask: @escaping @Sendable () -> LogFlushReport) {
            LogThread.start("asks") {
                let report = ask()
                self.reports.withLock { access in
                    access.value.append(report)
                    access.broadcast()
                }
            }
        }

        func first(_ count: Int) -> [LogFlushReport] {
            let deadline = LogDeadline.seconds(60)
            return reports.withLock { access in
                while access.value.count < count, access.wait(until: deadline) {}
                return access.value
            }
        }
    }

    @Test(arguments: [LogDelivery.immediate, .queued()])
    func whoAsksDuringAShutdownIsToldThatItIsNotOver(delivery: LogDelivery) {
        let provider = Closing(), service = LogService(), reports = Reports()
        service.register(provider, delivery: delivery, name: "closing")
        service.info("x")
        reports.add { service.shutdown(by: .seconds(60)) }
        #expect(provider.gate.waitForArrivals(1))
        #expect(service.flush(by: .milliseconds(20)).unfinished.map(\.name) == ["closing"])
        #expect(service.shutdown(by: .milliseconds(20)).unfinished.map(\.name) == ["closing"])
        provider.gate.open()
        #expect(reports.first(1) == [.everythingIsSafe])
        #expect(service.shutdown(by: .seconds(60)).isComplete && service.flush(by: .seconds(60)).isComplete)
    }

    @Test func whoAsksWhileTheLastBatchIsWrittenWaitsForIt() {
        let sink = GatedSink(), service = LogService(), registration = service.register(sink: sink, name: "slow")
        service.info("x")
        #expect(sink.gate.waitForArrivals(1))
        #expect(service.shutdown(by: .milliseconds(20)).unfinished.map(\.name) == ["slow"])
        // The first call has come back: what it has left in the sink's hands is not safe for that.
        #expect(becomesTrue { registration.callCount == 0 })
        #expect(service.flush(by: .milliseconds(20)).unfinished.map(\.pending) == [1])
        #expect(service.shutdown(by: .milliseconds(20)).unfinished.map(\.pending) == [1])
        sink.gate.open()
        #expect(service.shutdown(by: .seconds(60)).isComplete)
        #expect(registration.ledger == LogLedger(submitted: 1, delivered: 1))
    }

    @Test(arguments: [LogDelivery.immediate, .queued()])
    func whoWaitsForAShutdownThatFailsIsToldWhy(delivery: LogDelivery) {
        let provider = Closing(ScriptedFailure("3 events are not delivered")), service = LogService(), reports = Reports()
        let registration = service.register(provider, delivery: delivery)
        for _ in 0..<2 { reports.add { service.shutdown(by: .seconds(60)) } }
        reports.add {
            // It must not come first, and find the provider open.
            #expect(becomesTrue { !registration.isOpen })
            return service.flush(by: .seconds(60))
        }
        // One shuts down and two wait for it: whoever came later would find it over.
        #expect(becomesTrue { registration.waitingForShutdown == 2 })
        #expect(provider.gate.waitForArrivals(1))
        provider.gate.open()
        for report in reports.first(3) { #expect(report.unfinished.map(\.reason) == ["3 events are not delivered"]) }
    }

    @Test func aQueuedProviderThatCannotBeShutDownWellSaysSo() {
        let provider = Closing(ScriptedFailure("3 events are not delivered")), service = LogService()
        provider.gate.open()
        service.register(provider, delivery: .queued())
        service.register(BatchingProvider(FailingSink { _ in nil }, fallback: provider), name: "fallback")
        service.info("x")
        let report = service.shutdown(by: .seconds(60))
        #expect(report.unfinished.map(\.name) == ["Closing", "fallback"])
        #expect(report.unfinished.map(\.reason) == Array(repeating: "3 events are not delivered", count: 2))
    }

    @Test func oneThatAConfigurationTakesOutSaysSoToTheDiagnostics() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let provider = Closing(ScriptedFailure("3 events are not delivered")), service = LogService()
            provider.gate.open()
            try service.apply(LogConfiguration(.development) { LogListener(provider, name: "remote", delivery: .queued()) })
            try service.apply(LogConfiguration(.development) {}, by: .seconds(60))
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(
            text.contains("remote: not everything is safe after it was taken out of the configuration: 3 events are not delivered"))
    }

    /// Holds on to its account while it is in `log`.
    private final class Holding: LogProvider {
        let gate = Gate(), failure: ScriptedFailure?, isInside = Locked(false)
        init(_ failure: ScriptedFailure?) { self.failure = failure }
        func log(_ event: LogEvent) {
            isInside.withLock { $0 = true }
            gate.wait()
        }
        func flush(by deadline: LogDeadline) throws { if let failure { throw failure } else { gate.wait() } }
        var ledger: LogLedger? {
            guard isInside.withLock({ $0 }) else { return LogLedger() }
            gate.wait()
            return LogLedger(submitted: 1, delivered: 1)
        }
    }

    @Test(arguments: [nil, ScriptedFailure("it is in use")])
    func aProviderThatHangsWithItsAccountHoldsAFlushUpNoLongerThanItsDeadline(failure: ScriptedFailure?) {
        let provider = Holding(failure), service = LogService(), reports = Reports()
        service.register(provider, name: "holding")
        LogThread.start("says") { service.info("x") }
        #expect(provider.gate.waitForArrivals(1))
        let isBack = Locked(false)
        reports.add {
            defer { isBack.withLock { $0 = true } }
            return service.flush(by: .milliseconds(20))
        }
        #expect(becomesTrue(by: .seconds(20)) { isBack.withLock { $0 } })
        provider.gate.open()
        #expect(reports.first(1).map { $0.unfinished.map(\.name) } == [["holding"]])
        #expect(reports.first(1).first?.unfinished.first?.pending == 1)
    }

    @Test func aProviderIsShutDownOnceItsCallersHaveComeBack() {
        /// Notes what it is asked for; its `log` takes until a gate opens.
        final class Diary: LogProvider {
            let gate = Gate(), entries = Locked<[String]>([])
            func log(_ event: LogEvent) {
                gate.wait()
                entries.withLock { $0.append(event.message) }
            }
            func flush(by deadline: LogDeadline) {}
            func shutdown(by deadline: LogDeadline) { entries.withLock { $0.append("shutdown") } }
        }
        let provider = Diary(), service = LogService(), registration = service.register(provider), reports = Reports()
        LogThread.start("says") { service.info("x") }
        #expect(provider.gate.waitForArrivals(1))
        reports.add { service.shutdown(by: .seconds(60)) }
        #expect(becomesTrue { !registration.isOpen })
        for _ in 0..<50 { LogThread.yield() }   // what would come too early may come
        provider.gate.open()
        #expect(reports.first(1) == [.everythingIsSafe])
        #expect(provider.entries.withLock { $0 } == ["x", "shutdown"])
    }

    @Test func aProviderWhoseLastFlushFailsIsShutDownAllTheSame() {
        final class Unsafe: LogProvider, BatchSink {
            let isShutDown = Locked(false)
            func log(_ event: LogEvent) {}
            func write(_ batch: [LogEvent]) {}
            func flush(by deadline: LogDeadline) throws { throw ScriptedFailure("the disk did not take it") }
            func shutdown(by deadline: LogDeadline) { isShutDown.withLock { $0 = true } }
        }
        for delivery in [LogDelivery.immediate, .queued()] {
            let provider = Unsafe(), service = LogService()
            service.register(provider, delivery: delivery)
            service.info("x")
            let reasons = service.shutdown(by: .seconds(60)).unfinished.map(\.reason)
            #expect(reasons == (delivery == .immediate ? [] : ["\(ScriptedFailure("the disk did not take it"))"]))
            #expect(provider.isShutDown.withLock { $0 })
        }
    }

    @Test func aCallerThatDoesNotComeBackKeepsNoProviderFromItsShutdown() {
        /// Whoever is inside comes back when it is shut down.
        final class Waiting: LogProvider {
            let gate = Gate()
            func log(_ event: LogEvent) { gate.wait() }
            func flush(by deadline: LogDeadline) {}
            func shutdown(by deadline: LogDeadline) throws {
                if deadline.hasPassed { throw ScriptedFailure("too late") }
                gate.open()
            }
        }
        let provider = Waiting(), service = LogService(), registration = service.register(provider)
        LogThread.start("says") { service.info("x") }
        #expect(provider.gate.waitForArrivals(1))
        #expect(service.shutdown(by: .seconds(60)) == .everythingIsSafe)
        #expect(becomesTrue { registration.ledger == LogLedger(submitted: 1, delivered: 1) })
    }

    @Test("a flush waits for what a provider that has left, or is leaving, still has in hand", arguments: [false, true])
    func aFlushBesideOneThatLeaves(isLeaving: Bool) {
        let sink = GatedSink(), service = LogService()
        let registration = service.register(BatchingProvider(sink), name: "leaving")
        service.info("a")
        #expect(sink.gate.waitForArrivals(1))
        if isLeaving {
            LogThread.start("leaves") { registration.unregister(by: .seconds(600)) }
            #expect(becomesTrue { service.registrations.isEmpty })
        } else {
            registration.unregister(by: .now)
        }
        #expect(service.flush(by: .milliseconds(20)).unfinished.map(\.pending) == [1])
        sink.gate.open()
        #expect(service.flush(by: .seconds(30)).isComplete)
        #expect(sink.inner.written.map(\.message) == ["a"])
    }

    @Test("what a flush says of who is leaving hides what everything hides")
    func aFlushBesideOneThatFails() throws {
        let sink = FailingSink { _ in ScriptedFailure("no way to postgres://app:hunter2@db/x") }, service = LogService()
        let registration = service.register(BatchingProvider(sink), name: "leaving")
        service.info("a")
        #expect(becomesTrue { registration.latestFailure != nil })
        registration.unregister(by: .now)
        let said = try #require(service.flush(by: .milliseconds(20)).unfinished.first)
        #expect(said.reason.contains("postgres://app:<private>@db/x"), "\(said)")
    }

    @Test("a sink that has left and flushes the service from inside its own work does not wait for itself")
    func aFlushFromWithinWhatHasLeft() {
        final class Flushing: BatchSink {
            let service: LogService, gate = Gate(), reports = Locked<[LogFlushReport]>([])
            init(_ service: LogService) { self.service = service }
            func write(_ batch: [LogEvent]) {
                gate.wait()
                let report = service.flush(by: .seconds(30))
                reports.withLock { $0.append(report) }
            }
        }
        let service = LogService(), sink = Flushing(service)
        let registration = service.register(BatchingProvider(sink))
        service.info("a")
        #expect(sink.gate.waitForArrivals(1))
        registration.unregister(by: .now)
        sink.gate.open()
        #expect(becomesTrue { sink.reports.withLock { $0 } == [LogFlushReport(unfinished: [])] })
    }
}
