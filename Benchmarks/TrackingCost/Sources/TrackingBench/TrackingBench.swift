import CallCounter
import Foundation
import Logbook
import LogbookTracking
import Synchronization

/// A provider that costs next to nothing.
final class Counter: LogProvider {
    let count = Atomic<Int>(0)
    func log(_ event: LogEvent) { count.add(1, ordering: .relaxed) }
    func flush(by deadline: LogDeadline) {}
}

final class Work {
    var total = 0
    @inline(never) func plain(_ n: Int) -> Int { total &+= n; return total }
    @inline(never) @Tracked func tracked(_ n: Int) -> Int { total &+= n; return total }
    @inline(never) func plainThrowing(_ n: Int) throws -> Int { total &+= n; return total }
    @inline(never) @Tracked func trackedThrowing(_ n: Int) throws -> Int { total &+= n; return total }
    @inline(never) nonisolated(nonsending) func plainAsync(_ n: Int) async -> Int { total &+= n; return total }
    @inline(never) @Tracked nonisolated(nonsending) func trackedAsync(_ n: Int) async -> Int { total &+= n; return total }
    @inline(never) @Tracked func label(_ n: Int) -> Int { total &+= n; return total }
    @inline(never) @Tracked func values(_ n: Int) -> Int { total &+= n; return total }
    @inline(never) @Tracked func property(_ n: Int) -> Int { total &+= n; return total }
    @inline(never) @Tracked func condition(_ n: Int) -> Int { total &+= n; return total }
}

struct Generic<Value> {
    var value: Value
    @inline(never) func plain(_ n: Int) -> Int { n }
    @inline(never) @Tracked(generic: true) func tracked(_ n: Int) -> Int { n }
}

@main
struct TrackingBench {
    nonisolated(unsafe) static var sink = 0

    /// Nanoseconds of processor time per call, the best of seven, and allocations per call.
    static func measure(_ calls: Int, _ body: (Int) -> Int) -> (nanoseconds: Double, allocations: Double) {
        var best = Double.infinity, allocations = 0.0
        for _ in 0..<7 {
            let memory = call_counter_allocations(), start = call_counter_thread_nanoseconds()
            for number in 0..<calls { sink &+= body(number) }
            best = min(best, Double(call_counter_thread_nanoseconds() - start) / Double(calls))
            allocations = Double(call_counter_allocations() - memory) / Double(calls)
        }
        return (best, allocations)
    }

    static func measureAsync(
        isolation: isolated (any Actor)? = #isolation, _ calls: Int, _ body: (Int) async -> Int
    ) async -> Double {
        var best = Double.infinity
        for _ in 0..<7 {
            let start = call_counter_process_nanoseconds()
            for number in 0..<calls { sink &+= await body(number) }
            best = min(best, Double(call_counter_process_nanoseconds() - start) / Double(calls))
        }
        return best
    }

    nonisolated(unsafe) static var failed = false
    static func say(_ what: String, _ value: Double, atMost bar: Double?, _ unit: String) {
        let rounded = (value * 100).rounded() / 100
        let verdict = bar.map { value <= $0 ? "  (bar \($0): held)" : "  (bar \($0): BROKEN)" } ?? ""
        if let bar, value > bar { failed = true }
        print("\(what): \(rounded) \(unit)\(verdict)")
    }

    /// On the main thread's own time: what counts instructions does not survive a main function that is asynchronous.
    static func waiting(for body: @escaping @Sendable () async -> Double) -> Double {
        let done = DispatchSemaphore(value: 0), result = Mutex(0.0)
        Task.detached {
            let value = await body()
            result.withLock { $0 = value }
            done.signal()
        }
        done.wait()
        return result.withLock { $0 }
    }

    static func main() throws {
        // `brief` is for counting instructions, which take their time; a word after it chooses one of the open calls.
        let isBrief = CommandLine.arguments.contains("brief")
        let work = Work(), many = isBrief ? 1_000 : 4_000_000, few = isBrief ? 1_000 : 100_000
        let plain = measure(many) { work.plain($0) }, tracked = measure(many) { work.tracked($0) }
        say("an untracked call, for comparison with other machines", plain.nanoseconds, atMost: nil, "ns")
        say("closed, more than an untracked call", tracked.nanoseconds - plain.nanoseconds, atMost: 0.7, "ns")
        say("closed, allocations", tracked.allocations, atMost: 0, "per call")
        let throwing = measure(many) { (try? work.plainThrowing($0)) ?? 0 }, trackedThrowing = measure(many) { (try? work.trackedThrowing($0)) ?? 0 }
        say("closed, throwing", trackedThrowing.nanoseconds - throwing.nanoseconds, atMost: 0.7, "ns")
        let asynchronous = waiting {
            let work = Work(), plain = await measureAsync(many / 10) { await work.plainAsync($0) }
            return await measureAsync(many / 10) { await work.trackedAsync($0) } - plain
        }
        say("closed, async", asynchronous, atMost: nil, "ns")
        let generic = Generic(value: 1), genericPlain = measure(many) { generic.plain($0) }
        say("closed, generic", measure(many) { generic.tracked($0) }.nanoseconds - genericPlain.nanoseconds, atMost: nil, "ns")

        let service = LogService(), counter = Counter()
        service.register(counter)
        let tracker = Tracker(service)
        try tracker.start(TrackingPlan(json: #"""
            { "trackedEvents": [
              { "class": "TrackingBench.Work", "selector": "label(_:)", "label": "a label" },
              { "class": "TrackingBench.Work", "selector": "values(_:)", "label": "values", "metadata": { "n": "$arg.n", "r": "$result" } },
              { "class": "TrackingBench.Work", "selector": "property(_:)", "label": "property", "metadata": { "t": "$self.total" } },
              { "class": "TrackingBench.Work", "selector": "condition(_:)", "label": "condition", "when": "$arg.n < 0" } ] }
            """#))
        for (name, bar, body) in [
            ("open, label only", 300, { work.label($0) }), ("open, two values", 800, { work.values($0) }),
            ("open, a property", nil, { work.property($0) }), ("open, condition false", nil, { work.condition($0) }),
        ] as [(String, Double?, (Int) -> Int)] where !isBrief || name.contains(CommandLine.arguments.last ?? "") || CommandLine.arguments.last == "brief" {
            let measured = measure(few, body)
            say(name, measured.nanoseconds, atMost: bar, "ns, \(measured.allocations) allocations")
        }
        say("closed while a plan is live", measure(many) { work.tracked($0) }.nanoseconds - plain.nanoseconds, atMost: 0.7, "ns")
        if failed { exit(1) }
    }
}
