@testable import LogbookTestKit
import Testing

/// Every check catches what it is meant for: one bad habit, one finding.
@Suite struct PlantedFaultsTests {
    // Three at a time: each starts threads by the dozen, and seventy of them at once only wait for each other.
    @Suite(.serialized) struct OfWhatIsKept {
        @Test(arguments: Flaw.ofWhatIsKept)
        func isCaughtByItsCheckAndNoOther(_ flaw: Flaw) async { await flaw.isCaughtByItsCheckAndNoOther() }
    }
    @Suite(.serialized) struct OfWhatEnds {
        @Test(arguments: Flaw.ofWhatEnds)
        func isCaughtByItsCheckAndNoOther(_ flaw: Flaw) async { await flaw.isCaughtByItsCheckAndNoOther() }
    }
    @Suite(.serialized) struct OfSinksAndQueues {
        @Test(arguments: Flaw.ofSinksAndQueues)
        func isCaughtByItsCheckAndNoOther(_ flaw: Flaw) async { await flaw.isCaughtByItsCheckAndNoOther() }
    }

    @Test func everyCheckHasAFaultThatOnlyItCatches() {
        let caught = Set(Flaw.all.map(\.caughtBy))
        let untried = ProviderConformance.contract.map(\.check).filter { !caught.contains($0) }
        #expect(untried == [])
    }

    @Test func aFindingSaysWhatWasSeenAndWhatWasPromised() async {
        let report = await ProviderConformance {
            var habits = Shelf.Habits()
            habits.keep = { event, _ in event.level == .verbose ? [] : [event] }
            return Shelf(habits).specimen
        }.run()
        #expect(
            report.findings.map(\.description) == [
                "everyLevel: 1 of 7 events are missing, the first is \"at verbose\" "
                    + "(ledger: submitted 7, delivered 7, pending 0, dropped 0)"
            ])
        #expect(report.description.contains("failed: everyLevel: 1 of 7 events are missing"))
        #expect(report.description.contains("the promise: events of every level arrive, with their level"))
        #expect(report.description.contains("sinkEndsAtDeadline: the specimen is not a sink"))
    }
}

extension Flaw {
    static let all = ofWhatIsKept + ofWhatEnds + ofSinksAndQueues
    fileprivate static let ofWhatIsKept = contents + many + wrappers + service
    fileprivate static let ofWhatEnds = lifecycle + pressure + accounts
    fileprivate static let ofSinksAndQueues = sinks + queues

    /// Never waited for: a habit that hangs says so, and the clock moves.
    private static let patience = Duration.seconds(600)

    fileprivate func isCaughtByItsCheckAndNoOther() async {
        let clock = ManualClock(now: LogTime(seconds: 0)), releases = Locked<[@Sendable () -> Void]>([])
        let conformance = ProviderConformance(claims, patience: Self.patience, withService: { service in
            let (specimen, release) = make(service) { clock.advance(by: Self.patience) }
            releases.withLock { $0.append(release) }
            return specimen
        })
        let report = await conformance.run(.manual(clock))
        for release in releases.withLock({ $0 }) { release() }
        #expect(report.findings.map(\.check) == [caughtBy], "\(self): \(report)")
        #expect(report.findings.contains { $0.explanation.contains(saying) }, "\(self): \(report)")
    }

    /// Nothing counts what is lost, so what comes after a shutdown is kept as well.
    private static func keepNoLedger(_ habits: inout Shelf.Habits) {
        habits.account = { _ in nil }
        habits.log = { shelf, event in
            shelf.state.withLock { access in
                access.value.ledger.submit()
                access.value.waiting.append([event])
                access.broadcast()
            }
        }
    }

