import Counters
import Foundation
import Logbook

/// Measures one thing and adds rows, or makes the table of all rows.
@main
struct LoggingBench {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst().map { $0 }
        switch arguments.first {
        case "count":   // count CASE LINES FOLDER: nothing but the calls, for whoever counts instructions
            let lines = Int(arguments[2])!
            if let disabled = DisabledCase(rawValue: arguments[1]) { return disabled.run(lines) }
            let lineCase = try LineCase(arguments[1], in: arguments[3])
            for i in 0..<lines { lineCase.log(i) }
            lineCase.finish()
        case "allocations":   // allocations CASE FOLDER
            try print(allocations(arguments[1], in: arguments[2]))
        case "lines":   // lines CASE THREADS rate|paced LINES FOLDER ROWS
            try measure(
                arguments[1], threads: Int(arguments[2])!, isPaced: arguments[3] == "paced", lines: Int(arguments[4])!,
                in: arguments[5], rows: Rows(path: arguments[6]))
        case "disabled":   // disabled CALLS ROWS
            for disabled in DisabledCase.allCases {
                let calls = Int(arguments[1])!, start = counters_processor_nanoseconds()
                disabled.run(calls)
                try Rows(path: arguments[2]).add(
                    "\(disabled.rawValue) disabled", "ns", Double(counters_processor_nanoseconds() - start) / Double(calls))
            }
        case "formats": try Formats.measure(Rows(path: arguments[1]))
        case "idle":   // idle FOLDER ROWS
            let lineCase = try LineCase("file", in: arguments[1])
            lineCase.log(1)
            lineCase.finish()
            let start = counters_processor_nanoseconds()
            Thread.sleep(forTimeInterval: 5)
            try Rows(path: arguments[2]).add("idle", "% of a core", Double(counters_processor_nanoseconds() - start) / 5e7)
        case "memory":   // memory THREADS FOLDER ROWS
            try memory(threads: Int(arguments[1])!, in: arguments[2], Rows(path: arguments[3]))
        case "first-line":   // first-line FOLDER
            let service = LogService()
            service.register(ConsoleLogProvider())
            service.register(try FileLogProvider(in: arguments[1]))
            service.info("the first line")
        case "nothing": break
        case "table": try Table(Rows(path: arguments[1])).print()
        default: throw BenchError("see ./run")
        }
    }

    static func allocations(_ name: String, in folder: String) throws -> Double {
        let lineCase = try LineCase(name, in: folder), lines = 50_000
        for i in 0..<lines { lineCase.log(i) }
        lineCase.finish()
        let before = counters_allocations()
        for i in 0..<lines { lineCase.log(i) }
        lineCase.finish()
        return Double(counters_allocations() - before) / Double(lines)
    }

    static func measure(_ name: String, threads: Int, isPaced: Bool, lines: Int, in folder: String, rows: Rows) throws {
        let lineCase = try LineCase(name, in: folder), each = lines / threads, scale = nanosecondsPerTick()
        nonisolated(unsafe) let ticks = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: isPaced ? each * threads : 0)
        ticks.initialize(repeating: 0)
        lineCase.log(0)   // everything is made before the clock starts
        lineCase.finish()
        let start = counters_nanoseconds(), processor = counters_processor_nanoseconds()
        inParallel(threads) { thread in
            guard isPaced else {
                for i in 0..<each { lineCase.log(i) }
                return
            }
            for i in 0..<each {
                let before = counters_ticks()
                lineCase.log(i)
                ticks[thread * each + i] = UInt32(truncatingIfNeeded: counters_ticks() &- before)
                if i % 20 == 19 { usleep(300) }
            }
        }
        lineCase.finish()
        let label = "\(name) \(threads)"
        if !isPaced {
            try rows.add(label, "lines/s", Double(each * threads) * 1e9 / Double(counters_nanoseconds() - start))
            try rows.add(label, "cpu", Double(counters_processor_nanoseconds() - processor) / Double(each * threads))
        } else {
            let sorted = ticks.sorted(), low = sorted.prefix(sorted.count * 99 / 100)
            try rows.add(label, "tmean", low.reduce(0) { $0 + Double($1) } / Double(low.count) * scale)
            try rows.add(label, "p99.9", Double(sorted[sorted.count * 999 / 1000]) * scale)
        }
    }

    static func inParallel(_ threads: Int, _ body: @escaping @Sendable (Int) -> Void) {
        let group = DispatchGroup()
        for thread in 0..<threads {
            group.enter()
            Thread.detachNewThread {
                body(thread)
                group.leave()
            }
        }
        group.wait()
    }

    static func nanosecondsPerTick() -> Double {
        let time = counters_nanoseconds(), ticks = counters_ticks()
        while counters_nanoseconds() - time < 20_000_000 {}
        return Double(counters_nanoseconds() - time) / Double(counters_ticks() - ticks)
    }

    /// What the process holds more after logging from so many threads, in MiB.
    static func memory(threads: Int, in folder: String, _ rows: Rows) throws {
        // Memory of its own, not the pages of the program's file that come to be used.
        func resident() throws -> Double {
            let lines = try String(contentsOfFile: "/proc/self/status", encoding: .utf8).split(separator: "\n")
            let kilobytes = lines.first { $0.hasPrefix("RssAnon:") }!.split(whereSeparator: { $0 == " " || $0 == "\t" })[1]
            return Double(kilobytes)! / 1024
        }
        // The threads themselves are there before.
        inParallel(threads) { _ in usleep(10_000) }
        let before = try resident(), lineCase = try LineCase("file", in: folder)
        inParallel(threads) { _ in for i in 0..<400_000 / threads { lineCase.log(i) } }
        lineCase.finish()
        try rows.add("memory \(threads)", "MiB", resident() - before)
    }
}
