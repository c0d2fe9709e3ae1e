import LogbookFiles
import LogbookFormat
import LogbookTestKit
import Testing

@Suite struct FakesTests {
    private let event = LogEvent(sequence: 1, time: LogTime(seconds: 0), level: .info, message: "one")

    @Test func theFailingSinkFollowsItsScript() throws {
        let sink = FailingSink { call in call == 2 ? ScriptedFailure("the second") : nil }
        try sink.write([event])
        #expect(throws: ScriptedFailure("the second")) { try sink.write([event, event]) }
        try sink.write([event, event])
        #expect(sink.calls == 3)
        #expect(sink.batches.map(\.count) == [1, 2])
        #expect(sink.written.count == 3)
    }

    @Test func theDiskFailsAtTheCallThatWasNamed() throws {
        let folder = TemporaryFolder()
        let disk = FaultyFileSystem(failing: 2, with: .failure(28), only: ["append"])
        let clock = ManualClock(now: LogTime(seconds: 1_767_225_600))
        let file = try FileLogProvider(in: folder.path, on: disk, clock: .manual(clock), format: TextFormat.layout("\(.message)"))
        for message in ["one", "two", "three"] {
            file.log(LogEvent(sequence: 1, time: LogTime(seconds: 0), level: .info, message: "\(message)"))
            clock.advance(by: .seconds(60))
        }
        #expect(disk.faults == 1 && disk.calls.filter { $0 == "append" }.count == 3)
        #expect(file.ledger == LogLedger(submitted: 3, delivered: 2, dropped: [.inputOutputError: 1]))
        let lines = folder.text("app.log").split(separator: "\n")
        #expect(lines.count == 3 && lines[0] == "one" && lines[1].hasPrefix("1 event is missing here: ") && lines[2] == "three")
    }