    static let contents: [Flaw] = [
        keeping("loses everything", .oneEvent, "1 of 1 events are missing") { _, _ in [] },
        keeping("rewrites the text", .oneEvent, "was read back as \"THE FIRST\"") { event, _ in
            [event.replacingMessage(event.message.uppercased())]
        },
        keeping("writes everything twice", .writesOnce, "3 of 6 records repeat an event") { event, _ in [event, event] },
        keeping("adds lines of its own", .writesOnce, "records are of no event that was logged") { event, state in
            state.count += 1
            let own = LogEvent(sequence: 1_000_000, time: event.time, level: .info, message: "-- mark --")
            return state.count == 3 ? [event, own] : [event]
        },
        keeping("drops a level", .everyLevel, "the first is \"at verbose\"") { event, _ in
            event.level == .verbose ? [] : [event]
        },
        keeping("has no name for a level", .everyLevel, "level notice was read back as info") { event, _ in
            [event.level == .notice ? event.with(level: .info) : event]
        },
        keeping("orders levels the other way round", .everyLevel, "level verbose was read back as critical") { event, _ in
            let turned = LogLevel(rawValue: LogLevel.critical.rawValue - event.level.rawValue)!
            return [event.level == .info ? event : event.with(level: turned)]
        },
        keeping("skips empty messages", .emptyMessage, "1 of 3 events are missing") { event, _ in
            event.message.isEmpty ? [] : [event]
        },
        keeping("takes nothing from before 1970", .unusualTimes, "events are missing") { event, _ in
            event.time.nanoseconds < 0 ? [] : [event]
        },
        keeping("keeps time in 32 bits", .unusualTimes, "was read back as") { event, _ in
            let seconds = Int64(Int32(truncatingIfNeeded: event.time.wholeSeconds))
            return [event.with(time: LogTime(nanoseconds: seconds * 1_000_000_000 + event.time.nanosecondOfSecond))]
        },
        keeping("takes nothing that is older than the latest", .outOfSequence, "the first is \"sequence 3\"") { event, state in
            guard event.message.hasPrefix("sequence") else { return [event] }
            defer { state.memory.append(event) }
            return state.memory.contains { $0.sequence > event.sequence } ? [] : [event]
        },
        keeping("loses errors", .error, "the error PaymentError: the card was declined was read back as none") { event, _ in
            [event.with(error: .some(nil))]
        },
        keeping("keeps an error's type alone", .error, "was read back as PaymentError: ") { event, _ in
            [event.with(error: event.error.map { LogErrorDetails(type: $0.type, description: "") })]
        },
        keeping("gives an error to the next event as well", .error, "the error none was read back as PaymentError") { event, state in
            defer { state.memory = [event] }
            guard event.message == "it works", let error = state.memory.last?.error else { return [event] }
            return [event.with(error: error)]
        },
        keeping("makes text of every metadata value", .metadata, "under \"null\"") { event, _ in
            [event.replacingMetadata(LogMetadata(event.metadata.map { ($0.key, .describing($0.value)) }))]
        },
        keeping("loses nested metadata", .metadata, "the key \"object\" is missing") { event, _ in
            [event.replacingMetadata(LogMetadata(event.metadata.filter { if case .object = $0.value { false } else { true } }
                .map { ($0.key, $0.value) }))]
        },
        keeping("rounds large whole numbers as a Double does", .metadata, "under \"almost largest signed\"") { event, _ in
            [event.replacingMetadata(LogMetadata(event.metadata.map { key, value in
                guard case .integer(let number) = value, Double(exactly: number) == nil else { return (key, value) }
                return (key, .double(Double(number)))
            }))]
        },
        keeping("rounds the largest of all as a Double does", .metadata, "under \"largest\"") { event, _ in
            [event.replacingMetadata(LogMetadata(event.metadata.map { key, value in
                guard case .unsigned(let number) = value, Double(exactly: number) == nil else { return (key, value) }
                return (key, .double(Double(number)))
            }))]
        },
        keeping("keeps 100 keys", .largeMetadata, "the key \"key101\" is missing") { event, _ in
            [event.replacingMetadata(LogMetadata(event.metadata.prefix(100).map { ($0.key, $0.value) }))]
        },
        shelf(
            "keeps fewer members than it claims", .largeMetadata, "the key \"key101\" is missing",
            claims: ConformanceClaims(mostMembers: 200)
        ) { habits, _ in
            habits.keep = { event, _ in
                [event.replacingMetadata(LogMetadata(event.metadata.prefix(100).map { ($0.key, $0.value) }))]
            }
        },
        shelf(
            "keeps nothing of more members than it claims", .largeMetadata, "the 199 first are claimed, and key1 is not among them",
            claims: ConformanceClaims(mostMembers: 200)
        ) { habits, _ in
            habits.keep = { event, _ in [event.metadata.count > 200 ? event.replacingMetadata([:]) : event] }
        },
        shelf(
            "is flatter than it claims", .largeMetadata, "under \"deep\"", claims: ConformanceClaims(deepestMetadata: 10)
        ) { habits, _ in
            habits.keep = { event, _ in
                let deep = event.metadata["deep"]?.levels ?? 0
                return [deep > 9 ? event.replacingMetadata(["deep": "too deep"]) : event]
            }
        },
        keeping("overwrites a key with its own", .largeMetadata, "under \"level\"") { event, _ in
            var metadata = event.metadata
            if metadata["level"] != nil { metadata["level"] = "info" }
            return [event.replacingMetadata(metadata)]
        },
        keeping("makes an event of every line", .oneInOneOut, "events with hostile text made") { event, _ in
            guard event.message.utf8.contains(0x0A) else { return [event] }
            return event.message.split(separator: "\n", omittingEmptySubsequences: false)
                .map { event.replacingMessage(String($0)) }
        },
        keeping("writes an error as it is", .oneInOneOut, "events with hostile text made") { event, _ in
            let lines = event.error?.description.split(separator: "\n", omittingEmptySubsequences: false) ?? []
            return [event] + lines.dropFirst().map { event.replacingMessage(String($0)) }
        },
        keeping("takes a place for a field of its own", .oneInOneOut, "events with hostile text made") { event, _ in
            event.source.function.contains("\"") ? [] : [event]
        },
        keeping("ends at NUL and takes nothing", .oneInOneOut, "events with hostile text made") { event, _ in
            event.message.utf8.contains(0) ? [] : [event]
        },
        keeping("replaces control characters", .hostileText, "was read back as \"two?lines\"") { event, _ in
            [event.replacingMessage(String(decoding: event.message.utf8.map { $0 < 0x20 ? 0x3F : $0 }, as: UTF8.self))]
        },
        keeping("normalizes Unicode", .hostileText, "was read back as") { event, _ in
            let composed = event.message.utf8.elementsEqual("e\u{301} or \u{E9}".utf8) ? "\u{E9} or \u{E9}" : event.message
            return [event.replacingMessage(composed)]
        },
        keeping("cuts long messages", .hugeEvent, "(1048576 and 65536 bytes)") { event, _ in
            [event.replacingMessage(String(decoding: event.message.utf8.prefix(65_536), as: UTF8.self))]
        },
    ]

