import LogbookCore
import LogbookTestKit
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite struct ForkTests {
    private static let lost = LogLedger(submitted: 1, dropped: [.forkChild: 1])

    @Test("row 25: a forked child drops and counts, and its parent goes on")
    func childDropsAndCounts() async {
        await #expect(processExitsWith: .success) {
            let service = LogService(), immediate = RecordingProvider(), sink = FailingSink { _ in nil }
            let first = service.register(immediate)
            let second = service.register(sink: sink)
            service.info("before")
            #expect(service.flush(by: .seconds(30)).isComplete)   // the queue's thread has done everything once

            let status = forked {
                service.info("in the child")
                return service.health().providers.map(\.ledger) == [ForkTests.lost, ForkTests.lost] && !service.explain(.info).isWritten
                    && first.ledger == ForkTests.lost && immediate.messages == ["before"]
                    && service.flush(by: .seconds(3600)).isComplete && service.shutdown(by: .seconds(3600)).isComplete
            }
            #expect(status == 0)

            service.info("after")
            #expect(service.flush(by: .seconds(30)).isComplete)
            #expect(immediate.messages == ["before", "after"])
            #expect(sink.written.map(\.message) == ["before", "after"])
            #expect(first.ledger == LogLedger(submitted: 2, delivered: 2))
            #expect(second.ledger == LogLedger(submitted: 2, delivered: 2))
        }
    }

    @Test("35: what interrupts the library in a child is dropped and counted there as everything else")
    func whatInterruptsAChild() async {
        await #expect(processExitsWith: .success) {
            let service = LogService()
            let registrations = [service.register(RecordingProvider()), service.register(sink: FailingSink { _ in nil })]
            let before = LogLedger(submitted: 2, delivered: 1, dropped: [.reentrant: 1])
            service.info("before")
            Locked(0).withLock { _ in service.info("from a handler") }
            #expect(service.flush(by: .seconds(30)).isComplete)
            #expect(registrations.map(\.ledger) == [before, before])   // everything is done once
            let status = forked {
                Locked(0).withLock { _ in service.info("from a handler") }
                return registrations.map(\.ledger) == [ForkTests.lost, ForkTests.lost]
            }
            #expect(status == 0)
            #expect(registrations.map(\.ledger) == [before, before])
        }
    }

    @Test func aChildRegistersProvidersOfItsOwn() async {
        await #expect(processExitsWith: .success) {
            let service = LogService(), inherited = RecordingProvider()
            service.register(inherited)
            let status = forked {
                service.reinitializeAfterFork()
                let own = RecordingProvider()
                let registration = service.register(own)
                service.info("in the child")
                return own.messages == ["in the child"] && inherited.messages == [] && service.registrations.count == 1
                    && registration.ledger == LogLedger(submitted: 1, delivered: 1)
            }
            #expect(status == 0)
            service.reinitializeAfterFork()
            service.info("in the parent")
            #expect(inherited.messages == ["in the parent"])
        }
    }

    @Test func aChildAppliesAConfigurationOfItsOwn() async {
        await #expect(processExitsWith: .success) {
            final class Closing: LogProvider {
                let inner = RecordingProvider(), isClosed = Locked(false)
                func log(_ event: LogEvent) { inner.log(event) }
                func flush(by deadline: LogDeadline) throws {}
                func shutdown(by deadline: LogDeadline) throws { isClosed.withLock { $0 = true } }
                var closed: Bool { isClosed.withLock { $0 } }
            }
            struct Look {
                weak var registration: LogRegistration?
            }
            @Sendable func configuration(_ provider: Closing, named name: String) -> LogConfiguration {
                LogConfiguration(.development) { LogListener(provider, name: name) }
            }
            /// Whether the configuration is in force, and its own provider hears what is said.
            @Sendable func applies(_ name: String, to service: LogService) -> Bool {
                let own = Closing()
                guard let applied = try? service.apply(configuration(own, named: name)) else { return false }
                service.info("x")
                return own.inner.messages == ["x"] && service.registrations.map(\.name) == [name]
                    && applied.map(\.ledger) == [LogLedger(submitted: 1, delivered: 1)]
            }
            let rehearsal = LogService()   // everything is done once
            #expect(applies("file", to: rehearsal) && applies("other", to: rehearsal))

            let service = LogService(), inherited = Closing()
            let look = Look(registration: try service.apply(configuration(inherited, named: "file")).first)
            service.info("before")
            for name in ["file", "other"] {
                let status = forked {
                    applies(name, to: service) && inherited.inner.messages == ["before"] && !inherited.closed
                        && look.registration != nil   // let go of, it would close the parent's file
                }
                #expect(status == 0)
            }
            service.info("after")
            #expect(inherited.inner.messages == ["before", "after"] && !inherited.closed)
        }
    }

    @Test("row 25: forks while other threads hold the library's locks do not block the child")
    func noDeadlock() async {
        await #expect(processExitsWith: .success) {
            // Nothing is kept: a process that grows takes ever longer to fork.
            struct Silent: LogProvider, BatchSink {
                func log(_ event: LogEvent) {}
                func write(_ batch: [LogEvent]) {}
                func flush(by deadline: LogDeadline) {}
            }
            let service = LogService()
            service.register(Silent())
            service.register(sink: Silent(), queue: QueuePolicy(overflow: .dropOldest))
            let settled: @Sendable () -> Bool = {
                service.info("settled?")
                return service.health().providers.allSatisfy { $0.ledger.droppedTotal == $0.ledger.submitted }
            }
            #expect(!settled())
            let rounds = Monitor(0)
            for _ in 0..<3 {
                LogThread.start("busy") {
                    while true {
                        service.info("busy")
                        service.unregister(service.register(Silent()), by: .now)
                        rounds.withLock {
                            $0.value += 1
                            $0.broadcast()
                        }
                    }
                }
            }
            let limit = LogDeadline.seconds(60)
            rounds.withLock { access in while access.value < 300, access.wait(until: limit) {} }
            for _ in 0..<50 { #expect(forked(settled) == 0) }
        }
    }

    @Test func whatAThreadOfTheParentHasIsFreeInTheChild() async {
        await #expect(processExitsWith: .success) {
            let turn = Turn(1), gate = Gate()
            _ = turn.take(by: .now) { $0 }   // everything is done once
            LogThread.start("holder") { turn.take { _ in gate.wait() } }
            #expect(gate.waitForArrivals(1))
            let status = forked { turn.take(by: .seconds(30)) { $0 } == 1 }
            #expect(status == 0)
        }
    }

    @Test func anAlarmThatAThreadOfTheParentWaitsForRingsInTheChild() async {
        await #expect(processExitsWith: .success) {
            let rings = Locked(0)
            let alarm = LogAlarm("test", clock: .system) { rings.withLock { $0 += 1 } }
            alarm.set(at: 0)
            #expect(becomesTrue { rings.withLock { $0 } == 1 })   // everything is done once
            alarm.set(at: .max)
            let status = forked {
                alarm.set(at: 0)
                return becomesTrue(by: .seconds(30)) { rings.withLock { $0 } == 2 }
            }
            #expect(status == 0)
        }
    }

    @Test func whatAWrapperOfTheParentHoldsBackTheChildDoesNotSay() async {
        await #expect(processExitsWith: .success) {
            let provider = RecordingProvider(), folding = Locked<FoldingRepeats?>(FoldingRepeats(provider))
            for number in 1...3 { folding.withLock { $0 }?.log(event(UInt64(number))) }
            let status = forked {
                folding.withLock { $0 = nil }
                return provider.messages == ["m"]
            }
            #expect(status == 0)
            folding.withLock { $0 = nil }
            #expect(provider.messages == ["m", "last message repeated 2 times: m"])
        }
    }

    @Test func aChildRemarksWhatItsParentHasRemarkedAlready() async {
        await #expect(processExitsWith: .success) {
            let remarks = Locked(0)
            LogDiagnostics.setHandler { _ in remarks.withLock { $0 += 1 } }
            LogDiagnostics.report("disk", "full")   // everything is done once
            let status = forked {
                LogDiagnostics.report("disk", "full")
                return remarks.withLock { $0 } == 2
            }
            #expect(status == 0)
        }
    }

    @Test func theEndOfAChildLeavesTheParentsProvidersAlone() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let service = LogService(), blocking = BlockingProvider()
            LogService.exitFlushLimit = .seconds(3600)
            service.register(blocking)
            let status = forked { exit(0) }
            #expect(status == 0)
            _exit(0)
        }
        #expect(!String(decoding: result.standardErrorContent, as: UTF8.self).contains("not everything is safe"))
    }
}
