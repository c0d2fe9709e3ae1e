@testable import LogbookTestKit
import Testing

/// Nothing that keeps its promises is refused.
@Suite(.serialized) struct SoundProvidersTests {
    private func expectSound(
        _ claims: ConformanceClaims = ConformanceClaims(), notRun: [ConformanceCheck],
        _ make: @escaping @Sendable () throws -> ConformanceSpecimen
    ) async {
        let report = await ProviderConformance(claims, patience: .seconds(60), make).run()
        #expect(report.findings.isEmpty, "\(report)")
        #expect(report.notRun.map(\.check) == notRun, "\(report)")
        #expect(report.passed.count + report.notRun.count == ProviderConformance.contract.count)
    }

    static let forSinks: [ConformanceCheck] = [
        .sinkTakesOne, .sinkTakesMany, .sinkKeepsBatchOrder, .sinkFailsHonestly, .sinkKeepsToDeadline,
        .sinkEndsAtDeadline,
    ]
    static let forQueues: [ConformanceCheck] = [
        .queueCallsOneAtATime, .queueFlushesAfterBatches, .queueClosesOnce, .queueFlushesBeforeClose, .queueOffersAgain,
        .queueGoesOnAfterPart, .queueCountsRefused, .queueCountsRefusedOne, .queueCountsDropped,
    ]

    @Test func theRecordingProviderConforms() async {
        await expectSound(
            ConformanceClaims(visibility: .whenLogReturns),
            notRun: Self.forSinks + [.ledgerAddsUp, .ledgerNeverGoesBack] + Self.forQueues
                + [.logDoesNotWait, .accountAnswersAtOnce, .staysBounded, .survivesFailure, .failurePasses]
        ) {
            let provider = RecordingProvider()
            return ConformanceSpecimen(provider) { provider.events.map { RecordedEvent($0) } }
        }
    }

    @Test func aProviderOfTransactionEntriesConforms() async {
        await expectSound(
            ConformanceClaims(visibility: .whenLogReturns),
            notRun: Self.forSinks + [.ledgerAddsUp, .ledgerNeverGoesBack] + Self.forQueues
                + [.logDoesNotWait, .accountAnswersAtOnce, .staysBounded, .survivesFailure, .failurePasses]
        ) {
            let provider = RecordingProvider(interest: .transactionEntries)
            // As a store of transactions keeps them: the entry, and neither message nor sequence.
            return ConformanceSpecimen(provider) { provider.events.map { RecordedEvent(transaction: $0.transaction) } }
        }
    }

    @Test func aShelfWithEveryHookConforms() async {
        await expectSound(
            ConformanceClaims(capacity: 100),
            notRun: Self.forSinks + [.visibleWhenLogReturns] + Self.forQueues
        ) { Shelf(.init(capacity: 100)).specimen }
    }

    /// What it holds when its destination works again leaves no room for what comes next.
    @Test func aShelfThatHoldsFewConforms() async {
        await expectSound(
            ConformanceClaims(capacity: 20), notRun: Self.forSinks + [.visibleWhenLogReturns] + Self.forQueues
        ) { Shelf(.init(capacity: 20)).specimen }
    }

    /// As a receiver may take what a program no longer waits for: the account still has it as pending.
    @Test func whatAShutdownHasGivenUpMayArrive() async {
        var habits = Shelf.Habits(capacity: 100)
        habits.shutdown = { shelf, deadline in
            guard deadline.hasPassed, shelf.isStalled else { return try shelf.close(by: deadline) }
            shelf.state.withLock { access in
                for kept in access.value.waiting { access.value.standing += kept }
                access.value.waiting = []
                access.value.isShut = true
            }
            throw ScriptedFailure("the shelf does not answer")
        }
        await expectSound(
            ConformanceClaims(capacity: 100), notRun: Self.forSinks + [.visibleWhenLogReturns] + Self.forQueues
        ) { [habits] in Shelf(habits).specimen }
    }

    @Test func whatAFormatDoesNotKeepIsNotCompared() async {
        await expectSound(
            notRun: Self.forSinks + [.visibleWhenLogReturns] + Self.forQueues + [.logDoesNotWait, .accountAnswersAtOnce, .staysBounded, .survivesFailure, .failurePasses]
        ) {
            let shelf = Shelf()
            return ConformanceSpecimen(shelf) { shelf.standing.map { RecordedEvent(message: $0.message) } }
        }
        await expectSound(
            notRun: Self.forSinks + [.visibleWhenLogReturns] + Self.forQueues + [.logDoesNotWait, .accountAnswersAtOnce, .staysBounded, .survivesFailure, .failurePasses]
        ) {
            let shelf = Shelf()
            return ConformanceSpecimen(shelf) { shelf.standing.map { _ in RecordedEvent() } }
        }
    }