    static let many: [Flaw] = [
        keeping("loses every 125th event", .keepsEverything, "8 of 1000 events are missing") { event, state in
            state.count += 1
            return state.count.isMultiple(of: 125) ? [] : [event]
        },
        keeping("overwrites one event with another", .keepsEverything, "was read back as") { event, state in
            defer { if event.message.hasPrefix("number") { state.memory = [event] } }
            guard event.message == "number 500", let other = state.memory.first else { return [event] }
            return [event.replacingMessage(other.message)]
        },
        keeping("swaps two", .keepsOrder, "which was logged first") { event, state in
            if event.message == "number 500" || event.message == "alone 100" {
                state.memory = [event]
                return []
            }
            defer { state.memory = [] }
            return [event] + state.memory
        },
        shelf("loses events that come at the same time", .concurrency, "events are missing") { habits, _ in
            habits.log = { shelf, event in
                guard event.message.hasPrefix("thread"), event.message.hasSuffix("number 1") else { return shelf.take(event) }
                // The first stays inside until another comes, and overwrites what that one wrote.
                let order = shelf.state.withLock { access in
                    access.value.count += 1
                    access.broadcast()
                    let order = access.value.count, limit = LogDeadline.seconds(60)
                    while access.value.count < 2, access.wait(until: limit) {}
                    return order
                }
                if order != 2 { return shelf.take(event) }
                shelf.state.withLock {
                    $0.value.ledger.submit()
                    $0.value.ledger.deliver(1)
                }
            }
        },
        shelf("counts one too many", .ledgerAddsUp, "1 events were logged (ledger: submitted 2") { habits, _ in
            habits.account = {
                LogLedger(submitted: $0.ledger.submitted + 1, delivered: $0.ledger.delivered, dropped: $0.ledger.dropped)
            }
        },
        shelf("counts written events as dropped", .ledgerAddsUp, "were read back (ledger:") { habits, _ in
            habits.account = { state in
                let ledger = state.ledger
                guard state.shutdowns > 0, ledger.dropped.isEmpty, ledger.delivered == 210 else { return ledger }
                return LogLedger(submitted: ledger.submitted, delivered: ledger.delivered - 1, dropped: [.queueFull: 1])
            }
        },
        shelf("does not count what waits as settled after a flush", .ledgerAddsUp, "something is pending") { habits, _ in
            habits.account = { state in
                guard state.shutdowns == 0, state.ledger.delivered > 0 else { return state.ledger }
                return LogLedger(submitted: state.ledger.submitted, delivered: state.ledger.delivered - 1)
            }
        },
        shelf("takes a delivery back for a moment", .ledgerNeverGoesBack, "after (ledger:") { habits, _ in
            habits.account = { state in
                let ledger = state.ledger
                state.count += 1
                // Only where it is looked at more than a few hundred times.
                guard state.count > 350, state.count.isMultiple(of: 2), ledger.delivered > 0 else { return ledger }
                return LogLedger(submitted: ledger.submitted, delivered: ledger.delivered - 1, dropped: ledger.dropped)
            }
        },
        shelf("loses what comes while it flushes", .flushUnderLoad, "events are missing") { habits, _ in
            Flaw.keepNoLedger(&habits)
            habits.flush = { shelf, deadline in
                shelf.state.withLock { access in
                    let batch = access.value.waiting
                    // Nobody logs beside a quiet flush; under load somebody comes soon.
                    guard batch.last?.first?.message.hasPrefix("thread") == true else { return }
                    let limit = LogDeadline.milliseconds(200)
                    while access.value.waiting.count == batch.count, access.wait(until: limit) {}
                    access.value.waiting = batch
                }
                try shelf.put(by: deadline)
            }
        },
    ]

