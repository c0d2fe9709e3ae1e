import BenchSupport

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

let arguments = CommandLine.arguments
guard arguments.count == 6, let sets = Int(arguments[3]), let rounds = Int(arguments[4]), let entries = Int(arguments[5]),
    sets >= 100, rounds > 0, entries >= 100 * Sets.entries
else {
    print("usage: CollectorBench LOGBOOK FOLDER SETS ROUNDS ENTRIES")
    exit(64)
}
let logbook = arguments[1]
let folder = makeFolder("collector-bench", in: arguments[2])
signal(SIGPIPE, SIG_IGN)

func start(_ name: String) throws -> (collector: Program, port: Int) {
    let collector = try Program(
        [logbook, "collect", "--allow-root", "--archive", "sqlite:\(folder)/\(name).sqlite", "--port", "0"],
        environment: ["LOGBOOK_TOKEN": Client.token], output: "\(folder)/\(name).out")
    for _ in 0..<1000 {
        usleep(10_000)
        if let port = text(of: "\(folder)/\(name).out").split(separator: "\n").first?.split(separator: ":").last.flatMap({ Int($0) }) {
            return (collector, port)
        }
    }
    throw BenchError("the collector did not start")
}

func run() throws -> [Row] {
    let archive = try Archive("\(folder)/baseline.sqlite")
    let (collector, port) = try start("archive")
    var next = 1
    func take(_ count: Int) -> Range<Int> {
        defer { next += count }
        return next..<next + count
    }
    _ = try send(take(100), to: port, connections: 1)   // warm
    for number in take(100) { try archive.store(number) }

    var direct: [Double] = [], one: [Double] = [], sixteen: [Double] = [], slowest: [Double] = [], commits: [Double] = [], slowestCommits: [Double] = []
    for _ in 0..<rounds {
        let numbers = take(sets)
        var each: [Double] = []
        let begin = now()
        for number in numbers {
            let start = now()
            try archive.store(number)
            each.append(now() - start)
        }
        direct.append(Double(sets * Sets.entries) / (now() - begin))
        commits.append(median(each))
        slowestCommits.append(percentile(each, 0.99))
        one.append(Double(sets * Sets.entries) / (try send(take(sets), to: port, connections: 1).seconds))
        let crowd = try send(take(sets), to: port, connections: 16)
        sixteen.append(Double(sets * Sets.entries) / crowd.seconds)
        slowest.append(percentile(crowd.each, 0.99))
    }

    // Memory: until half of the entries are stored, and until all are.
    let half = entries / Sets.entries / 2
    _ = try send(take(half), to: port, connections: 16)
    let middle = collector.memory
    _ = try send(take(half), to: port, connections: 16)
    let end = collector.memory
    return [
        .rate("11: entries/s, one connection, against the C interface", atLeast: 0.5, ours: one, theirs: direct),
        .rate("11: entries/s, 16 connections, against the C interface", atLeast: 0.5, ours: sixteen, theirs: direct),
        .time("12: p99 of a set, 16 connections, against p50 of a commit", atMost: 20, ours: slowest, theirs: commits),
        .time("    the disk's part: p99 of a commit alone, against its p50", atMost: nil, ours: slowestCommits, theirs: commits),
        .memory("12: memory after \(entries) entries", atMost: 120, end),
        .memory("12: of that, what the second half has added", atMost: 12, max(0, end - middle)),
    ]
}

finish("CollectorBench", removing: folder, run)
