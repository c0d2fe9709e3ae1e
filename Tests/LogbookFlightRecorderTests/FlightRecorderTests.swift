import LogbookCore
import LogbookFiles
import LogbookFormat
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

@Suite struct FlightRecorderTests {
    private let folder = TemporaryFolder()
    private static let smallest = FlightRecorder.capacities.lowerBound

    private func recorder(_ name: String = "ring", epoch: UInt64 = 1, capacityBytes: Int = smallest) throws -> FlightRecorder {
        try FlightRecorder(
            path: folder(name), capacityBytes: capacityBytes, origin: LogOrigin(installation: "test", epoch: epoch))
    }

    /// A run that says something and ends badly.
    private func run(epoch: UInt64 = 1, capacityBytes: Int = smallest, _ messages: [String]) throws {
        let service = LogService()
        let recorder = try recorder(epoch: epoch, capacityBytes: capacityBytes)
        service.register(recorder)
        for message in messages { service.debug("\(message)", metadata: ["key": 7]) }
    }

    @Test func theNextStartHandsOverWhatWasBelowTheThresholds() throws {
        try run(epoch: 5, ["first", "second"])
        let service = LogService(), file = RecordingProvider()
        let next = try recorder(epoch: 6)
        let quiet = service.register(file, from: .error)
        service.register(next)
        service.error("this run")

        #expect(next.handOver(to: service).isComplete)
        #expect(file.messages == ["this run", "first", "second"])
        #expect(file.events.map(\.level) == [.error, .debug, .debug])
        #expect(file.events.map(\.sequence) == [1, 2, 3])
        #expect(
            file.events.last?.metadata
                == ["recovered": true, "recovered_epoch": .unsigned(5), "recovered_sequence": .unsigned(2), "key": 7])
        #expect(quiet.ledger == LogLedger(submitted: 3, delivered: 3))
        // It kept this run's event, not once more the recovered ones.
        #expect(try FlightRecorder.recover(folder("ring")).map(\.message) == ["this run"])
    }

    @Test func whatComesAfterAShutdownIsCounted() throws {
        let recorder = try recorder()
        try recorder.shutdown(by: .now)
        recorder.log(LogEvent(sequence: 1, time: LogTime(seconds: 1), level: .info, message: "late"))
        try recorder.shutdown(by: .now)
        #expect(recorder.ledger == LogLedger(submitted: 1, dropped: [.alreadyShutDown: 1]))
    }

    @Test func whatWasHandedOverIsNotHandedOverAgain() throws {
        try run(["once"])
        for (epoch, expected) in [(2, ["once"]), (3, [])] as [(UInt64, [String])] {
            let service = LogService(), provider = RecordingProvider()
            service.register(provider)
            let next = try recorder(epoch: epoch)
            next.handOver(to: service)
            next.handOver(to: service)
            #expect(provider.messages == expected)
        }
    }

    @Test func aStartThatIsKilledBeforeTheHandOverLosesNothing() throws {
        try run(epoch: 1, ["first run"])
        try run(epoch: 2, ["second run"])
        let third = try recorder(epoch: 3)
        #expect(third.recovered.map(\.message) == ["first run", "second run"])
        #expect(
            third.recovered.map { $0.metadata[FlightRecorder.epochKey] } == [.unsigned(1), .unsigned(2)])
    }

    @Test func aHandOverThatDidNotReachEveryProviderIsDoneAgain() throws {
        try run(["kept"])
        do {
            let service = LogService(), blocking = BlockingProvider()
            service.register(blocking, delivery: .queued())
            let next = try recorder(epoch: 2)
            #expect(!next.handOver(to: service, by: .now).isComplete)
            blocking.gate.open()
        }
        #expect(try recorder(epoch: 3).recovered.map(\.message) == ["kept"])
    }

    @Test func whatAReceiverDroppedIsHandedOverAgain() throws {
        try run(["kept", "too"])
        do {
            let service = LogService(), next = try recorder(epoch: 2)
            let files = FaultyFileSystem(failing: 1, with: .failure(ENOSPC), lasts: true, only: ["append"])
            let full = service.register(try FileLogProvider(in: folder.path, files: files))
            service.register(RecordingProvider())
            next.handOver(to: service)
            #expect(full.ledger.droppedTotal >= 2)
            #expect(try FlightRecorder.recover(folder("ring")).map(\.message) == ["kept", "too"])
        }
        let service = LogService(), heard = RecordingProvider(), next = try recorder(epoch: 3)
        service.register(heard)
        next.handOver(to: service)
        #expect(heard.messages == ["kept", "too"])
        #expect(try FlightRecorder.recover(folder("ring")) == [])
    }

    @Test func whoDroppedSomethingIsNamed() throws {
        try run(["kept"])
        let service = LogService()
        let refusal = BatchWriteError.refused(.oversize, because: SystemError(EMSGSIZE, in: "write"))
        service.register(sink: FailingSink { _ in refusal }, name: "refusing")
        let report = try recorder(epoch: 2).handOver(to: service, by: .seconds(30))
        #expect(report.unfinished.map(\.name) == ["refusing"])
        #expect(try FlightRecorder.recover(folder("ring")).map(\.message) == ["kept"])
    }

    private static let many = (1...500).map { "event \($0)" }

    @Test func aQueueThatHoldsOnlyAFewGetsEverything() throws {
        try run(capacityBytes: 1 << 20, Self.many)
        let service = LogService(), sink = GatedSink(), next = try recorder(epoch: 2)
        sink.gate.open()
        service.register(sink: sink, queue: QueuePolicy(capacity: 16, batchCount: 8, overflow: .dropNewest))
        #expect(next.handOver(to: service, by: .seconds(60)).isComplete)
        #expect(sink.inner.written.map(\.message) == Self.many)
        #expect(try FlightRecorder.recover(folder("ring")) == [])
    }

    @Test func whatCouldNotBeMadeSafeBetweenTwoPortionsIsHandedOverAgain() throws {
        try run(capacityBytes: 1 << 20, Self.many)
        let service = LogService(), next = try recorder(epoch: 2)
        service.register(sink: UnsafeOnceSink(), queue: QueuePolicy(capacity: 16, batchCount: 8), name: "file")
        let report = next.handOver(to: service, by: .seconds(60))
        #expect(report.unfinished.map(\.name) == ["file"] && report.unfinished.map(\.reason) == ["the disk did not take it"])
        #expect(try FlightRecorder.recover(folder("ring")).map(\.message) == Self.many)
    }

    @Test func aQueueThatDoesNotMoveIsGivenNoMoreThanItHasRoomFor() throws {
        try run(capacityBytes: 1 << 20, Self.many)
        let service = LogService(), sink = GatedSink(), next = try recorder(epoch: 2)
        defer { sink.gate.open() }
        let stuck = service.register(sink: sink, queue: QueuePolicy(capacity: 16, batchCount: 8), name: "stuck")
        #expect(next.handOver(to: service, by: .milliseconds(100)).unfinished.map(\.name) == ["stuck"])
        #expect(stuck.ledger == LogLedger(submitted: 8))
        #expect(try FlightRecorder.recover(folder("ring")).map(\.message) == Self.many)
    }

    @Test func aQueueThatDoesNotMoveKeepsTheEventsFromNobodyElse() throws {
        try run(capacityBytes: 1 << 20, Self.many)
        let service = LogService(), sink = GatedSink(), moving = GatedSink(), heard = RecordingProvider()
        defer { sink.gate.open() }
        moving.gate.open()
        let stuck = service.register(sink: sink, queue: QueuePolicy(capacity: 16, batchCount: 8), name: "stuck")
        service.register(sink: moving)
        service.register(heard)
        let report = try recorder(epoch: 2).handOver(to: service, by: .seconds(6))   // of which half goes by
        #expect(report.unfinished.map(\.name) == ["stuck"])
        #expect(heard.messages == Self.many)
        #expect(moving.inner.written.map(\.message) == Self.many)
        #expect(stuck.unheard.total + stuck.ledger.submitted == service.health().latestSequence)
        #expect(try FlightRecorder.recover(folder("ring")).map(\.message) == Self.many)
    }

    @Test func onlyTheNamedProvidersAreGivenWhatWasRecovered() throws {
        try run(["old"])
        let service = LogService(), chosen = RecordingProvider(), pager = RecordingProvider()
        let registration = service.register(chosen)
        let other = service.register(pager)
        try recorder(epoch: 2).handOver(to: service, only: [registration])
        #expect(chosen.messages == ["old"])
        #expect(pager.messages == [])
        #expect(other.unheard == LogUnheard(filter: 1))
        #expect(other.unheard.total + other.ledger.submitted == service.health().latestSequence)
        #expect(registration.unheard.total + registration.ledger.submitted == service.health().latestSequence)
    }

    @Test func aCleanShutdownLeavesNothing() throws {
        let service = LogService()
        service.register(try recorder())
        service.info("all is well")
        #expect(service.shutdown(by: .seconds(30)).isComplete)
        service.info("too late")
        #expect(service.registrations[0].ledger == LogLedger(submitted: 2, delivered: 1, dropped: [.alreadyShutDown: 1]))
        #expect(try FlightRecorder.recover(folder("ring")) == [])
        #expect(try recorder().recovered == [])
    }

    @Test func aShutdownThatDidNotMakeEverythingSafeKeepsWhatIsThere() throws {
        let service = LogService(), blocking = BlockingProvider()
        service.register(try recorder())
        service.register(blocking, delivery: .queued())
        service.info("not safe")
        #expect(service.shutdown(by: .now).unfinished.map(\.name) == ["BlockingProvider"])
        blocking.gate.open()
        #expect(try recorder().recovered.map(\.message) == ["not safe"])   // and the file is free
    }

    @Test func soDoesOneAfterWhichAQueuedProviderIsNotSafe() throws {
        struct Undelivered: LogProvider {
            func log(_ event: LogEvent) {}
            func flush(by deadline: LogDeadline) {}
            func shutdown(by deadline: LogDeadline) throws { throw ScriptedFailure("1 event is not delivered") }
        }
        let service = LogService()
        service.register(try recorder())
        service.register(Undelivered(), delivery: .queued())
        service.info("not safe")
        #expect(service.shutdown(by: .seconds(30)).unfinished.map(\.reason) == ["1 event is not delivered"])
        #expect(try recorder().recovered.map(\.message) == ["not safe"])
    }

    @Test func whatIsHandedToSomebodyWhoHasLeftStays() throws {
        try run(["kept"])
        let service = LogService()
        let left = service.register(RecordingProvider(), name: "left")
        left.unregister()
        #expect(try recorder(epoch: 2).handOver(to: service, only: [left]).unfinished.map(\.name) == ["left"])
        #expect(try FlightRecorder.recover(folder("ring")).map(\.message) == ["kept"])
    }

    @Test("a damaged mark of what is settled, which says more than can be, ends no program", arguments: [[0], [1], [0, 1]])
    func aMarkBeyondAllNumbers(damaged: [Int]) throws {
        try run(["kept"])
        var bytes = folder.bytes("ring")
        for mark in damaged.map({ RingHeader.marks[$0] }) {
            bytes.replaceSubrange(mark..<(mark + 16), with: [UInt8](repeating: 0xFF, count: 8) + [UInt8](repeating: 0, count: 8))
        }
        folder.write(bytes, to: "ring")
        let service = LogService(), next = try recorder(epoch: 2)
        service.register(next)
        service.info("goes on")
        // With one mark left the ring is read; with none it is begun anew.
        #expect(next.recovered.map(\.message) == (damaged.count == 1 ? ["kept"] : []))
        #expect(try FlightRecorder.recover(folder("ring")).last?.message == "goes on")
        let receiver = service.register(RecordingProvider())
        #expect(next.handOver(to: service, only: [receiver]).isComplete)
        #expect(try FlightRecorder.recover(folder("ring")).map(\.message) == ["goes on"])
    }

    #if os(Linux)
        @Test("a file system that cannot make room is written to, which an opening that only appends would not allow")
        func theFileDoesNotOnlyGrow() throws {
            let recorder = try recorder(), path = folder("ring")
            func target(of number: Int) -> String {
                var name = [UInt8](repeating: 0, count: 4096)
                let count = name.withUnsafeMutableBytes { name in
                    readlink("/proc/self/fd/\(number)", name.bindMemory(to: CChar.self).baseAddress!, name.count)
                }
                return String(decoding: name[..<max(0, count)], as: UTF8.self)
            }
            let number = try #require((3..<4096).first { target(of: $0) == path })
            #expect(fcntl(Int32(number), F_GETFL) & O_APPEND == 0)
            withExtendedLifetime(recorder) {}
        }
    #endif

    @Test func aCleanShutdownKeepsWhatThisRunWasToHandOverAndDidNot() throws {
        try run(["old"])
        try recorder(epoch: 2).shutdown(by: .now)
        #expect(try recorder(epoch: 3).recovered.map(\.message) == ["old"])
    }

    @Test func whatIsStillToBeHandedOverComesWithoutWhatEverybodyHasOfTheRunBetween() throws {
        try run(["old", "older"])
        for epoch in 2...3 {
            let service = LogService()
            service.register(try recorder(epoch: UInt64(epoch)))
            for number in 1...100 { service.info("new \(number)") }
            #expect(service.shutdown(by: .seconds(30)).isComplete)
            #expect(try FlightRecorder.recover(folder("ring")).map(\.message) == ["old", "older"])
        }
        let service = LogService(), receiver = RecordingProvider(), last = try recorder(epoch: 4)
        service.register(receiver)
        #expect(last.handOver(to: service).isComplete)
        #expect(receiver.messages == ["old", "older"])
        #expect(try FlightRecorder.recover(folder("ring")) == [])
    }

    @Test func theRingKeepsTheNewestEventsInOrder() throws {
        let service = LogService()
        let recorder = try recorder()
        service.register(recorder)
        for number in 1...3000 {
            service.verbose("\(number) \(String(repeating: "x", count: number % 300))")
        }
        let numbers = try FlightRecorder.recover(folder("ring")).map { Int($0.message.split(separator: " ")[0])! }
        #expect(numbers == Array((numbers.first ?? 0)...3000))
        // 300 bytes of text, 200 of the other facts, 40 of the frame.
        #expect(numbers.count >= (Self.smallest - 540) / 540)
        #expect(recorder.ledger == LogLedger(submitted: 3000, delivered: 3000))
    }

    @Test func theRingGoesOnAcrossRuns() throws {
        for run in 1...40 as ClosedRange<UInt64> {
            let service = LogService()
            service.register(try recorder(epoch: run))
            for number in 1...97 { service.verbose("\(run) \(number)") }
        }
        let messages = try recorder().recovered.map(\.message)
        let all = (1...40).flatMap { run in (1...97).map { "\(run) \($0)" } }
        #expect(messages.count > 200)
        #expect(messages == Array(all.suffix(messages.count)))
    }

    @Test("so are texts that nobody has marked, where those count as private, also in metadata")
    func whatNobodyHasMarkedStaysPrivate() throws {
        do {
            let service = LogService(privacy: .revealed)
            service.privacyRules = PrivacyRules(unmarkedTexts: .private)
            service.register(try recorder(epoch: 7))
            service.info("signed in", metadata: ["user": "jane", "n": 1])
            service.info("signed out", metadata: ["n": 1, "list": .array([.public("a")])])
        }
        let service = LogService(), heard = RecordingProvider(), registration = service.register(heard)
        #expect(try recorder(epoch: 8).handOver(to: service, only: [registration]).isComplete)
        #expect(heard.events.map { $0.metadata["user"] } == ["<private>", nil])
        #expect(heard.events.last?.metadata["n"] == 1 && heard.events.last?.metadata["list"] == ["a"])
    }

    private struct Declined: LogDescribableError {
        var logDescription: LogMessage { "declined for \("jane", privacy: .private)" }
    }

    @Test("what was marked private, and a recorder was shown, is private again at the next start")
    func whatWasMarkedPrivateStaysSo() throws {
        var id = ""
        do {
            let service = LogService(privacy: .revealed)
            service.register(Sampling(try recorder(epoch: 7), SamplingPolicy(first: 9)))
            service.info("for \("jane", privacy: .private)", metadata: ["n": 1], error: Declined())
            service.info("m", metadata: ["list": [1, .public(["user": .private("jane")])], "category": "net"])
            let transaction = service.transaction(usecase: 1)
            id = transaction.id
            transaction.log(7, error: 401, "no account for \("jane", privacy: .private)")
            service.info("\("joe", privacy: .public) \("key", privacy: .secret)", metadata: ["n": .public(1), "key": .secret("key")])
        }
        let recovered = try FlightRecorder.recover(folder("ring"))
        #expect(
            recovered.map(\.message)
                == ["for jane", "m", "\(id) began", "\(id) event 7, error 401: no account for jane", "joe <secret>"])

        let service = LogService()
        var heard: [PrivacyMode: RecordingProvider] = [:], registrations: [LogRegistration] = []
        for mode in [PrivacyMode.masked, .revealed, .dropped] {
            let provider = RecordingProvider(), registration = service.register(provider)
            registration.privacy = mode
            heard[mode] = provider
            registrations.append(registration)
        }
        let third = try recorder("third", epoch: 8)
        registrations.append(service.register(third))
        registrations.last?.privacy = .revealed
        #expect(try recorder(epoch: 8).handOver(to: service, only: registrations).isComplete)

        func marks(_ sequence: UInt64) -> LogMetadata {
            ["recovered": true, "recovered_epoch": .unsigned(7), "recovered_sequence": .unsigned(sequence)]
        }
        let masked = try #require(heard[.masked]).events, dropped = try #require(heard[.dropped]).events
        #expect(
            masked.map(\.message)
                == ["<private>", "<private>", "\(id) began", "\(id) event 7, error 401: <private>", "joe <secret>"])
        #expect(
            masked.map(\.metadata) == [
                marks(1).merging(["n": "<private>"]), marks(2).merging(["list": "<private>", "category": "<private>"]), marks(3), marks(4),
                marks(5).merging(["n": 1, "key": "<secret>"]),
            ])
        #expect(masked[0].error == LogErrorDetails(type: "Declined", description: "<private>"))
        #expect(masked[3].transaction?.errorDescription == "<private>")
        #expect(dropped[0].message.isEmpty && dropped[0].metadata == marks(1) && dropped[4].metadata["n"] == 1)
        #expect(heard[.revealed]?.events.map(\.message) == recovered.map(\.message))
        #expect(heard[.revealed]?.events.map(\.metadata) == recovered.map(\.metadata))

        // What was handed over to another recorder is kept in the same way.
        let last = LogService(), end = RecordingProvider()
        try third.shutdown(by: .now)
        #expect(try recorder("third", epoch: 9).handOver(to: last, only: [last.register(end)]).isComplete)
        #expect(end.messages == masked.map(\.message))
    }

    @Test func anEventTooLargeForTheRingIsDroppedAndCounted() throws {
        let recorder = try recorder()
        let large = String(repeating: "x", count: Self.smallest / 4)
        recorder.log(LogEvent(sequence: 1, time: LogTime(nanoseconds: 0), level: .info, message: large))
        recorder.log(LogEvent(sequence: 2, time: LogTime(nanoseconds: 0), level: .info, message: "fits"))
        #expect(recorder.ledger == LogLedger(submitted: 2, delivered: 1, dropped: [.oversize: 1]))
        #expect(try FlightRecorder.recover(folder("ring")).map(\.message) == ["fits"])
    }

    @Test func everythingAboutAnEventComesBack() throws {
        let event = LogEvent(
            sequence: 9, time: LogTime(nanoseconds: 1_700_000_000_123_456_789), level: .critical,
            message: "two\nlines\u{1B}[31m \u{0} 🔥", metadata: ["list": [1, "two", nil], "half": 0.5], thread: 77,
            source: LogSource(fileNamed: "Shop/Cart.swift", functionNamed: "pay()", line: 12),
            transaction: TransactionEntry(
                transactionID: "TXN1-A", usecase: 1, kind: .happened(3), errorCode: 4, errorDescription: "no",
                device: DeviceFacts(make: "a", os: "b", osVersion: "c")),
            error: LogErrorDetails(type: "E", description: "bad"))
        try recorder(epoch: 3).log(event)
        let marks: LogMetadata = ["recovered": true, "recovered_epoch": .unsigned(3), "recovered_sequence": .unsigned(9)]
        let recovered = try recorder().recovered
        // A number that fits reads back as a signed one.
        #expect(recovered.map { $0.replacingMetadata([:]) } == [event.replacingMetadata([:])])
        #expect(recovered.first?.metadata == marks.merging(event.metadata))
    }

    @Test func anEventKeepsWhatItHasUnderTheNamesOfMarks() throws {
        let own: LogMetadata = ["a": 1, "recovered": "own", "recovered_2": 2, "recovered_sequence": nil]
        try recorder(epoch: 3).log(
            LogEvent(sequence: 9, time: LogTime(nanoseconds: 0), level: .info, message: "m", metadata: own))
        let expected: LogMetadata = [
            "recovered": true, "recovered_epoch": .unsigned(3), "recovered_sequence": .unsigned(9),
            "a": 1, "recovered_3": "own", "recovered_2": 2, "recovered_sequence_2": nil,
        ]
        #expect(try recorder().recovered.map(\.metadata) == [expected])
    }

    @Test func whateverAFormatHasNoRoomForItIsNoMark() throws {
        let many = LogMetadata((1...300).map { ("key\($0)", .integer(Int64($0))) })
        try recorder(epoch: 3).log(
            LogEvent(sequence: 9, time: LogTime(nanoseconds: 0), level: .info, message: "m", metadata: many))
        let event = try #require(try recorder().recovered.first)
        let written = try JSONLineFormat().event(from: JSONLineFormat().string(for: event)).metadata
        #expect(written.count == 256 && written["key252"] == 252 && written[FlightRecorder.recoveredKey] == true)
        #expect(written[FlightRecorder.epochKey] == 3 && written[FlightRecorder.sequenceKey] == 9)
    }

    @Test func severalThreadsAtOnce() async throws {
        let recorder = try recorder(capacityBytes: 1 << 20)
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    for number in 0..<500 {
                        recorder.log(
                            LogEvent(
                                sequence: UInt64(number + 1), time: LogTime(nanoseconds: 0), level: .info,
                                message: "\(thread)"))
                    }
                }
            }
        }
        let recovered = try FlightRecorder.recover(folder("ring"))
        #expect(recovered.count == 2000)
        for thread in 0..<4 {
            #expect(recovered.filter { $0.message == "\(thread)" }.map(\.sequence) == Array(1...500))
        }
    }

    // MARK: The file

    @Test func theFileIsForItsOwnerAlone() throws {
        try run(["mine"])
        var status = stat()
        #expect(stat(folder("ring"), &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o600)
        #expect(Int(status.st_size) == Self.smallest + RingHeader.bytes)
    }

    @Test func oneRecorderAtATime() throws {
        let first = try recorder()
        #expect(throws: FlightRecorderError.inUse(path: folder("ring"))) { try recorder() }
        try first.shutdown(by: .now)
        #expect(throws: Never.self) { try recorder() }
    }

    @Test func linksAndOtherThingsAreRefused() throws {
        let name = folder("link"), other = folder("other")
        folder.write("somebody's notes", to: "other")
        #expect(throws: FlightRecorderError.notAFlightRecorder(path: other)) { try FlightRecorder(path: other) }
        #expect(throws: FlightRecorderError.notAFlightRecorder(path: other)) { try FlightRecorder.recover(other) }

        symlink(other, name)
        #expect(throws: FlightRecorderError.notARegularFile(path: name)) { try FlightRecorder(path: name) }
        #expect(throws: FlightRecorderError.notARegularFile(path: name)) { try FlightRecorder.recover(name) }
        unlink(name)
        try #require(link(other, name) == 0)
        #expect(throws: FlightRecorderError.hasSeveralNames(path: name)) { try FlightRecorder(path: name) }
        unlink(name)
        mkfifo(name, 0o600)
        #expect(throws: FlightRecorderError.notARegularFile(path: name)) { try FlightRecorder(path: name) }
        #expect(folder.text("other") == "somebody's notes")
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a file away"))
    func aFileOfSomebodyElseIsRefused() throws {
        try run(["theirs"])
        try #require(chown(folder("ring"), 12345, 12345) == 0)
        #expect(throws: FlightRecorderError.ownedBySomeoneElse(path: folder("ring"), user: 12345)) { try recorder() }
        #expect(throws: FlightRecorderError.ownedBySomeoneElse(path: folder("ring"), user: 12345)) {
            try FlightRecorder.recover(folder("ring"))
        }
    }

    @Test func anotherSizeIsTakenOnceNothingWaits() throws {
        try run(["kept"])
        do {
            let next = try recorder(epoch: 2, capacityBytes: 1 << 17)
            #expect(folder.bytes("ring").count == Self.smallest + RingHeader.bytes)
            let service = LogService()
            service.register(RecordingProvider())
            #expect(next.handOver(to: service).isComplete)
        }
        withExtendedLifetime(try recorder(epoch: 3, capacityBytes: 1 << 17)) {
            #expect(folder.bytes("ring").count == 1 << 17 + RingHeader.bytes)
        }
    }

    @Test func aFileOfANewerVersionIsLeftAlone() throws {
        try run(["kept"])
        var bytes = folder.bytes("ring")
        bytes[8] = 2
        folder.write(bytes, to: "ring")
        #expect(throws: FlightRecorderError.writtenByNewerVersion(path: folder("ring"), version: 2)) { try recorder() }
        #expect(folder.bytes("ring") == bytes)
    }

    @Test func aFileWhoseMakingWasInterruptedIsBegunAnew() throws {
        for bytes in [0, 100, 8192, Self.smallest + RingHeader.bytes] {
            folder.write([UInt8](repeating: 0, count: bytes), to: "ring")
            try run(["works"])
            #expect(try recorder().recovered.map(\.message) == ["works"])
            unlink(folder("ring"))
        }
    }

    private static let smallestFile = smallest + RingHeader.bytes

    @Test("a ring that has its room already is opened also where the disk is full and would give it none, as XFS does")
    func aFullDiskAndARingThatIsThere() throws {
        let memory = TemporaryFolder(inMemory: true)
        _ = try FlightRecorder(path: memory("ring"), capacityBytes: Self.smallest)
        let file = try RecorderFile(memory("ring"), for: .writing, maximumBytes: 1 << 20)
        defer { file.close() }
        RecorderFile.unmap(try file.map(Self.smallestFile, anew: false) { _, _ in ENOSPC }, Self.smallestFile)

        // It has its size, and nothing else.
        try #require(truncate(memory("ring"), 0) == 0 && truncate(memory("ring"), off_t(Self.smallestFile)) == 0)
        #expect(throws: RecorderFile.Failure.cannotMakeRoom(bytes: Self.smallestFile, errno: ENOSPC)) {
            try file.map(Self.smallestFile, anew: false) { _, _ in ENOSPC }
        }
    }

    @Test("a ring for which there is no room keeps nothing of it, also where the disk has given a part, as ext4 does")
    func aFullDiskAndNoRing() throws {
        let file = try RecorderFile(folder("ring"), for: .writing, maximumBytes: 1 << 20)
        defer { file.close() }
        #expect(throws: RecorderFile.Failure.cannotMakeRoom(bytes: Self.smallestFile, errno: ENOSPC)) {
            try file.map(Self.smallestFile, anew: true) { file, bytes in ftruncate(file, off_t(bytes)) == 0 ? ENOSPC : errno }
        }
        #expect(folder.bytes("ring").isEmpty)
    }

    @Test("what is written by calls, where a mapping has no room of its own, is the same ring")
    func writtenByCalls() throws {
        let file = try RecorderFile(folder("ring"), for: .writing, maximumBytes: 1 << 20)
        let base = try file.map(Self.smallestFile, anew: true)
        let other = open(folder("ring"), O_WRONLY | O_CLOEXEC)
        defer {
            close(other)
            RecorderFile.unmap(base, Self.smallestFile)
            file.close()
        }
        var ring = RecorderRing(
            mapping: base, writtenTo: FileDescriptor(other), capacity: Self.smallest, position: 0, number: 0, epoch: 1)
        try ring.begin()
        for number in 1...1000 as ClosedRange<UInt64> {
            var line: [UInt8] = []
            JSONLineFormat().append(
                LogEvent(sequence: number, time: LogTime(nanoseconds: 0), level: .info, message: "\(number)"), to: &line)
            let isTaken = try ring.append(line, showsPrivate: false)
            #expect(isTaken)
        }
        let kept = try FlightRecorder.recover(folder("ring")).map(\.message), all = (1...1000).map { "\($0)" }
        #expect(kept.count > 100 && kept == Array(all.suffix(kept.count)))
        try ring.settle(through: 980)
        try ring.forget(after: 990, through: 995)
        let left = (981...990).map { "\($0)" } + (996...1000).map { "\($0)" }
        #expect(try FlightRecorder.recover(folder("ring")).map(\.message) == left)
    }

    #if os(Linux)
        @Test func whatAFullDiskDoesNotTakeByACallIsAnErrorAndNotTheEnd() throws {
            let memory = UnsafeMutableRawPointer.allocate(byteCount: Self.smallestFile, alignment: 4096)
            memory.initializeMemory(as: UInt8.self, repeating: 0, count: Self.smallestFile)
            let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
            defer {
                close(full)
                memory.deallocate()
            }
            var ring = RecorderRing(
                mapping: memory, writtenTo: FileDescriptor(full), capacity: Self.smallest, position: 0, number: 0, epoch: 1)
            #expect(throws: SystemError(ENOSPC, in: "pwrite")) { try ring.begin() }
            #expect(throws: SystemError(ENOSPC, in: "pwrite")) { try ring.append([1], showsPrivate: false) }
            #expect(ring.number == 0)
        }
    #endif

    @Test func sizesThatMakeNoSenseAreRefused() {
        for bytes in [-1, 0, 65535, 1 << 30 + 1] {
            #expect(throws: FlightRecorderError.invalidCapacity(bytes: bytes)) { try recorder(capacityBytes: bytes) }
        }
    }

    // MARK: Damage

    /// Two thousand damaged files: what is read from each is a part of what was written, in its order, and a recorder can be opened
    /// on it.
    @Test func damageNeverCrashesAndNeverMakesUpAnEvent() throws {
        var outcomes: [DamagedFile.Outcome: Int] = [:]
        try damage(mutants: 1800, ofRing: 30, seed: 1, &outcomes)
        // A ring that has begun to overwrite itself; reading one takes longer.
        try damage(mutants: 200, ofRing: 200, seed: 2, &outcomes)
        // Otherwise the damage would have proved nothing.
        #expect(outcomes[.whole, default: 0] > 50 && outcomes[.partial, default: 0] > 500)
        #expect(outcomes[.refused, default: 0] > 20)
    }

    private func damage(
        mutants: Int, ofRing count: Int, seed: UInt64, _ outcomes: inout [DamagedFile.Outcome: Int]
    ) throws {
        try run((1...count).map { "\($0) " + String(repeating: "y", count: 100 + $0 * 13 % 700) })
        let original = folder.bytes("ring")
        let used = (original.lastIndex { $0 != 0 } ?? 0) + 1
        let whole = try FlightRecorder.recover(folder("ring"))
        let places = Dictionary(uniqueKeysWithValues: whole.enumerated().map { ($1.sequence, $0) })
        let random = LogRandomness.seeded(seed)
        for mutant in 0..<mutants {
            folder.write(DamagedFile.make(from: original, used: used, random), to: "ring")
            guard let found = try? FlightRecorder.recover(folder("ring")) else {
                outcomes[.refused, default: 0] += 1
                continue
            }
            let order = found.map { event in places[event.sequence].flatMap { whole[$0] == event ? $0 : nil } }
            #expect(!order.contains(nil), "mutant \(mutant) of seed \(seed) made up an event")
            #expect(order.compactMap(\.self) == order.compactMap(\.self).sorted())
            outcomes[found.count == whole.count ? .whole : .partial, default: 0] += 1

            if mutant % 20 == 0 {
                let next = try recorder(epoch: 2)
                #expect(next.recovered == found)
                next.log(LogEvent(sequence: 1, time: LogTime(nanoseconds: 0), level: .info, message: "goes on"))
                #expect(try FlightRecorder.recover(folder("ring")).last?.message == "goes on")
            }
        }
        unlink(folder("ring"))
    }
}