    static let wrappers: [Flaw] = [
        wrapper("holds back the first and does not count it", .oneEvent, "1 of 1 events are missing", .hidesTheFirst),
        wrapper("counts what it lets pass", .oneEvent, "of 1 held back 0 are missing", .countsWhatPasses),
        wrapper("stops counting what it holds back", .keepsEverything, "500 of 1000 events are missing", .stopsCounting),
    ]

    static let lifecycle: [Flaw] = [
        shelf("never comes back from flush", .oneEvent, "flush had not come back after") { habits, _ in
            habits.flush = { shelf, _ in
                shelf.willHang()
                shelf.gate.wait()
            }
        },
        shelf("cannot be flushed", .oneEvent, "flush threw: no") { habits, _ in
            habits.flush = { _, _ in throw ScriptedFailure("no") }
        },
        shelf("returns from flush too early", .flushMakesVisible, "5 of 5 events are missing") { habits, _ in
            habits.flush = { _, _ in }
        },
        shelf("forgets what waits when it is shut down", .shutdownWritesTheRest, "20 of 20 events are missing") { habits, _ in
            habits.shutdown = { shelf, _ in
                shelf.state.withLock { access in
                    access.value.ledger.drop(access.value.waiting.count, .alreadyShutDown)
                    access.value.waiting = []
                    access.value.isShut = true
                }
            }
        },
        shelf("writes the latest again with every further flush", .flushTwice, "repeat an event") { habits, _ in
            habits.flush = { shelf, deadline in
                try shelf.put(by: deadline)
                shelf.state.withLock { access in
                    guard access.value.flushes > 1, let latest = access.value.standing.last else { return }
                    access.value.standing.append(latest)
                }
            }
            habits.shutdown = { shelf, deadline in try shelf.close(by: deadline) }
        },
        shelf("cannot be flushed while it is empty", .flushTwice, "flush before the first event threw") { habits, _ in
            habits.flush = { shelf, deadline in
                if shelf.state.withLock({ $0.value.ledger.submitted == 0 }) { throw ScriptedFailure("nothing to flush") }
                try shelf.put(by: deadline)
            }
        },
        shelf(
            "claims to be visible at once and collects", .visibleWhenLogReturns, "1 of 1 events are missing",
            claims: .init(visibility: .whenLogReturns)
        ) { _, _ in },
        shelf("cannot be flushed after shutdown", .flushAfterShutdown, "flush after shutdown threw: it is closed") { habits, _ in
            habits.flush = { shelf, deadline in
                if shelf.state.withLock({ $0.value.isShut }) { throw ScriptedFailure("it is closed") }
                try shelf.put(by: deadline)
            }
        },
        shelf("cannot be shut down twice", .shutdownTwice, "the second shutdown threw: it is closed") { habits, _ in
            habits.shutdown = { shelf, deadline in
                if shelf.state.withLock({ $0.value.isShut && !$0.value.isStalled && $0.value.ledger.dropped.isEmpty }) {
                    throw ScriptedFailure("it is closed")
                }
                try shelf.close(by: deadline)
            }
        },
        shelf("forgets what comes after shutdown", .logAfterShutdown, "5 are neither written nor counted") { habits, _ in
            habits.log = { shelf, event in
                if shelf.state.withLock({ $0.value.isShut }) { return }
                shelf.take(event)
            }
        },
        shelf("takes away what stood there when logged to after shutdown", .logAfterShutdown, "took away") { habits, _ in
            habits.log = { shelf, event in
                shelf.state.withLock { if $0.value.isShut { $0.value.standing = [] } }
                shelf.take(event)
            }
        },
        shelf("takes back what it has counted", .logAfterShutdown, "5 are neither written nor counted") { habits, _ in
            habits.account = { state in
                let ledger = state.ledger
                guard state.isShut, ledger.delivered == 3 else { return ledger }
                if ledger.submitted == 3 { return LogLedger(submitted: 4, delivered: 3, dropped: [.queueFull: 1]) }
                return LogLedger(submitted: ledger.submitted, delivered: 3)
            }
        },
        shelf("forgets what comes while it closes", .closeUnderLoad, "events were logged (ledger:") { habits, _ in
            habits.log = { shelf, event in
                let isClosing = shelf.state.withLock { access in
                    guard access.value.count == 1 else { return false }
                    access.value.count = 2
                    access.broadcast()
                    return true
                }
                if !isClosing { shelf.take(event) }
            }
            habits.shutdown = { shelf, deadline in
                shelf.state.withLock { access in
                    // Nobody logs beside a quiet shutdown; under load somebody comes soon.
                    guard access.value.waiting.count >= 200, access.value.count == 0 else { return }
                    access.value.count = 1
                    let limit = LogDeadline.seconds(2)
                    while access.value.count == 1, access.wait(until: limit) {}
                    if access.value.count == 1 { access.value.count = 0 }
                }
                try shelf.close(by: deadline)
            }
        },
        shelf(
            "gives up what waits when it is shut down and much waits", .closeUnderLoad, "logged before shutdown are missing"
        ) { habits, _ in
            habits.shutdown = { shelf, deadline in
                shelf.state.withLock { access in
                    guard access.value.waiting.count > 100 else { return }
                    access.value.ledger.drop(access.value.waiting.count, .providerTimeout)
                    access.value.waiting = []
                }
                try shelf.close(by: deadline)
            }
        },
    ]

