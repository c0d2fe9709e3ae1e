#if Transactions
import LogbookCore
import LogbookTestKit
import Testing

@testable import LogbookTransactions

@Suite struct StoreTurnTests {
    private let turn = StoreTurn()

    @Test func theyHaveItInTheOrderInWhichTheyCame() {
        let gate = Gate(), order = Heard<Int>()
        LogThread.start("first") { [turn] in
            turn.take(by: .never) {
                order.append(0)
                gate.wait()
            }
        }
        #expect(order.wait(for: 1) == [0])
        for number in 1...3 {
            LogThread.start("next") { [turn] in turn.take(by: .never) { order.append(number) } }
            #expect(becomesTrue { turn.waitingCount == number })
        }
        gate.open()
        #expect(order.wait(for: 4) == [0, 1, 2, 3])
    }

    @Test("who does not wait has it when it is free, and who gives up stands in nobody's way")
    func deadlines() {
        #expect(turn.take(by: .now) { 7 } == 7)
        let gate = Gate(), first = Heard<Bool>(), hasGivenUp = Heard<Bool>(), last = Heard<Bool>()
        LogThread.start("first") { [turn] in
            turn.take(by: .never) {
                first.append(true)
                gate.wait()
            }
        }
        #expect(first.wait(for: 1) == [true])
        #expect(turn.take(by: .now) { 7 } == nil)
        LogThread.start("impatient") { [turn] in hasGivenUp.append(turn.take(by: .milliseconds(20)) { 7 } == nil) }
        #expect(hasGivenUp.wait(for: 1) == [true])
        LogThread.start("last") { [turn] in turn.take(by: .never) { last.append(true) } }
        #expect(becomesTrue { turn.waitingCount == 1 })
        #expect(last.all.isEmpty)
        gate.open()
        #expect(last.wait(for: 1) == [true])
        #expect(turn.take(by: .seconds(60)) { 7 } == 7)   // it may not have given it back yet
    }

    @Test func whoFailsGivesItBack() {
        #expect(throws: ScriptedFailure.self) { try turn.take(by: .never) { () -> Int in throw ScriptedFailure() } }
        #expect(turn.take(by: .now) { 7 } == 7)
    }
}
#endif
