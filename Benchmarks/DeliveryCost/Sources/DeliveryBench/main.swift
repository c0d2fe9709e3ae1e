// DeliveryBench posts ROUNDS ROWS                        requests against libcurl's own
// DeliveryBench events ROUNDS ROWS URL FOLDER EVENTS     events through a spool to the collector at URL
// DeliveryBench table ROWS                               compares what was measured with the goals
import Baseline
import BenchSupport
import Dispatch
import Logbook
import LogbookRemote

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

let arguments = CommandLine.arguments

func fail(_ reason: String) -> Never {
    print("DeliveryBench: \(reason)")
    exit(70)
}

func add(_ name: String, _ value: Double, to path: String) {
    guard let file = fopen(path, "a") else { fail("\(path) cannot be written") }
    fputs("\(name)\t\(value)\n", file)
    fclose(file)
}

func request(_ port: Int32, bytes: Int) -> HTTPRequest {
    HTTPRequest(
        url: "http://127.0.0.1:\(port)/logs", headers: [HTTPHeader("Content-Type", "application/x-ndjson")],
        body: [UInt8](repeating: 0x78, count: bytes))
}

/// One request after the other by a caller that waits for each answer, as libcurl's own handle has it; returns seconds.
func posts(_ transport: CurlTransport, _ port: Int32, bytes: Int, count: Int) -> Double {
    let request = request(port, bytes: bytes), free = DispatchSemaphore(value: 0)
    let start = now()
    for _ in 0..<count {
        transport.send(request, lendingThreadFor: .seconds(60)) { result in
            guard case .success(let response) = result, response.status == 204 else { fail("\(result)") }
            free.signal()
        }
        free.wait()
    }
    return now() - start
}

/// Requests through the transport, so many at the same time; returns seconds.
func posts(_ transport: CurlTransport, _ port: Int32, bytes: Int, count: Int, atOnce: Int) -> Double {
    let request = request(port, bytes: bytes)
    let free = DispatchSemaphore(value: 0)
    for _ in 0..<atOnce { free.signal() }   // not as its first value, below which none may be let go
    let start = now()
    for _ in 0..<count {
        free.wait()
        transport.send(request) { result in
            guard case .success(let response) = result, response.status == 204 else { fail("\(result)") }
            free.signal()
        }
    }
    for _ in 0..<atOnce { free.wait() }
    return now() - start
}

func measurePosts(rounds: Int, rows: String) {
    let port = baseline_start_receiver(), transport = CurlTransport()
    guard port > 0 else { fail("the receiver did not start") }
    // Many short turns, each with a connection of its own on either side: how a connection falls into step with its receiver, and on which
    // core, lasts as long as it does, and is worth half of a request.
    let turns = 40
    for _ in 0...rounds {   // the first warms up
        for (name, bytes, count) in [("1 MB", 1_000_000, 75), ("64 KiB", 64 << 10, 250)] {
            var theirs = 0.0, one = 0.0, four = 0.0
            func measure(_ isOurs: Bool) {
                if isOurs {
                    let fresh = CurlTransport()
                    one += posts(fresh, port, bytes: bytes, count: count)
                } else {
                    let seconds = baseline_posts(port, bytes, Int32(count))
                    guard seconds > 0 else { fail("libcurl could not send") }
                    theirs += seconds
                }
            }
            for turn in 0..<turns {
                measure(turn % 2 == 0)
                measure(turn % 2 == 1)
            }
            for _ in 0..<turns { four += posts(transport, port, bytes: bytes, count: count, atOnce: 4) }
            let all = Double(turns * count)
            add("libcurl \(name)", all / theirs, to: rows)
            add("one \(name)", all / one, to: rows)
            add("four \(name)", all / four, to: rows)
        }
    }
}

func measureEvents(rounds: Int, rows: String, url: String, folder: String, events: Int) throws {
    for round in 1...rounds {
        for inFlight in [1, 4] {
            let spool = "\(folder)/spool-\(round)-\(inFlight)"
            let provider = try RemoteLogProvider(
                to: .collector(url: url, token: "a=b"), spool: spool, policy: SpoolPolicy(maximumBytes: 4 << 30),
                delivery: DeliveryPolicy(parcelsInFlight: inFlight))
            let service = LogService()
            service.register(provider: provider)
            let start = now()
            for number in 0..<events {
                service.info("payment \(number) took \(number % 997) ms at gateway \(number % 7)", metadata: ["gateway": "north"])
            }
            let logged = now() - start
            try provider.deliver(by: .seconds(300))
            let all = now() - start
            guard provider.deliveries.delivered == UInt64(events) else { fail("\(provider.deliveries)") }
            add("logged \(inFlight)", Double(events) / logged, to: rows)
            add("events \(inFlight)", Double(events) / all, to: rows)
            try service.shutdown(by: .seconds(30))
        }
    }
}

switch arguments.count > 1 ? arguments[1] : "" {
case "posts" where arguments.count == 4: measurePosts(rounds: Int(arguments[2]) ?? 1, rows: arguments[3])
case "events" where arguments.count == 7:
    do {
        try measureEvents(
            rounds: Int(arguments[2]) ?? 1, rows: arguments[3], url: arguments[4], folder: arguments[5], events: Int(arguments[6]) ?? 1)
    } catch { fail("\(error)") }
case "table" where arguments.count == 3: exit(printTable(of: arguments[2]) ? 0 : 1)
default: fail("usage: see the first lines of main.swift")
}