    static let pressure: [Flaw] = [
        shelf("waits in log for its destination", .logDoesNotWait, "does not answer had not come back") { habits, _ in
            habits.log = { shelf, event in
                if shelf.isStalled { shelf.willHang() }
                shelf.state.withLock { access in while access.value.isStalled { access.wait() } }
                shelf.take(event)
            }
        },
        shelf("waits a sixtieth of the patience in log", .logDoesNotWait, "does not answer had not come back") { habits, _ in
            habits.log = { shelf, event in
                if shelf.isStalled { shelf.wait(forOneOf: 60) }
                shelf.take(event)
            }
        },
        shelf(
            "waits a tenth of the patience whatever the deadline", .flushKeepsToDeadline,
            "flush whose deadline was over had not come back"
        ) { habits, _ in
            habits.flush = { shelf, deadline in
                if deadline.hasPassed, shelf.isStalled { shelf.wait(forOneOf: 10) }
                try shelf.put(by: deadline)
            }
        },
        shelf(
            "ignores the deadline of a flush", .flushKeepsToDeadline, "flush whose deadline was over had not come back"
        ) { habits, _ in
            habits.flush = { shelf, deadline in
                if deadline.hasPassed, shelf.isStalled { shelf.willHang() }
                try shelf.put(by: .never)
            }
        },
        shelf("says nothing of what a flush could not write", .flushKeepsToDeadline, "something is pending") { habits, _ in
            habits.flush = { try? $0.put(by: $1) }
        },
        shelf("keeps no ledger and hides what a flush could not write", .flushKeepsToDeadline, "and flush has not thrown") { habits, _ in
            Flaw.keepNoLedger(&habits)
            habits.flush = { try? $0.put(by: $1) }
        },
        shelf("loses what a flush has no time for", .flushKeepsToDeadline, "10 of 10 events are missing") { habits, _ in
            habits.flush = { shelf, deadline in
                do { try shelf.put(by: deadline) } catch {
                    shelf.state.withLock { access in
                        guard access.value.isStalled else { return }
                        access.value.ledger.drop(access.value.waiting.count, .providerTimeout)
                        access.value.waiting = []
                    }
                    throw error
                }
            }
        },
        shelf(
            "ignores the deadline of a shutdown", .shutdownKeepsToDeadline, "shutdown whose deadline was over had not come back"
        ) { habits, _ in
            habits.shutdown = { shelf, deadline in
                if deadline.hasPassed, shelf.isStalled { shelf.willHang() }
                try shelf.close(by: .never)
            }
        },
        shelf(
            "ignores the deadline of a flush that is still to come", .flushEndsAtDeadline,
            "flush whose deadline lay ahead had not come back"
        ) { habits, _ in
            habits.flush = { shelf, deadline in
                guard deadline != .now, shelf.isStalled else { return try shelf.put(by: deadline) }
                shelf.willHang()
                try shelf.put(by: .never)
            }
        },
        shelf(
            "ignores the deadline of a shutdown that is still to come", .shutdownEndsAtDeadline,
            "shutdown whose deadline lay ahead had not come back"
        ) { habits, _ in
            habits.shutdown = { shelf, deadline in
                guard deadline != .now, shelf.isStalled else { return try shelf.close(by: deadline) }
                shelf.willHang()
                try shelf.close(by: .never)
            }
        },
        shelf("does not count what a shutdown gives up", .shutdownKeepsToDeadline, "0 of 10 events were read back") { habits, _ in
            habits.shutdown = { shelf, deadline in
                do { try shelf.put(by: deadline) } catch {
                    shelf.state.withLock { access in
                        access.value.ledger.deliver(access.value.waiting.count)
                        access.value.waiting = []
                    }
                    throw error
                }
                try shelf.close(by: deadline)
            }
        },
        shelf("has no bound", .staysBounded, "more is held than the capacity of 50", claims: .init(capacity: 50)) { _, _ in },
        shelf(
            "does not count what exceeds its capacity", .keepsEverything, "950 of 1000 events are missing",
            claims: .init(capacity: 50)
        ) { habits, _ in
            habits.keep = { event, state in state.waiting.count >= 50 ? [] : [event] }
        },
        shelf("forgets what it cannot write", .survivesFailure, "20 of 40 events were read back") { habits, _ in
            habits.flush = { shelf, deadline in
                do { try shelf.put(by: deadline) } catch {
                    shelf.state.withLock { access in
                        guard access.value.isBroken else { return }
                        access.value.ledger.deliver(access.value.waiting.count)
                        access.value.waiting = []
                    }
                    throw error
                }
            }
        },
        shelf("forgets what a thread of its own cannot write", .survivesFailure, "20 of 40 events were read back") { habits, _ in
            habits.flush = { shelf, deadline in
                // The thread comes to it where somebody waits for it, and tells nobody.
                if deadline == .now { throw ScriptedFailure("the thread has not come to it") }
                let isBroken = shelf.state.withLock { access in
                    guard access.value.isBroken else { return false }
                    access.value.ledger.deliver(access.value.waiting.count)
                    access.value.waiting = []
                    return true
                }
                if !isBroken { try shelf.put(by: deadline) }
            }
        },
        shelf("says nothing of what failed", .survivesFailure, "something is pending") { habits, _ in
            habits.flush = { shelf, deadline in
                do { try shelf.put(by: deadline) } catch { if shelf.isStalled { throw error } }
            }
        },
        shelf("never writes again after a failure", .survivesFailure, "when the destination worked again") { habits, _ in
            habits.flush = { shelf, deadline in
                do { try shelf.put(by: deadline) } catch {
                    shelf.state.withLock { $0.value.count += $0.value.isBroken ? 1 : 0 }
                    throw error
                }
            }
            habits.keep = { event, state in state.count > 0 ? [] : [event] }
        },
    ]