    /// With every hook, and no bound.
    private static let ofAShelf = forSinks + [.visibleWhenLogReturns] + forQueues + [.staysBounded]

    /// As a file that no disk made safe: the flush that comes next says so, and the one after that need not.
    @Test func aFlushMaySayOnceMoreWhatHasFailed() async {
        await expectSound(notRun: Self.ofAShelf) {
            var habits = Shelf.Habits()
            habits.flush = { shelf, deadline in
                let hasFailed = shelf.state.withLock { access in
                    defer { access.value.count = access.value.isBroken ? 1 : 0 }
                    return access.value.count == 1
                }
                try shelf.put(by: deadline)
                if hasFailed { throw ScriptedFailure("something was not safe") }
            }
            return Shelf(habits).specimen
        }
    }

    @Test func aShortenedMessageIsKnownByItsBeginning() async {
        await expectSound(ConformanceClaims(largestMessage: 4096), notRun: Self.ofAShelf) {
            var habits = Shelf.Habits()
            habits.keep = { event, _ in [event.replacingMessage(String(decoding: event.message.utf8.prefix(4096), as: UTF8.self))] }
            let shelf = Shelf(habits)
            // As lines of plain text are read: without a sequence.
            return ConformanceSpecimen(
                shelf, readBack: { shelf.standing.map { RecordedEvent(message: $0.message) } }, stall: { shelf.stall($0) },
                fail: { shelf.fail($0) })
        }
    }

    @Test func modestClaimsAreHonoured() async {
        let claims = ConformanceClaims(
            keepsOrder: false, keepsText: false, largestMessage: 4096, mostMembers: 200, deepestMetadata: 10,
            timeResolution: .milliseconds(1))
        await expectSound(
            claims,
            notRun: Self.forSinks + [.visibleWhenLogReturns, .hostileText, .keepsOrder] + Self.forQueues + [.staysBounded]
        ) {
            var habits = Shelf.Habits()
            habits.keep = { event, state in
                if event.message == "number 2" { state.standing.reverse() }
                let text = String(decoding: event.message.utf8.prefix(4096).map { $0 < 0x20 ? 0x3F : $0 }, as: UTF8.self)
                let milliseconds = event.time.nanoseconds / 1_000_000
                return [
                    LogEvent(
                        sequence: event.sequence, time: LogTime(nanoseconds: milliseconds * 1_000_000), level: event.level,
                        message: text, metadata: Self.modest(event.metadata), transaction: event.transaction, error: event.error)
                ]
            }
            let shelf = Shelf(habits)
            return shelf.specimen
        }
    }

    /// All but one and a mark where there are more members, and no more than so many levels.
    private static func modest(_ metadata: LogMetadata, members: Int = 200, levels: Int = 10) -> LogMetadata {
        if metadata.contains(where: { $0.value.levels > levels }) { return ["cut": true] }
        guard metadata.count > members else { return metadata }
        return LogMetadata(metadata.prefix(members - 1).map { ($0.key, $0.value) } + [("cut", true)])
    }

    @Test(arguments: [
        (members: 33, levels: 24), (members: 10, levels: 24), (members: 1, levels: 24), (members: 200, levels: 1),
        (members: 200, levels: 0),
    ])
    func fewMembersAndFlatMetadataAreEnough(members: Int, levels: Int) async {
        await expectSound(ConformanceClaims(mostMembers: members, deepestMetadata: levels), notRun: Self.ofAShelf) {
            var habits = Shelf.Habits()
            habits.keep = { event, _ in [event.replacingMetadata(Self.modest(event.metadata, members: members, levels: levels))] }
            return Shelf(habits).specimen
        }
    }

    @Test func whatAReaderTakesForUnsignedIsTheSameNumber() async {
        @Sendable func read(_ value: LogValue) -> LogValue {
            switch value {
            case .integer(let number) where number >= 0: .unsigned(UInt64(number))
            case .array(let values): .array(values.map(read))
            case .object(let members): .object(read(members))
            default: value
            }
        }
        @Sendable func read(_ metadata: LogMetadata) -> LogMetadata { LogMetadata(metadata.map { ($0.key, read($0.value)) }) }
        await expectSound(notRun: Self.ofAShelf) {
            var habits = Shelf.Habits()
            habits.keep = { event, _ in [event.replacingMetadata(read(event.metadata))] }
            return Shelf(habits).specimen
        }
    }

