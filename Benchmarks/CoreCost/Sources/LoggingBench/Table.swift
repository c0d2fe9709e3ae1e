/// Bars beside what was measured: the median of the rounds' ratios.
struct Table {
    private let values: [String: [Double]]

    init(_ rows: Rows) throws { values = try rows.read() }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    /// - Parameter peer: What it is compared with in the same round; nil for the value itself.
    private func measured(_ name: String, _ peer: String?) -> Double? {
        guard let own = values[name], !own.isEmpty else { return nil }
        guard let peer else { return Self.median(own) }
        guard let others = values[peer], !others.isEmpty else { return nil }
        return Self.median(zip(own, others).map { $0 / $1 })
    }

    private enum Goal {
        case atMost(Double), atLeast(Double)
        func isMet(by value: Double) -> Bool {
            switch self {
            case .atMost(let limit): value <= limit
            case .atLeast(let limit): value >= limit
            }
        }
        var description: String {
            switch self {
            case .atMost(let limit): "<= \(limit)"
            case .atLeast(let limit): ">= \(limit)"
            }
        }
    }

    private static let bars: [(number: Int, what: String, name: String, peer: String?, goal: Goal)] = [
        (1, "call nobody hears, of swift-log's", "logbook disabled net", "swift-log disabled net", .atMost(0.04)),
        (1, "call nobody hears, of spdlog's macro", "logbook disabled net", "spdlog disabled net", .atMost(0.1667)),
        (1, "instructions above the empty loop", "disabled instructions", nil, .atMost(4)),
        (2, "queued call, paced, 1 thread: mean of the lowest 99 %, of spdlog async's", "file 1 tmean", "spdlog async 1 tmean", .atMost(0.1)),
        (2, "the same, 4 threads", "file 4 tmean", "spdlog async 4 tmean", .atMost(0.1)),
        (2, "the same, of swift-log's, 1 thread", "file 1 tmean", "swift-log 1 tmean", .atMost(0.01)),
        (2, "the same, of a naive logger's, 1 thread", "file 1 tmean", "naive 1 tmean", .atMost(0.005)),
        (2, "p99.9, of spdlog async's, 1 thread", "file 1 p99.9", "spdlog async 1 p99.9", .atMost(0.05)),
        (2, "call with a ready String, of spdlog async's", "string 1 tmean", "spdlog async 1 tmean", .atMost(0.2)),
        (3, "lines/s into the file, 1 thread, of spdlog's", "file 1 lines/s", "spdlog sync 1 lines/s", .atLeast(4.5)),
        (3, "the same, of swift-log's", "file 1 lines/s", "swift-log 1 lines/s", .atLeast(40)),
        (3, "the same, of a naive logger's", "file 1 lines/s", "naive 1 lines/s", .atLeast(60)),
        (3, "lines/s into the file, 4 threads, of spdlog's", "file 4 lines/s", "spdlog sync 4 lines/s", .atLeast(4)),
        (3, "processor time per line, of spdlog's", "file 1 cpu", "spdlog sync 1 cpu", .atMost(0.28)),
        (3, "the same, of swift-log's", "file 1 cpu", "swift-log 1 cpu", .atMost(0.035)),
        (3, "instructions per line", "file instructions", nil, .atMost(800)),
        (3, "allocations per line", "file allocations", nil, .atMost(0.005)),
        (3, "a second file with the same layout: processor time of both, of one", "two 1 cpu", "file 1 cpu", .atMost(1.15)),
        (4, "time stamp in a line, of ISO8601FormatStyle", "stamp ns", "ISO8601FormatStyle ns", .atMost(0.12)),
        (4, "the same, of DateFormatter", "stamp ns", "DateFormatter ns", .atMost(0.02)),
        (6, "JSON lines: JSONEncoder's time, of ours", "JSONEncoder ns", "json lines ns", .atLeast(30)),
        (8, "idle, % of a core", "idle % of a core", nil, .atMost(0.2)),
        (9, "console line, processor time, of print's", "console 1 cpu", "print 1 cpu", .atMost(0.5)),
        (10, "memory of rings and buffers, MiB, 1 thread", "memory 1 MiB", nil, .atMost(4)),
        (10, "the same, 64 threads", "memory 64 MiB", nil, .atMost(4)),
        (16, "first line of console and file, ms above an empty program", "first-line ms", nil, .atMost(5)),
    ]

    func print() throws {
        Swift.print("| # | what | goal | measured | |")
        Swift.print("|---|---|---|---|---|")
        for bar in Self.bars {
            guard let value = measured(bar.name, bar.peer) else { throw BenchError("no rows for \(bar.name) or \(bar.peer ?? "")") }
            let digits = value < 0.1 ? 10_000.0 : value < 10 ? 100 : 1
            let shown = (value * digits).rounded() / digits
            Swift.print("| \(bar.number) | \(bar.what) | \(bar.goal.description) | \(shown) | \(bar.goal.isMet(by: value) ? "met" : "missed") |")
        }
    }
}