    static let accounts: [Flaw] = [
        shelf("asks its destination how it is", .accountAnswersAtOnce, "the account while the destination does not answer") { habits, _ in
            habits.latestFailure = { shelf in
                if shelf.isStalled {
                    shelf.willHang()
                    shelf.gate.wait()
                }
                return nil
            }
        },
        shelf("never forgets a failure", .failurePasses, "waiting until latestFailure and oldestPending say nothing had not come back") { habits, _ in
            habits.flush = { shelf, deadline in
                do { try shelf.put(by: deadline) } catch {
                    shelf.state.withLock { $0.value.count += $0.value.isBroken ? 1 : 0 }
                    throw error
                }
            }
            habits.latestFailure = { shelf in
                guard shelf.state.withLock({ $0.value.count > 0 && !$0.value.isBroken }) else { return nil }
                shelf.wait(forOneOf: 100)
                return "the shelf was broken"
            }
        },
        shelf("keeps the oldest for good", .failurePasses, "waiting until latestFailure and oldestPending say nothing had not come back") { habits, _ in
            habits.oldestPending = { shelf in
                guard let oldest = shelf.state.withLock({ $0.value.isStalled || $0.value.isBroken ? nil : $0.value.memory.first?.time }) else { return nil }
                shelf.wait(forOneOf: 100)
                return oldest
            }
            habits.keep = { event, state in
                state.memory.append(event)
                return [event]
            }
        },
    ]

