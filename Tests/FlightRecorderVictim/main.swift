// FlightRecorderVictim FILE THREADS
//
// Logs to a flight recorder from several threads until it is killed. After each call has returned, it writes a line of the thread
// and the event's number within it to standard output. With no threads it logs one event and returns.
import LogbookCore
import LogbookFlightRecorder

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

func say(_ text: String) {
    var text = text
    text.withUTF8 { _ = write(1, $0.baseAddress, $0.count) }
}

guard CommandLine.arguments.count == 3, let threads = Int(CommandLine.arguments[2]) else { exit(64) }
let service = LogService()
do {
    let recorder = try FlightRecorder(
        path: CommandLine.arguments[1], capacityBytes: FlightRecorder.capacities.lowerBound)
    service.register(recorder)
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
