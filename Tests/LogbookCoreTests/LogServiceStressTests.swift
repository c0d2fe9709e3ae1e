import LogbookCore
import LogbookTestKit
import Testing

/// Everything that a program may do to a service, from many threads at the same time.
@Suite struct LogServiceStressTests {
    /// A registration, and how many events its provider holds.
    private struct Witness: Sendable {
        let registration: LogRegistration
        let count: @Sendable () -> Int
    }

    private static let threads = 16, steps = 400
    private static let dropping = QueuePolicy(capacity: 8, reservedCapacity: 4, batchCount: 4, linger: .zero, overflow: .dropOldest)

    // With a clock that stands still, nobody is told of losses before their provider leaves: those would be events as well.
    private let service = LogService(clock: .manual(ManualClock(now: LogTime(nanoseconds: 0))))

    private func witnesses() -> [Witness] {
        let failing = FailingSink { $0 % 3 == 0 ? ScriptedFailure() : nil }, dropping = RecordingProvider(), immediate = RecordingProvider()
        let policy = QueuePolicy(
            capacity: 256, reservedCapacity: 32, batchCount: 16, overflow: .block(upTo: .milliseconds(50)), firstPause: .milliseconds(1),
            longestPause: .milliseconds(2))
        return [
            Witness(
                registration: service.register(BatchingProvider(failing, policy: policy, name: "failing"), name: "failing"),
                count: { failing.written.count }),
            Witness(
                registration: service.register(dropping, delivery: .queued(Self.dropping), name: "dropping"),
                count: { dropping.events.count }),
            Witness(registration: service.register(immediate, name: "immediate"), count: { immediate.events.count }),
        ]
    }

    /// What one thread does: the same for the same seed, whatever other threads do.
    /// - Parameter end: At which step it shuts the service down, and until when; nil for not at all.
    /// - Returns: What it has registered, and let go of again.
    private func play(_ seed: Int, among steady: [Witness], end: (step: Int, deadline: LogDeadline)? = nil) -> [Witness] {
        let random = LogRandomness.seeded(UInt64(seed))
        func one<Value>(of values: [Value]) -> Value { values[Int(random.next() % UInt64(values.count))] }
        func level() -> LogLevel { one(of: LogLevel.allCases) }
        var made: [Witness] = [], listening: [LogRegistration] = []
        for step in 0..<Self.steps {
            if let end, end.step == step { service.shutdown(by: end.deadline) }
            switch random.next() % 60 {
            case 0:
                let provider = RecordingProvider()
                let delivery = one(of: [LogDelivery.immediate, .queued(Self.dropping)])
                let registration = service.register(provider, from: level(), delivery: delivery)
                made.append(Witness(registration: registration, count: { provider.events.count }))
                listening.append(registration)
            case 1:
                if !listening.isEmpty { listening.removeFirst().unregister(by: one(of: [LogDeadline.now, .seconds(5)])) }
            case 2: service.flush(by: .milliseconds(Int(random.next() % 51)))
            case 3...6: one(of: steady).registration.level = level()
            case 7: for witness in steady { _ = witness.registration.ledger }   // one that does not add up ends the program
            case 8...15: service.log(level(), "\(seed) \(step)", metadata: ["step": .integer(Int64(step))], error: ScriptedFailure())
            default: service.log(level(), "\(seed) \(step)")
            }
        }
        for registration in listening { registration.unregister(by: .seconds(5)) }
        return made
    }

    @Test func everyAccountIsExactWhateverHappensAtTheSameTime() {
        for witness in expectExactAccounts() { #expect(witness.registration.ledger.delivered > 0) }
    }

    @Test("row 36: also when somebody shuts it down meanwhile", arguments: 0..<6)
    func everyAccountIsExactWhenTheServiceIsShutDownMeanwhile(seed: Int) {
        let step = Int(LogRandomness.seeded(UInt64(1_000 + seed)).next() % UInt64(Self.steps))
        let steady = expectExactAccounts(end: (step, seed.isMultiple(of: 2) ? .now : .seconds(5)))
        // One that was given no time may have had to wait for other calls to come back.
        for witness in steady { #expect(becomesTrue { !witness.registration.isOpen }) }
    }

    @Test("providers that are exchanged while others log: each event is heard by one of them, and there is no moment in between")
    func eachEventIsSomebodysWhileProvidersAreExchanged() async {
        // In a process of its own: what a task of another test has open would have each line go as an object, with its hearers.
        await #expect(processExitsWith: .success) { try exchangeProvidersUnderLoad() }
    }

    /// Lets all of them play, and compares every account with what its provider holds.
    /// - Returns: Those that were there from the beginning.
    private func expectExactAccounts(end: (step: Int, deadline: LogDeadline)? = nil) -> [Witness] {
        let steady = witnesses(), state = Monitor((left: Self.threads, made: [Witness]()))
        for seed in 0..<Self.threads {
            LogThread.start("plays") { [self] in
                let made = play(seed, among: steady, end: seed == 0 ? end : nil)
                state.withLock { access in
                    access.value.left -= 1
                    access.value.made += made
                    access.broadcast()
                }
            }
        }
        let made = state.withLock { access in
            while access.value.left > 0, access.wait(until: .seconds(120)) {}
            return access.value.left > 0 ? [] : access.value.made
        }
        #expect(!made.isEmpty)
        #expect(becomesTrue { service.flush(by: .seconds(5)).isComplete })
        for witness in steady + made {
            let name = witness.registration.name
            #expect(becomesTrue { witness.registration.ledger.pending == 0 }, "\(name)")
            let ledger = witness.registration.ledger
            #expect(ledger.submitted == ledger.delivered + ledger.droppedTotal, "\(name): \(ledger)")
            #expect(UInt64(witness.count()) == ledger.delivered, "\(name): \(ledger)")
        }
        return steady
    }
}

/// Providers take each other's place while four threads say something all the time; each line is in the account of one of them.
private func exchangeProvidersUnderLoad() throws {
    struct Taking: LogProvider {
        func log(_ event: LogEvent) {}
        func flush(by deadline: LogDeadline) {}
    }
    // With a clock that stands still, nobody is told of losses.
    let service = LogService(clock: .manual(ManualClock(now: LogTime(nanoseconds: 0))))
    let threads = 4, exchanges = 12, isOver = Locked(false), left = Monitor((threads: threads, said: UInt64(0)))
    var registrations: [LogRegistration] = []
    func exchange() throws {
        registrations += try service.apply(LogConfiguration(.production) {
            LogListener(Taking(), name: "\(registrations.count)", delivery: .queued(QueuePolicy(overflow: .block(upTo: .seconds(60)))))
        }, by: .seconds(60))
    }
    try exchange()
    for _ in 0..<threads {
        LogThread.start("says") {
            var said: UInt64 = 0
            while !isOver.withLock({ $0 }) {
                service.info("\(said)")
                said += 1
            }
            left.withLock { access in
                access.value.threads -= 1
                access.value.said += said
                access.broadcast()
            }
        }
    }
    for _ in 0..<exchanges { try exchange() }
    isOver.withLock { $0 = true }
    let said = left.withLock { access in
        while access.value.threads > 0, access.wait(until: .seconds(120)) {}
        return access.value.threads > 0 ? nil : access.value.said
    }
    #expect(service.flush(by: .seconds(60)).isComplete)
    #expect(registrations.reduce(0) { $0 + $1.ledger.submitted } == said)
    #expect(registrations.allSatisfy { $0.ledger.pending == 0 })
}