    static let service: [Flaw] = [
        keeping("has no place for transaction entries", .interest, "made 2 records; its interest is everything") { event, _ in
            event.transaction == nil ? [event] : []
        },
        shelf("logs with its lock held", .reentrancy, "had not come back") { habits, service in
            habits.log = { shelf, event in
                guard event.message.hasPrefix("said ") || event.message == "shelved" else { return shelf.take(event) }
                // A lock that is not recursive: who comes while it is held waits for ever, and the holder is among them.
                let isHeld = shelf.state.withLock { access in
                    defer { access.value.count = 1 }
                    return access.value.count == 1
                }
                if isHeld {
                    shelf.willHang()
                    shelf.gate.wait()
                }
                if event.message.hasPrefix("said") { service.info("shelved") }
                shelf.state.withLock { $0.value.count = 0 }
                shelf.take(event)
            }
        },
        keeping("takes what is said from inside for its own", .reentrancy, "\"echo of said 1\" is missing") { event, _ in
            [event.message.hasPrefix("echo") ? event.replacingMessage("(echo)") : event]
        },
    ]

    static let sinks: [Flaw] = [
        sink("writes nothing", .sinkTakesOne, "2 of 2 events are missing", { _, _ in }),
        sink("writes the first of a batch", .sinkTakesMany, "511 of 512 events are missing", { try $0.write(Array($1.prefix(1))) }),
        sink("writes a batch from its end", .sinkKeepsBatchOrder, "which was logged first", { try $0.write($1.reversed()) }),
        sink("hides a failure", .sinkFailsHonestly, "a write returned although", { try? $0.write($1) }),
        sink("writes half and says nothing of it", .sinkFailsHonestly, "must throw BatchWriteError.wroteOnly") { sink, batch in
            do { try sink.write(batch) } catch {
                sink.fail(nil)
                try sink.write(Array(batch.prefix(batch.count / 2)))
                sink.fail(error)
                throw error
            }
        },
        sink("says it wrote more than it has", .sinkFailsHonestly, "events are missing") { sink, batch in
            do { try sink.write(batch) } catch { throw BatchWriteError.wroteOnly(count: batch.count / 2, because: error) }
        },
        sink("says it dropped fewer than it has", .sinkFailsHonestly, "events are missing") { sink, batch in
            do { try sink.write(batch) } catch { throw BatchWriteError.dropped(count: 1, of: batch.count, .inputOutputError) }
        },
        sink("says it dropped some of none", .sinkFailsHonestly, "dropped says 1 of the first 0 of a batch of 20") { sink, batch in
            do { try sink.write(batch) } catch { throw BatchWriteError.dropped(count: 1, of: 0, .inputOutputError) }
        },
        sink(
            "ignores the deadline of a flush", .sinkKeepsToDeadline, "flush of the sink whose deadline was over had not come back",
            { try $0.write($1) }, ignoring: .flushOver),
        sink(
            "waits a tenth of the patience whatever the deadline", .sinkKeepsToDeadline,
            "flush of the sink whose deadline was over had not come back", { try $0.write($1) }, ignoring: .tenthFlushOver),
        sink(
            "ignores the deadline of a flush that is still to come", .sinkEndsAtDeadline,
            "flush of the sink whose deadline lay ahead had not come back", { try $0.write($1) }, ignoring: .flushAhead),
        sink(
            "ignores the deadline of a close that is still to come", .sinkEndsAtDeadline,
            "close of the sink whose deadline lay ahead had not come back", { try $0.write($1) }, ignoring: .closeAhead),
    ]

