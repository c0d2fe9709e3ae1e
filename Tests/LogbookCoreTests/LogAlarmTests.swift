import LogbookCore
import LogbookTestKit
import Testing

@Suite struct LogAlarmTests {
    @Test func aManualClockRingsItOnTheThreadThatMovesIt() {
        let clock = ManualClock(now: LogTime(nanoseconds: 0)), time = LogClock.manual(clock), rings = Locked(0)
        let alarm = LogAlarm("test", clock: time) { rings.withLock { $0 += 1 } }
        clock.advance(by: .seconds(1))
        alarm.set(at: time.monotonicNanoseconds() + 10)
        clock.advance(by: .nanoseconds(9))
        #expect(rings.withLock { $0 } == 0)
        clock.advance(by: .nanoseconds(1))
        clock.advance(by: .seconds(1))
        #expect(rings.withLock { $0 } == 1)
        alarm.set(at: time.monotonicNanoseconds() + 10)
        alarm.set(at: nil)
        clock.advance(by: .seconds(1))
        #expect(rings.withLock { $0 } == 1)
    }

    @Test func theMachinesClockRingsItAgainAndAgain() {
        let rung = Gate(), count = Locked(0)
        let holder = Locked<LogAlarm?>(nil)
        let alarm = LogAlarm("test", clock: .system) {
            let isLast = count.withLock { count in
                count += 1
                return count == 3
            }
            if isLast { return rung.open() }
            holder.withLock { $0 }?.set(at: LogClock.system.monotonicNanoseconds() + 1_000)
        }
        holder.withLock { $0 = alarm }
        alarm.set(at: .max)
        alarm.set(at: 0)                                     // earlier than what its thread waits for
        rung.wait()
        #expect(count.withLock { $0 } == 3)
        holder.withLock { $0 = nil }
    }
}
