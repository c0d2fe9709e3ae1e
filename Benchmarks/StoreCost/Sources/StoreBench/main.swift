import BenchSupport
import Logbook
import LogbookTransactions

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

let walFull = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;"
let deleteFull = "PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;"

let arguments = CommandLine.arguments
guard arguments.count == 4, let count = Int(arguments[2]), let rounds = Int(arguments[3]), count >= 2000, count % 1000 == 0, rounds > 0 else {
    print("usage: StoreBench FOLDER ENTRIES ROUNDS   (whole thousands of entries)")
    exit(64)
}
let folder = makeFolder("store-bench", in: arguments[1])

/// Rows a second.
func rate(_ count: Int, _ body: () throws -> Void) rethrows -> Double {
    let start = now()
    try body()
    return Double(count) / (now() - start)
}

func provider(_ name: String) throws -> TransactionLogProvider {
    try TransactionLogProvider(configuration: TransactionLogConfiguration(storePath: "\(folder)/\(name).sqlite"))
}

/// What is handed to the provider in batches that have just been made, as a queue hands them; making them is not counted.
func ours(_ provider: TransactionLogProvider, _ count: Int, group: Int) throws -> Double {
    var seconds = 0.0
    for first in stride(from: 0, to: count, by: group) {
        let batch = Entries.make(min(group, count - first)), start = now()
        try provider.write(batch)
        seconds += now() - start
    }
    return Double(count) / seconds
}

func theirs(_ baseline: any Baseline, _ numbers: Range<Int>, group: Int) throws -> Double {
    try rate(numbers.count) {
        for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: group) {
            try baseline.store(start..<min(start + group, numbers.upperBound))
        }
    }
}

/// Seconds of a call of which nobody waits for the disk: the queue stores.
func calls(_ count: Int, _ name: String) throws -> [Double] {
    let service = LogService(), provider = try provider(name)
    service.register(provider, delivery: .queued(QueuePolicy(overflow: .block(upTo: .seconds(60)))))
    var each: [Double] = []
    for _ in 0..<count / Entries.ofTransaction {
        let transaction = service.transaction(usecase: 1)
        for event in 0..<Entries.ofTransaction {
            let start = now()
            transaction.log(event)
            each.append(now() - start)
        }
        usleep(1000)   // as a program's users do, only faster
    }
    guard service.shutdown(by: .seconds(60)).isComplete else { throw BenchError("not everything was stored") }
    return each
}

func run() throws -> [Row] {
    let store = try provider("ours"), direct = try DirectBaseline("\(folder)/direct.sqlite", pragmas: walFull)
    let cached = try GRDBBaseline("\(folder)/cached.sqlite", isRecord: false), record = try GRDBBaseline("\(folder)/record.sqlite", isRecord: true)
    let alone = try DirectBaseline("\(folder)/alone.sqlite", pragmas: deleteFull, isGrouped: false)
    defer { try? store.shutdown(by: .seconds(10)) }   // while its files are there
    var next = 0
    func take(_ count: Int) -> Range<Int> {
        defer { next += count }
        return next..<next + count
    }
    var one: [Double] = [], hundred: [Double] = [], directRates: [Double] = [], cachedRates: [Double] = [], recordRates: [Double] = []
    var aloneRates: [Double] = [], callTimes: [Double] = []
    for round in 0...rounds {
        let numbers = take(count), few = take(400)
        let measured = (
            one: try ours(store, count, group: 1000), direct: try theirs(direct, numbers, group: 1000),
            cached: try theirs(cached, numbers, group: 1000), record: try theirs(record, numbers, group: 1000),
            hundred: try ours(store, min(count, 20_000), group: 100), alone: try theirs(alone, few, group: few.count),
            call: median(try calls(min(count, 10_000), "calls-\(round)"))
        )
        if round == 0 { continue }   // the first warms up
        one.append(measured.one)
        directRates.append(measured.direct)
        cachedRates.append(measured.cached)
        recordRates.append(measured.record)
        hundred.append(measured.hundred)
        aloneRates.append(measured.alone)
        callTimes.append(measured.call)
    }
    return [
        .rate("5: rows/s, durable, groups of 1000, against the C interface", atLeast: 1.6, ours: one, theirs: directRates),
        .rate("5: the same against GRDB's cached statement", atLeast: 5.5, ours: one, theirs: cachedRates),
        .rate("5: the same against GRDB's record", atLeast: 20, ours: one, theirs: recordRates),
        .rate("5: groups of 1000, against each row committed alone", atLeast: 500, ours: one, theirs: aloneRates),
        .rate("5: groups of 100, against each row committed alone", atLeast: 180, ours: hundred, theirs: aloneRates),
        .rate("5: calls/s that are queued, against each row committed alone", atLeast: 15_000, ours: callTimes.map { 1 / $0 }, theirs: aloneRates),
    ]
}

finish("StoreBench", removing: folder, run)
