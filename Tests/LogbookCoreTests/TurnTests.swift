import LogbookTestKit
import Testing

@testable import LogbookCore

@Suite struct TurnTests {
    @Test func oneThreadAtATimeHasTheValue() {
        let turn = Turn(0), start = Gate(), done = Monitor(0), threads = 4, each = 200
        for _ in 0..<threads {
            LogThread.start("turns") {
                start.wait()
                for _ in 0..<each {
                    turn.take { value in
                        let before = value
                        LogThread.yield()
                        value = before + 1
                    }
                }
                done.withLock { access in
                    access.value += 1
                    access.broadcast()
                }
            }
        }
        #expect(start.waitForArrivals(threads))
        start.open()
        let deadline = LogDeadline.seconds(60)
        done.withLock { access in while access.value < threads && access.wait(until: deadline) {} }
        #expect(turn.take { $0 } == threads * each)
    }

    @Test("whoever waits gives up at the deadline, and has it later")
    func nobodyWaitsForEver() {
        let turn = Turn("free"), gate = Gate()
        LogThread.start("holder") {
            turn.take { value in
                gate.wait()
                value = "had"
            }
        }
        #expect(gate.waitForArrivals(1))
        #expect(turn.take(by: .now) { $0 } == nil)
        #expect(turn.take(by: .milliseconds(20)) { $0 } == nil)
        gate.open()
        #expect(turn.take(by: .seconds(60)) { $0 } == "had")
        #expect(turn.take(by: .now) { $0 } == "had")   // what is free is not waited for
    }

    @Test("of many who wait, each has it in the end, though some give up")
    func nobodyIsForgotten() {
        let turn = Turn(0), gate = Gate(), ended = Monitor(0)
        LogThread.start("holder") { turn.take { _ in gate.wait() } }
        #expect(gate.waitForArrivals(1))
        for number in 0..<20 {
            LogThread.start("waiting") {
                let deadline = number % 2 == 0 ? LogDeadline.seconds(60) : .milliseconds(number)
                _ = turn.take(by: deadline) { $0 += 1 }
                ended.withLock { access in
                    access.value += 1
                    access.broadcast()
                }
            }
        }
        let deadline = LogDeadline.seconds(60)
        ended.withLock { access in while access.value < 10 && access.wait(until: deadline) {} }   // those who give up
        gate.open()
        ended.withLock { access in while access.value < 20 && access.wait(until: deadline) {} }
        #expect(turn.take { $0 } == 10)
    }

    @Test func whatIsThrownEndsTheTurn() {
        let turn = Turn(0)
        #expect(throws: ScriptedFailure.self) { try turn.take { _ -> Void in throw ScriptedFailure("on purpose") } }
        #expect(turn.take(by: .now) { $0 } == 0)
    }

    @Test("35: a signal handler that interrupts whoever has it is inside")
    func whoeverHasItIsInside() {
        let turn = Turn(0)
        #expect(turn.take { _ in Inside.isInterrupted })
        #expect(turn.take(by: .now) { _ in Inside.isInterrupted } == true)
        #expect(!Inside.isInterrupted)
    }
}