    @Test func theQueueConforms() async {
        await expectSound(notRun: Self.forSinks + [.visibleWhenLogReturns, .staysBounded]) {
            ConformanceSpecimen { BatchingProvider($0, policy: Self.brisk) }
        }
    }

    /// `linger` as a program has it; short pauses, because the bench fails writes on purpose.
    static let brisk = QueuePolicy(firstPause: .milliseconds(1), longestPause: .milliseconds(5))

    @Test(arguments: [QueuePolicy.Overflow.dropNewest, .dropOldest, .block(upTo: .milliseconds(5))])
    func aSmallQueueConformsUnderEveryOverflow(overflow: QueuePolicy.Overflow) async {
        var policy = Self.brisk
        (policy.capacity, policy.reservedCapacity, policy.batchCount, policy.overflow) = (64, 16, 8, overflow)
        // What is held at most: the queue, its reserve, and the batch that is being written.
        await expectSound(ConformanceClaims(capacity: 64 + 16 + 8), notRun: Self.forSinks + [.visibleWhenLogReturns]) { [policy] in
            ConformanceSpecimen { BatchingProvider($0, policy: policy) }
        }
    }

    @Test(arguments: [QueuePolicy.Overflow.dropNewest, .dropOldest, .block(upTo: .milliseconds(5))])
    func aQueueOfSixteenConformsUnderEveryOverflow(overflow: QueuePolicy.Overflow) async {
        var policy = Self.brisk
        (policy.capacity, policy.reservedCapacity, policy.batchCount, policy.overflow) = (16, 4, 4, overflow)
        await expectSound(ConformanceClaims(capacity: 16 + 4 + 4), notRun: Self.forSinks + [.visibleWhenLogReturns]) { [policy] in
            ConformanceSpecimen { BatchingProvider($0, policy: policy) }
        }
    }

    /// It takes no batch out before it is flushed: until then it holds no more than the queue has room for.
    @Test(arguments: [16, 5])
    func aQueueThatWritesWhenItIsFlushedConforms(capacity: Int) async {
        let claims = ConformanceClaims(capacity: capacity + FlawedQueue.batchCount(of: capacity))
        await expectSound(claims, notRun: Self.forSinks + [.visibleWhenLogReturns]) {
            ConformanceSpecimen { FlawedQueue($0, .none, capacity: capacity) }
        }
    }

    @Test func aSinkConforms() async {
        await expectSound(notRun: [.visibleWhenLogReturns] + Self.forQueues + [.staysBounded]) {
            let sink = BenchSink()
            return ConformanceSpecimen(
                sink: sink, readBack: { sink.written.map { RecordedEvent($0) } }, stall: { sink.stall($0) },
                fail: { sink.fail($0 ? ScriptedFailure() : nil) })
        }
    }

    /// As a store that has no room, and gives up what is oldest.
    @Test func aSinkThatDropsOnPurposeConforms() async {
        await expectSound(notRun: [.visibleWhenLogReturns] + Self.forQueues + [.staysBounded]) {
            let sink = BenchSink()
            return ConformanceSpecimen(
                sink: sink, readBack: { sink.written.map { RecordedEvent($0) } }, stall: { sink.stall($0) },
                fail: { sink.answer($0 ? [BatchWriteError.dropped(count: 1, of: 3, .spoolFull)] : []) })
        }
    }

    /// Also one that takes more at once than a queue holds by default.
    @Test(arguments: [10, 1, 10_000])
    func aSinkThatReliesOnItsPolicyConforms(batchCount: Int) async {
        struct Narrow: BatchSink {
            let inner: BenchSink, batchCount: Int
            func write(_ batch: [LogEvent]) throws {
                if batch.count > batchCount { throw ScriptedFailure("\(batch.count) events at once") }
                try inner.write(batch)
            }
            func flush(by deadline: LogDeadline) { inner.flush(by: deadline) }
            func close(by deadline: LogDeadline) { inner.close(by: deadline) }
        }
        await expectSound(notRun: [.visibleWhenLogReturns] + Self.forQueues + [.staysBounded]) {
            let sink = BenchSink()
            return ConformanceSpecimen(
                sink: Narrow(inner: sink, batchCount: batchCount), batchCount: batchCount,
                readBack: { sink.written.map { RecordedEvent($0) } }, stall: { sink.stall($0) },
                fail: { sink.fail($0 ? ScriptedFailure() : nil) })
        }
    }

