// FilesVictim FOLDER TAG process|power           logs lines of that tag until it is killed
// FilesVictim FOLDER TAG hanging|hoarding         logs 1,000,000 lines while the disk does not answer, or keeps as many itself
// FilesVictim FOLDER TAG SCENARIO CALL before|after   goes through a scenario and is killed at that call to the file system
//
// Scenarios: roll, compress, power. After each line that is in the kernel's hands, or safe, its number goes to standard output.
import LogbookCompression
import LogbookCore
import LogbookFiles
import LogbookFormat
import LogbookTestKit

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

struct Line: LogFormat {
    func append(_ event: LogEvent, to bytes: inout [UInt8]) {
        bytes += Array(event.message.utf8)
        bytes.append(0x0A)
    }
}

func say(_ text: String) {
    var text = text
    text.withUTF8 { _ = write(1, $0.baseAddress, $0.count) }
}

let arguments = CommandLine.arguments
alarm(arguments.contains("hanging") ? 600 : 120)  // whoever waits for this program must not wait for ever; three million lines take their time
guard arguments.count == 4 || arguments.count == 6 else { exit(64) }
let tag = arguments[2]

final class Bench: Sendable {
    let provider: FileLogProvider
    let compressed: Monitor<Int>

    init(_ policy: RollingPolicy, durability: FileDurability = .process, files: some FileSystem) throws {
        let compressed = Monitor(0)
        self.compressed = compressed
        provider = try FileLogProvider(
            in: arguments[1], format: Line(), rolling: policy, durability: durability, files: files
        ) { event in
            guard case .compressed = event else { return }
            compressed.withLock { access in
                access.value += 1
                access.broadcast()
            }
        }
    }

    func log(_ number: Int) {
        let before = provider.ledger?.delivered ?? 0
        let filler = String(repeating: "x", count: number * 37 % 200)
        provider.log(
            LogEvent(
                sequence: UInt64(number), time: LogTime(seconds: 1_763_720_960), level: .info,
                message: "\(tag) \(number) \(filler) end"))
        if provider.ledger?.delivered ?? 0 > before { say("\(number)\n") }
    }

    func waitForCompressed(_ count: Int) {
        compressed.withLock { access in
            while access.value < count { if !access.wait(until: .seconds(60)) { exit(2) } }
        }
    }
}

/// Says what became of the lines: as many as were submitted, and as many as were delivered or counted as dropped.
func logWhileTheDiskHangs(_ overflow: QueuePolicy.Overflow) throws {
    let files = FaultyFileSystem(), gate = Gate(), service = LogService()
    files.hold("append", at: gate)
    let provider = try FileLogProvider(in: arguments[1], name: tag, format: Line(), files: files)
    let file = service.register(provider, delivery: .queued(QueuePolicy(overflow: overflow)))
    for number in 1...1_000_000 { service.info("\(tag) \(number) \(filler) end") }
    gate.open()
    guard service.shutdown(by: .seconds(60)).isComplete else { return say("not complete\n") }
    say("\(file.ledger.submitted) \(file.ledger.delivered + file.ledger.dropped.values.reduce(0, +))\n")
}
let filler = String(repeating: "x", count: 300)

do {
    switch arguments[3] {
    case "hanging":
        for overflow in [QueuePolicy.Overflow.block(upTo: .milliseconds(50)), .dropNewest, .dropOldest] {
            try logWhileTheDiskHangs(overflow)
        }
        exit(0)
    case "hoarding":
        var lines: [String] = []
        for number in 1...1_000_000 { lines.append("\(tag) \(number) \(filler) end") }
        say("\(lines.count)\n")
        exit(0)
    default: break
    }
    if arguments.count == 4 {
        let bench = try Bench(
            RollingPolicy(maximumBytes: 3000, maximumArchives: 0, compression: .gzip),
            durability: arguments[3] == "power" ? .power : .process, files: SystemFileSystem())
        for number in 1... { bench.log(number) }
    }
    guard let call = Int(arguments[4]) else { exit(64) }
    let files = FaultyFileSystem(failing: call, with: arguments[5] == "before" ? .kill : .lateKill)
    switch arguments[3] {
    case "roll":
        let bench = try Bench(RollingPolicy(maximumBytes: 300, maximumArchives: 0), files: files)
        for number in 1...8 { bench.log(number) }
        try bench.provider.roll()
        for number in 9...10 { bench.log(number) }
        try bench.provider.shutdown(by: .seconds(30))
    case "compress":
        let bench = try Bench(
            RollingPolicy(maximumBytes: 100_000, maximumArchives: 0, compression: .gzip), files: files)
        for round in 1...2 {
            for number in (round * 3 - 2)...(round * 3) { bench.log(number) }
            try bench.provider.roll()
            bench.waitForCompressed(round)
        }
        bench.log(7)
        try bench.provider.shutdown(by: .seconds(30))
    case "power":
        let bench = try Bench(
            RollingPolicy(maximumBytes: 300, maximumArchives: 0), durability: .power, files: files)
        for number in 1...6 { bench.log(number) }
        try bench.provider.shutdown(by: .seconds(30))
    default: exit(64)
    }
    say("done\n")
} catch {
    say("\(error)\n")
    exit(1)
}
