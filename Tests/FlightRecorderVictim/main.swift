// FlightRecorderVictim FILE THREADS
//
// Logs to a flight recorder from several threads until it is killed. After each call has returned, it writes a line of the thread
// and the event's number within it to standard output. With no threads it logs one event and returns.
//
// FlightRecorderVictim FILE THREADS WRITTEN
//
// Records losses in the file instead, and logs to a queue in front of a slow sink, which writes the same lines to the file WRITTEN; what an
// earlier run lost it says first: `lost ATLEAST ATMOST`.
import LogbookCore
import LogbookFlightRecorder

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

func say(_ text: String, to file: Int32 = 1) {
    var text = text
    text.withUTF8 { _ = write(file, $0.baseAddress, $0.count) }
}

/// Takes its time, and tells what a batch has become only when it is over.
struct SlowSink: BatchSink {
    let file: Int32

    func write(_ batch: [LogEvent]) throws {
        for event in batch where event.category != LogService.lossCategory {
            say(event.message.split(separator: " ").prefix(2).joined(separator: " ") + "\n", to: file)
            if event.sequence % 8 == 0 { usleep(100) }
        }
    }
}

guard (3...4).contains(CommandLine.arguments.count), let threads = Int(CommandLine.arguments[2]) else { exit(64) }
let service = LogService()
do {
    if CommandLine.arguments.count == 4 {
        let file = open(CommandLine.arguments[3], O_WRONLY | O_CREAT | O_APPEND, 0o600)
        service.register(sink: SlowSink(file: file), queue: QueuePolicy(batchCount: 16), name: "slow")
        for loss in try service.recordLosses(in: CommandLine.arguments[1], by: .seconds(60)) {
            say("lost \(loss.count.lowerBound) \(loss.count.upperBound)\n")
        }
    } else {
        let recorder = try FlightRecorder(
            path: CommandLine.arguments[1], capacityBytes: FlightRecorder.capacities.lowerBound)
        service.register(recorder)
    }
} catch {
    say("\(error)\n")
    exit(1)
}
for thread in 0..<threads {
    LogThread.start("victim") {
        for number in 1... {
            service.verbose("\(thread) \(number) \(String(repeating: "x", count: number * 7 % 200))")
            say("\(thread) \(number)\n")
        }
    }
}
if threads == 0 { service.info("all is well") }
while threads > 0 { pause() }