    /// As a store that inserts what it is given, and commits when it is flushed.
    @Test func aSinkThatMakesNothingVisibleBeforeAFlushConforms() async {
        struct Committing: BatchSink {
            let inserted = Locked<[LogEvent]>([]), committed = Locked<[LogEvent]>([])
            func write(_ batch: [LogEvent]) { inserted.withLock { $0 += batch } }
            func flush(by deadline: LogDeadline) {
                let batch = inserted.withLock { inserted in
                    defer { inserted = [] }
                    return inserted
                }
                committed.withLock { $0 += batch }
            }
        }
        await expectSound(
            notRun: [.sinkFailsHonestly, .sinkKeepsToDeadline, .sinkEndsAtDeadline, .visibleWhenLogReturns] + Self.forQueues
                + [.logDoesNotWait, .accountAnswersAtOnce, .staysBounded, .survivesFailure, .failurePasses]
        ) {
            let sink = Committing()
            return ConformanceSpecimen(sink: sink, readBack: { sink.committed.withLock { $0 }.map { RecordedEvent($0) } })
        }
    }

    /// The same where the commit is what fails: nothing of it is lost, and the flush has said so.
    @Test func aSinkWhoseFlushSaysWhatHasFailedConforms() async {
        struct Committing: BatchSink {
            let inserted = Locked<[LogEvent]>([]), disk = BenchSink()
            func write(_ batch: [LogEvent]) { inserted.withLock { $0 += batch } }
            func flush(by deadline: LogDeadline) throws {
                let batch = inserted.withLock { $0 }
                if !batch.isEmpty { try disk.write(batch) }
                inserted.withLock { $0 = [] }
                disk.flush(by: deadline)
            }
        }
        await expectSound(
            notRun: [.sinkKeepsToDeadline, .sinkEndsAtDeadline, .visibleWhenLogReturns] + Self.forQueues
                + [.logDoesNotWait, .accountAnswersAtOnce, .staysBounded]
        ) {
            let sink = Committing()
            return ConformanceSpecimen(
                sink: sink, readBack: { sink.disk.written.map { RecordedEvent($0) } },
                fail: { sink.disk.fail($0 ? ScriptedFailure() : nil) })
        }
    }

    @Test func wrappersOfSoundProvidersConform() async {
        struct Passing<Wrapped: LogProvider>: LogProvider {
            let wrapped: Wrapped
            func log(_ event: LogEvent) { wrapped.log(event) }
            func flush(by deadline: LogDeadline) throws { try wrapped.flush(by: deadline) }
            func shutdown(by deadline: LogDeadline) throws { try wrapped.shutdown(by: deadline) }
            var interest: LogInterest { wrapped.interest }
            var ledger: LogLedger? { wrapped.ledger }
        }
        await expectSound(notRun: Self.forSinks + [.visibleWhenLogReturns] + Self.forQueues + [.staysBounded]) {
            let shelf = Shelf()
            return ConformanceSpecimen(
                Passing(wrapped: shelf), readBack: { shelf.standing.map { RecordedEvent($0) } }, stall: { shelf.stall($0) },
                fail: { shelf.fail($0) })
        }
        await expectSound(notRun: Self.forSinks + [.visibleWhenLogReturns, .staysBounded]) {
            ConformanceSpecimen { Passing(wrapped: BatchingProvider($0, policy: Self.brisk)) }
        }
    }

    /// Wrappers that hold back many of the bench's events, most of which come from one place, and speak of them or not.
    private static let holding: [(name: String, make: @Sendable (any LogProvider) -> any LogProvider)] = [
        ("every other", { EveryOther($0) }),
        ("sampling", { Sampling($0, SamplingPolicy(first: 2, every: 3, window: .seconds(3600))) }),
        ("rate", { RateLimiting($0, to: RateLimit(2, per: .seconds(3600))) }),
        ("folding", { FoldingRepeats($0, longestWait: .seconds(3600)) }),
        ("within each other", { EveryOther(RateLimiting($0, to: RateLimit(2, per: .seconds(3600)))) }),
    ]