/// What becomes of a file in the hands of bad disks and worse programs.
private enum DamagedFile {
    enum Outcome { case whole, partial, refused }

    /// - Parameter used: Where the zeros at the end begin.
    static func make(from original: [UInt8], used: Int, _ random: LogRandomness) -> [UInt8] {
        func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
        var bytes = original
        for _ in 0...below(4) {
            let start = below(min(below(6) == 0 ? 64 : used, bytes.count))
            let range = start..<min(bytes.count, start + 1 + below(400))
            switch below(6) {
            case 0: bytes[start] ^= 1 << UInt8(below(8))
            case 1: bytes.replaceSubrange(range, with: range.map { _ in UInt8(truncatingIfNeeded: random.next()) })
            case 2: bytes.replaceSubrange(range, with: repeatElement(0, count: range.count))
            case 3:   // another part of the file, as a misplaced write leaves it
                let from = below(min(used, bytes.count - range.count + 1)) / 8 * 8, to = start / 8 * 8
                bytes.replaceSubrange(to..<(to + range.count), with: Array(bytes[from..<(from + range.count)]))
            case 4: bytes.removeLast(below(bytes.count - 1))
            default: bytes.append(contentsOf: repeatElement(0xFF, count: below(5000)))
            }
        }
        return bytes
    }
}
