import CLogbookSystem
@testable import LogbookCore
import Testing

@Suite struct TickClockTests {
    /// A processor's count and two clocks that are turned by hand: 2.5 ticks are a nanosecond.
    private final class Machine {
        var ticks: UInt64 = 1_000
        var uptime: UInt64 = 5_000_000_000
        var wall: Int64 = 1_763_717_360_000_000_000

        func pass(_ nanoseconds: Int64) {
            ticks += UInt64(nanoseconds) * 5 / 2
            uptime += UInt64(nanoseconds)
            wall += nanoseconds
        }
        var reading: TickClock.Reading { TickClock.Reading(ticks: ticks, uptime: uptime, wall: wall) }
    }
    private let machine = Machine()

    /// The clock by reference, for expectations.
    private final class Held {
        var clock: TickClock
        init(_ machine: Machine) { clock = TickClock { machine.reading } }
        func look() -> Bool { clock.look() }
        func time(of ticks: UInt64) -> Int64 { clock.time(of: ticks) }
    }
    private func clock() -> Held { Held(machine) }

    @Test func aCountIsTheTimeAtWhichItWasTaken() {
        let clock = clock()
        for span: Int64 in [10, 1_000, 1_000_000, 700_000_000, 2_000_000_000, 50_000_000] {
            machine.pass(span)
            let (count, time) = (machine.ticks, machine.wall)
            machine.pass(span)
            #expect(clock.look())
            #expect(abs(clock.time(of: count) - time) <= 1)
        }
    }

    @Test func aWallClockThatIsSetIsFollowed() {
        let clock = clock()
        machine.pass(1_000_000)
        #expect(clock.look())
        let before = machine.ticks
        machine.pass(1_000_000)
        machine.wall -= 3_600_000_000_000
        #expect(clock.look())
        #expect(abs(clock.time(of: before) - (machine.wall - 1_000_000)) <= 1)
    }

    @Test func whatCameAfterTheLookIsAsOldAsTheLook() {
        let clock = clock()
        machine.pass(1_000)
        #expect(clock.look())
        let time = machine.wall
        machine.pass(500)
        #expect(clock.time(of: machine.ticks) == time)
        #expect(clock.time(of: 0) <= time)
    }

    @Test func timesDoNotRunBackBetweenTwoLooks() {
        let clock = clock()
        machine.pass(1_000_000)
        #expect(clock.look())
        let first = clock.time(of: machine.ticks)
        machine.pass(100)
        machine.wall -= 400   // as a look that was held up shows it
        #expect(clock.look())
        #expect(clock.time(of: machine.ticks) == first)
    }

    @Test func aPaceThatNoProcessorHasIsNotCountedWith() {
        let clock = clock()
        machine.ticks += 1
        machine.uptime += 1 << 62
        #expect(clock.look())
        let oldest = machine.ticks &- (1 << 52 - 1)
        #expect(clock.time(of: oldest) < machine.wall)
    }

    @Test(arguments: [0, 500_000_000_000] as [UInt64])
    func aCountThatWasSetIsNotTrusted(_ ticks: UInt64) {
        let clock = clock()
        for _ in 0..<4 {
            machine.pass(700_000_000)
            #expect(clock.look())
        }
        let before = machine.ticks, time = machine.wall
        machine.pass(1_000_000)
        machine.ticks = ticks == 0 ? 10 : machine.ticks + ticks
        #expect(!clock.look())
        // What was said before is not said to be of another day.
        if ticks == 0 { #expect(clock.time(of: before) == machine.wall) } else { #expect(clock.time(of: before) <= time) }
        machine.pass(1_000_000)
        #expect(!clock.look())
    }

    @Test func aPaceIsMeasuredAnewWhenTheSystemCorrectsIt() {
        let clock = clock()
        for _ in 0..<4 {
            machine.pass(1_500_000_000)
            #expect(clock.look())
        }
        for _ in 0..<4 {   // slower by 200 in a million
            machine.ticks += 200_000
            machine.pass(1_000_000_000)
            #expect(clock.look())
        }
        let (count, time) = (machine.ticks, machine.wall)
        machine.ticks += 2_500
        machine.pass(50_000_000)
        #expect(clock.look())
        #expect(abs(clock.time(of: count) - time) < 20_000)
    }

    @Test("where the processor counts, what a queue hears has the time of the call")
    func eventsHaveTheTimeOfTheCall() {
        let service = LogService(), sink = CollectingSink()
        service.register(sink: sink)
        var spans: [(from: Int64, to: Int64)] = []
        for number in 0..<2_000 {
            let from = logbook_wall_nanoseconds()
            service.info("number \(number)")
            spans.append((from, logbook_wall_nanoseconds()))
        }
        #expect(service.flush(by: .seconds(30)).isComplete)
        let times = sink.times.withLock { $0 }
        #expect(times.count == spans.count)
        // Far less in a quiet machine; a thread that looks at the clocks may be interrupted.
        let most: Int64 = 5_000_000
        for (time, span) in zip(times, spans) where !(span.from - most...span.to + most).contains(time) {
            Issue.record("\(time - span.from) ns from the beginning of a call of \(span.to - span.from) ns")
        }
    }

    private final class CollectingSink: BatchSink {
        let times = Locked<[Int64]>([])
        func write(_ batch: [LogEvent]) { times.withLock { $0 += batch.map(\.time.nanoseconds) } }
    }
}