    @Test(arguments: holding.map(\.name))
    func wrappersThatHoldBackOnPurposeConform(name: String) async throws {
        let make = try #require(Self.holding.first { $0.name == name }).make
        await expectSound(notRun: Self.ofAShelf) {
            let shelf = Shelf()
            return ConformanceSpecimen(
                make(shelf), readBack: { shelf.standing.map { RecordedEvent($0) } }, stall: { shelf.stall($0) },
                fail: { shelf.fail($0) })
        }
        // As lines of plain text are read, without a sequence, and of a provider without a ledger.
        await expectSound(
            ConformanceClaims(visibility: .whenLogReturns),
            notRun: Self.forSinks + [.ledgerAddsUp, .ledgerNeverGoesBack] + Self.forQueues
                + [.logDoesNotWait, .accountAnswersAtOnce, .staysBounded, .survivesFailure, .failurePasses]
        ) {
            let recorder = RecordingProvider()
            return ConformanceSpecimen(make(recorder)) { recorder.events.map { RecordedEvent(message: $0.message) } }
        }
        await expectSound(notRun: Self.forSinks + [.visibleWhenLogReturns, .staysBounded]) {
            ConformanceSpecimen { make(BatchingProvider($0, policy: Self.brisk)) }
        }
    }

    /// As a queued registration feeds a provider that takes one event at a time.
    @Test func aProviderBehindAQueueConforms() async {
        struct OneByOne: BatchSink {
            let provider: any LogProvider
            func write(_ batch: [LogEvent]) throws {
                for event in batch { provider.log(event) }
                // What it says it wrote may not be given up when it closes: nobody here adds the provider's own account.
                try provider.flush(by: .never)
            }
            func flush(by deadline: LogDeadline) throws { try provider.flush(by: deadline) }
            func close(by deadline: LogDeadline) { try? provider.shutdown(by: deadline) }
        }
        await expectSound(
            notRun: [.sinkFailsHonestly, .visibleWhenLogReturns] + Self.forQueues + [.staysBounded, .survivesFailure, .failurePasses]
        ) {
            let shelf = Shelf()
            return ConformanceSpecimen(
                sink: OneByOne(provider: shelf), readBack: { shelf.standing.map { RecordedEvent($0) } },
                stall: { shelf.stall($0) })
        }
    }

    @Test func aProviderThatLogsFromInsideConforms() async {
        let report = await ProviderConformance(patience: .seconds(60), withService: { service in
            var habits = Shelf.Habits()
            habits.log = { shelf, event in
                shelf.take(event)
                if event.message.hasPrefix("said") { service.debug("shelved one") }
            }
            return Shelf(habits).specimen
        }).run()
        #expect(report.findings == [], "\(report)")
    }

    @Test func everySpecimenIsCleanedUpOnce() async {
        let counts = Locked((made: 0, cleaned: 0))
        _ = await ProviderConformance(patience: .seconds(60)) {
            counts.withLock { $0.made += 1 }
            let provider = RecordingProvider()
            return ConformanceSpecimen(
                provider, readBack: { provider.events.map { RecordedEvent($0) } },
                cleanUp: { counts.withLock { $0.cleaned += 1 } })
        }.run()
        let (made, cleaned) = counts.withLock { $0 }
        #expect(made == ProviderConformance.contract.count)
        #expect(cleaned == made)
    }

    @Test func aFactoryThatThrowsIsAFinding() async {
        let report = await ProviderConformance { throw ScriptedFailure("no folder to write in") }.run()
        #expect(report.findings.map(\.explanation) == ["the factory threw: no folder to write in"])
        #expect(report.passed == [])
    }

    @Test func aProviderThatHangsIsGivenUpAfterThePatience() async {
        final class Hanging: LogProvider {
            let gate: Gate, clock: ManualClock
            init(_ gate: Gate, _ clock: ManualClock) { (self.gate, self.clock) = (gate, clock) }
            func log(_ event: LogEvent) {}
            func flush(by deadline: LogDeadline) {
                clock.advance(by: .seconds(3))
                gate.wait()
            }
        }
        let gate = Gate(), clock = ManualClock(now: LogTime(nanoseconds: 0))
        let report = await ProviderConformance(patience: .seconds(3)) {
            ConformanceSpecimen(Hanging(gate, clock), readBack: { [] })
        }.run(.manual(clock))
        gate.open()
        #expect(report.findings.map(\.description) == ["oneEvent: flush had not come back after 3.0 seconds"])
        #expect(report.passed == [])
    }

    @Test func everyCheckHasANameOfItsOwnAndComesAfterItsFoundations() {
        var seen: Set<ConformanceCheck> = []
        for check in ProviderConformance.contract {
            #expect(seen.isSuperset(of: check.foundations), "\(check.check)")
            #expect(seen.insert(check.check).inserted, "\(check.check)")
        }
        #expect(Set(seen.map(\.name)).count == ProviderConformance.contract.count)
    }
}
