import LogbookCore
import LogbookFormat
import LogbookGzip
import LogbookHTTP
import LogbookTestKit

/// What a collector would say to a request, and what it would have stored.
final class FakeCollector: Sendable {
    private let stored = Locked<[String: Int]>([:])
    private let messages = Locked<[String]>([])

    /// Acknowledges the parcel; events seen before count as duplicates.
    func acknowledge(_ headers: [HTTPHeader], _ body: [UInt8]) -> HTTPResponse {
        let parcel = headers.first { $0.name.lowercased() == "logbook-parcel" }?.value ?? ""
        var accepted = 0
        var duplicates = 0
        for line in Self.lines(headers, body) {
            let key = "\(line["installation"]!)/\(line["epoch"]!)/\(line["sequence"]!)"
            let isNew = stored.withLock { stored in
                stored[key, default: 0] += 1
                return stored[key] == 1
            }
            if isNew { accepted += 1 } else { duplicates += 1 }
            if isNew, case .string(let message)? = line["message"] { messages.withLock { $0.append(message) } }
        }
        return Self.acknowledgement(parcel, accepted, duplicates, 0)
    }

    func acknowledge(_ request: HTTPRequest) -> HTTPResponse { acknowledge(request.headers, request.body) }

    /// Acknowledges everything.
    func willing() -> ScriptedTransport { ScriptedTransport { [self] _, request in .answer(acknowledge(request)) } }

    static func acknowledgement(_ parcel: String, _ accepted: Int, _ duplicates: Int, _ rejected: Int) -> HTTPResponse {
        let text =
            #"{"parcel":"\#(parcel)","accepted":\#(accepted),"duplicates":\#(duplicates),"rejected":\#(rejected)}"#
        return HTTPResponse(
            status: 200, headers: [HTTPHeader("Content-Type", "application/json")], body: Array(text.utf8))
    }

    /// The request's lines, read as JSON.
    static func lines(_ headers: [HTTPHeader], _ body: [UInt8]) -> [JSONValue] {
        let isGzip = headers.contains(HTTPHeader("Content-Encoding", "gzip"))
        let bytes = isGzip ? (try? Gzip.inflate(body, limit: 16 << 20)) ?? [] : body
        return bytes.split(separator: 0x0A).compactMap { try? JSONValue.parse(Array($0)) }
    }

    /// The body without its compression.
    static func content(_ request: LoopbackServer.Request) -> [UInt8] {
        guard request.header("Content-Encoding") == "gzip" else { return request.body }
        return (try? Gzip.inflate(request.body, limit: 64 << 20)) ?? []
    }

    static func lines(_ request: HTTPRequest) -> [JSONValue] { lines(request.headers, request.body) }

    /// How often each event arrived.
    var arrivals: [Int] { stored.withLock { Array($0.values) } }
    /// Each event once, in the order of arrival.
    var received: [String] { messages.withLock { $0 } }
}

extension LogEvent {
    static func numbered(_ sequence: Int, _ level: LogLevel = .info, message: String? = nil) -> LogEvent {
        LogEvent(
            sequence: UInt64(sequence), time: LogTime(nanoseconds: Int64(sequence)), level: level,
            message: message ?? "event \(sequence)")
    }
}
