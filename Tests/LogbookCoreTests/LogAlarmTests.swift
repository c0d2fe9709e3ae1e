@testable import LogbookCore
import LogbookTestKit
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

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

    @Test("who is told that the machine gives no thread to wait on may do again what needed it", arguments: ["raise", "loss", "repeat"])
    func aMissingThreadIsSaidUnderNoLock(need: String) async {
        await #expect(processExitsWith: .success) { [need = need as String] in
            _ = alarm(30)   // a thread that waits for itself does not come back
            let service = LogService(readContext: { nil }, startThread: { _, _ in false })
            let folding = FoldingRepeats(RecordingProvider(), longestWait: .seconds(60), clock: .system, startThread: { _, _ in false })
            @Sendable func wait() {
                switch need {
                case "raise": service.raise(to: .debug, during: .seconds(60))
                case "loss": service.setLossAlarm(at: .max)
                default: for text in ["a", "b", "b"] { folding.log(event(1, text)) }
                }
            }
            let said = Locked(0)
            LogDiagnostics.setHandler { _ in
                said.withLock { $0 += 1 }
                wait()
            }
            wait()
            #expect(said.withLock { $0 } == 1)
        }
    }
}
