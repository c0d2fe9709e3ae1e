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