    static let queues: [Flaw] = [
        queue("writes from the threads that log", .queueCallsOneAtATime, "calls were inside", .writesFromEveryThread),
        queue("offers empty batches", .queueCallsOneAtATime, "an empty batch", .offersEmptyBatches),
        queue("flushes the sink before it writes", .queueFlushesAfterBatches, "when 0 of 7", .flushesFirst),
        queue("never flushes the sink", .queueFlushesAfterBatches, "a flush did not reach the sink", .neverFlushes),
        queue("closes the sink twice", .queueClosesOnce, "closed 2 times", .closesTwice),
        queue("closes the sink without a flush", .queueFlushesBeforeClose, "not flushed after its last batch", .closesUnflushed),
        queue("gives up a failed batch", .queueOffersAgain, "30 of 30 events are missing", .givesUpAfterFailure),
        queue("turns a failed batch round", .queueOffersAgain, "offered again as another", .reversesFailedBatch),
        queue("offers again what was written", .queueGoesOnAfterPart, "repeat an event", .offersPartAgain),
        queue("forgets what was refused", .queueCountsRefused, "as refused_by_bench", .forgetsRefused),
        queue("offers again what was refused", .queueCountsRefusedOne, "0 events are missing", .offersRefusedAgain),
        queue("drops what stood behind it", .queueCountsRefusedOne, "7 events are missing", .dropsBehindRefused),
        queue("knows nothing of what is dropped on purpose", .queueCountsDropped, "2 of 32 records repeat", .offersDroppedAgain),
        queue("counts what was written beside it", .queueCountsDropped, "1 events as dropped_by_bench", .dropsBesideDropped),
    ]
}

extension LogEvent {
    func with(level: LogLevel? = nil, time: LogTime? = nil, error: LogErrorDetails?? = nil) -> LogEvent {
        LogEvent(
            sequence: sequence, time: time ?? self.time, level: level ?? self.level, message: message, metadata: metadata,
            thread: thread, source: source, transaction: transaction, error: error ?? self.error)
    }
}
