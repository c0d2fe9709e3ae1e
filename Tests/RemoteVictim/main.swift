// RemoteVictim send SPOOL PORT EPOCH [power]   logs events of that epoch until it is killed, each safe from a loss of power where told
//                                              so, and sends them and what is in the spool
// RemoteVictim drain SPOOL PORT EPOCH      sends what is in the spool, and ends
// RemoteVictim receive FOLDER PORT         stores events until it is killed, each once
// RemoteVictim post COUNT PORT             sends so many requests, and writes ten times how many bytes it has in memory
// RemoteVictim compress MEGABYTES PORT     sends that much, compressed on its way, and writes the most bytes it had in memory before
//                                          and after
// RemoteVictim names - PORT                is its network's only name server, which does not answer for some names; writes what works
//
// A sender writes the number of each event that `log` has taken to standard output. A receiver appends keys to FOLDER/stored, and to
// FOLDER/seen whatever arrives, before it answers.
import LogbookCore
import LogbookDelivery
import LogbookFormat
import LogbookHTTP
import LogbookRemote
import LogbookTestKit

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

alarm(900)   // whoever waits for this program must not wait for ever
let arguments = CommandLine.arguments
guard arguments.count >= 4, let port = UInt16(arguments[3]) else { exit(64) }

@Sendable func put(_ text: String, into descriptor: Int32) {
    var text = text
    text.withUTF8 { if write(descriptor, $0.baseAddress, $0.count) != $0.count { exit(74) } }
}

/// Uncompressed lines; no other answer than the double's counts.
struct ToTheDouble: LogDestination {
    let port: UInt16
    var takesGzip: Bool { false }
    func request(for parcel: Parcel) -> HTTPRequest {
        HTTPRequest(url: "http://127.0.0.1:\(port)/", headers: [HTTPHeader("Content-Type", parcel.contentType)], body: parcel.body)
    }
    func verdict(on response: HTTPResponse, for parcel: Parcel) -> DeliveryVerdict {
        response.status == 204 ? .delivered : .retry(after: nil, "status \(response.status)")
    }
}

func send(epoch: UInt64, durability: SpoolPolicy.Durability = .process) throws -> RemoteLogProvider {
    try RemoteLogProvider(
        to: ToTheDouble(port: port), spool: arguments[2],
        policy: SpoolPolicy(parcelEvents: 20, parcelAge: .milliseconds(2), durability: durability),
        origin: LogOrigin(installation: "I", epoch: epoch),
        delivery: DeliveryPolicy(firstPause: .milliseconds(1), longestPause: .milliseconds(5)))
}

/// Of what the kernel tells about this program.
func residentBytes(_ field: String) -> Int {
    var text = [UInt8](repeating: 0, count: 4096)
    let descriptor = open("/proc/self/status", O_RDONLY)
    defer { close(descriptor) }
    let count = max(0, read(descriptor, &text, text.count))
    let lines = String(decoding: text[..<count], as: UTF8.self).split(separator: "\n")
    let words = lines.first { $0.hasPrefix(field + ":") }?.split { $0 == " " || $0 == "\t" } ?? []
    return words.count > 1 ? (Int(words[1]) ?? 0) << 10 : 0
}

do {
    switch arguments[1] {
    case "send":
        guard let epoch = UInt64(arguments[4]) else { exit(64) }
        let provider = try send(epoch: epoch, durability: arguments.last == "power" ? .power : .process)
        for number in 1... {
            provider.log(
                LogEvent(
                    sequence: UInt64(number), time: LogTime(seconds: 1_763_720_960), level: .info,
                    message: String(repeating: "x", count: number * 37 % 200)))
            if provider.ledger?.delivered == UInt64(number) { put("\(number)\n", into: 1) }
            if number % 20 == 0 { usleep(1000) }
        }
    case "drain":
        guard let epoch = UInt64(arguments[4]) else { exit(64) }
        let provider = try send(epoch: epoch)
        try provider.deliver(by: .seconds(120))
        try provider.shutdown(by: .seconds(10))
    case "receive":
        let stored = open(arguments[2] + "/stored", O_RDWR | O_CREAT | O_APPEND, 0o600)
        let seen = open(arguments[2] + "/seen", O_RDWR | O_CREAT | O_APPEND, 0o600)
        guard stored >= 0, seen >= 0 else { exit(74) }
        var known: Set<String> = [], text: [UInt8] = [], piece = [UInt8](repeating: 0, count: 1 << 20)
        while case let count = read(stored, &piece, piece.count), count > 0 { text += piece[..<count] }
        for line in text.split(separator: 0x0A) { known.insert(String(decoding: line, as: UTF8.self)) }
        let keys = Locked(known), random = LogRandomness.system
        let server = try LoopbackServer(port: port) { request in
            var news = "", all = ""
            for line in request.body.split(separator: 0x0A) {
                guard let (event, origin) = try? JSONLineFormat.parse(Array(line)), let origin else { return .status(400) }
                let key = KeyedEvent(event, origin: origin).key + "\n"
                all += key
                if keys.withLock({ $0.insert(String(key.dropLast())).inserted }) { news += key }
            }
            put(all, into: seen)
            if !news.isEmpty { put(news, into: stored) }   // one write: a kill leaves all of it or nothing
            usleep(UInt32(random.next() % 3000))
            return .status(204)
        }
        put("listening\n", into: 1)
        while true { pause() }
        withExtendedLifetime(server) {}
    case "post":
        guard let count = Int(arguments[2]) else { exit(64) }
        let transport = CurlTransport(), body = [UInt8](repeating: 0x78, count: 1000)
        for number in 1...count {
            let request = HTTPRequest(url: "http://127.0.0.1:\(port)/", headers: [HTTPHeader("Content-Type", "text/plain")], body: body)
            guard try transport.sendAndWait(request, by: .seconds(60)).status == 200 else { exit(1) }
            if number % (count / 10) == 0 { put("\(residentBytes("VmRSS"))\n", into: 1) }
        }
    case "compress":
        guard let megabytes = Int(arguments[2]) else { exit(64) }
        let transport = CurlTransport(), url = "http://127.0.0.1:\(port)/"
        func request(_ megabytes: Int) -> HTTPRequest {
            let content = HTTPBodyStream(name: "content", bytes: megabytes << 20) { RepeatedMegabyte.read(into: $0, at: $1) }
            var request = HTTPRequest(url: url, headers: [HTTPHeader("Content-Encoding", "gzip")], stream: content.gzip())
            request.limits.total = .seconds(280)
            return request
        }
        for megabytes in [1, megabytes] {
            guard try transport.sendAndWait(request(megabytes), by: .seconds(280)).status == 200 else { exit(1) }
            put("\(residentBytes("VmHWM"))\n", into: 1)
        }
    case "names": try NameServer.run(port: port) { put($0 + "\n", into: 1) }
    default: exit(64)
    }
} catch {
    put("\(error)\n", into: 2)
    exit(1)
}