    @Test func nothingIsWrittenAndNothingMadeSafeWhileTheDiskFails() throws {
        let folder = TemporaryFolder(), disk = FaultyFileSystem()
        let place = try disk.openFolder(at: folder.path), file = try disk.openNew("one", in: place, permissions: 0o600)
        let bytes: [UInt8] = [1, 2, 3]
        let calls: [(name: String, call: () throws -> Void)] = [
            ("makeFolder", { try disk.makeFolder(at: folder("inner")) }),
            ("openNew", { _ = try disk.openNew("two", in: place, permissions: 0o600) }),
            ("openForAppending", { _ = try disk.openForAppending("one", in: place, permissions: 0o600) }),
            ("append", { _ = try bytes.withUnsafeBytes { try disk.append($0, to: file) } }),
            ("truncate", { try disk.truncate(file, to: 0) }),
            ("synchronize", { try disk.synchronize(file) }),
            ("synchronizeFolder", { try disk.synchronizeFolder(place) }),
            ("replace", { try disk.replace("other", with: "one", in: place) }),
            ("rename", { try disk.rename("one", to: "other", in: place) }),
        ]
        let before = disk.calls
        disk.fail(28)
        for (name, call) in calls { #expect(throws: SystemError(28, in: name)) { try call() } }
        #expect(throws: SystemError(17, in: "mkdir")) { try disk.makeFolder(at: folder.path) }
        #expect(try disk.names(in: place) == ["one"])
        #expect(disk.faults == calls.count && disk.calls == before + calls.map(\.name) + ["makeFolder", "names"])
        disk.fail(nil)
        #expect(try bytes.withUnsafeBytes { try disk.append($0, to: file) } == 3)
        #expect(disk.faults == calls.count && disk.calls.last == "append")
        disk.close(file)
        disk.close(place)
    }

    @Test func eachCallOfAFileFailsByItself() throws {
        let folder = TemporaryFolder(), disk = FaultyFileSystem()
        let place = try disk.openFolder(at: folder.path)
        disk.close(try disk.openNew("one", in: place, permissions: 0o600))
        disk.fail(13, in: "openForReading", of: "one")
        disk.fail(5, in: "openForLocking", of: "one")
        disk.fail(nil, in: "read", of: "one")
        #expect(throws: SystemError(13, in: "openForReading")) { try disk.openForReading("one", in: place) }
        #expect(throws: SystemError(5, in: "openForLocking")) { try disk.openForLocking("one", in: place) }
        disk.fail(nil, in: "openForLocking", of: "one")
        #expect(throws: SystemError(13, in: "openForReading")) { try disk.openForReading("one", in: place) }
        disk.close(try disk.openForLocking("one", in: place))
        #expect(disk.faults == 3)
        #expect(disk.calls.suffix(4) == ["openForReading", "openForLocking", "openForReading", "openForLocking"])
        disk.close(place)
    }

    @Test func theDiskHoldsACallUntilTheGateOpens() throws {
        let folder = TemporaryFolder(), disk = FaultyFileSystem(), gate = Gate(), done = Gate()
        let file = try FileLogProvider(in: folder.path, on: disk, format: TextFormat.layout("\(.message)"))
        disk.hold("append", at: gate)
        LogThread.start("caller") { [event] in
            file.log(event)
            done.open()
        }
        #expect(gate.waitForArrivals(1))
        #expect(folder.text("app.log") == "")
        gate.open()
        done.wait()
        #expect(folder.text("app.log") == "one\n")
    }

    @Test func theReceiverKeepsNothingWhileItFails() throws {
        let receiver = FakeReceiver<String>()
        try receiver.receive("before")
        receiver.fail(true)
        #expect(throws: ScriptedFailure.self) { try receiver.receive("lost") }
        receiver.fail(false)
        try receiver.receive("after")
        #expect(receiver.received == ["before", "after"])
    }

    @Test func theReceiverFailsAfterSoMany() throws {
        let receiver = FakeReceiver<String>()
        receiver.fail(true, after: 2)
        try receiver.receive("one")
        try receiver.receive("two")
        for _ in 1...2 { #expect(throws: ScriptedFailure.self) { try receiver.receive("lost") } }
        receiver.fail(false)
        try receiver.receive("three")
        #expect(receiver.received == ["one", "two", "three"])
    }

    /// Sends events one by one, and says nothing of how far it came.
    private struct Forgetful: BatchSink {
        let receiver: FakeReceiver<String>

        func write(_ batch: [LogEvent]) throws { for event in batch { try receiver.receive(event.message) } }
    }

    @Test("a sink that sends one by one is found out only by a receiver that fails in the middle", arguments: [0, 3])
    func aFailureInTheMiddleFindsWhoRepeats(taken: Int) async {
        let report = await ProviderConformance {
            let receiver = FakeReceiver<String>()
            return ConformanceSpecimen(
                sink: Forgetful(receiver: receiver), readBack: { receiver.received.map { RecordedEvent(message: $0) } },
                fail: { receiver.fail($0, after: taken) })
        }.run()
        #expect(report.findings.map(\.check) == (taken == 0 ? [] : [.sinkFailsHonestly]), "\(report)")
    }

    @Test func theReceiverDoesNotAnswerWhileItIsStalled() {
        let receiver = FakeReceiver<String>(), arrived = Gate(), done = Gate()
        receiver.stall(true)
        LogThread.start("caller") {
            arrived.open()
            try? receiver.receive("late")
            done.open()
        }
        arrived.wait()
        #expect(receiver.received == [])
        receiver.stall(false)
        done.wait()
        #expect(receiver.received == ["late"])
    }

    @Test func theGateLetsEverybodyThroughOnceItIsOpen() {
        let gate = Gate()
        #expect(!gate.waitForArrivals(1, by: .now))
        for number in 1...3 { LogThread.start("waiting-\(number)") { gate.wait() } }
        #expect(gate.waitForArrivals(3))
        gate.open()
        gate.wait()
    }
}
