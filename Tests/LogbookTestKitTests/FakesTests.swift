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
