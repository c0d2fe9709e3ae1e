import LogbookCore
import LogbookDelivery
import LogbookFormat
import LogbookHTTP
import LogbookTestKit
import Testing

@testable import LogbookRemote

/// Doubles of services that cannot run here: they refuse what the service's documentation says it refuses, and hand out what they
/// took.
enum StrictDouble: String, CaseIterable, Sendable {
    case loki, otlp, otlpProtobuf, splunk, datadog, loggly, logstash
    /// Who takes OTLP and answers in a way of their own.
    case lokiOTLP, fluentBit, victoriaLogs, openObserve
    /// Who takes Datadog's place.
    case vector

    func destination(at url: String) -> any LogDestination {
        switch self {
        case .loki: .loki(url: url, labels: ["job": "j", "env": "test"], authorization: .bearer("right")) as LokiDestination
        case .otlp, .openObserve: .otlp(url: url, service: "s", encoding: .json, authorization: .bearer("right")) as OTLPDestination
        case .otlpProtobuf, .lokiOTLP, .fluentBit, .victoriaLogs:
            .otlp(url: url, service: "s", authorization: .bearer("right")) as OTLPDestination
        case .splunk: .splunk(url: url, token: "right", host: "h") as SplunkDestination
        case .datadog, .vector: DatadogDestination(url: url + "/api/v2/logs", apiKey: "right", service: "s", tags: ["env:test"])
        case .loggly: LogglyDestination(token: "right", tags: ["a", "b"], host: url)
        case .logstash: .logstash(url: url + "/", authorization: .bearer("right")) as LogstashDestination
        }
    }

    private struct Refusal: Error {
        let status: Int
        let reason: String
        init(_ status: Int, _ reason: String) {
            self.status = status
            self.reason = reason
        }
    }

    /// The messages in a request that the service would take, each under what it would tell duplicates by.
    func take(_ request: LoopbackServer.Request) -> Result<[(key: String, message: String)], LoopbackAnswer> {
        do {
            return .success(try messages(request))
        } catch let refusal as Refusal {
            return .failure(LoopbackAnswer(status: refusal.status, body: refusal.reason))
        } catch {
            return .failure(LoopbackAnswer(status: 400, body: "\(error)"))
        }
    }

    struct LoopbackAnswer: Error {
        let status: Int
        let body: String
    }

    /// What the service says when it has taken everything.
    var success: LoopbackServer.Answer {
        switch self {
        case .loki, .lokiOTLP: .status(204)
        case .fluentBit: .status(201)
        case .victoriaLogs, .vector: .status(200)
        case .openObserve: .status(200, headers: [HTTPHeader("Content-Type", "application/json")])
        case .otlp: .status(200, headers: [HTTPHeader("Content-Type", "application/json")], body: "{}")
        case .otlpProtobuf: .status(200, headers: [HTTPHeader("Content-Type", "application/x-protobuf")])
        case .splunk: .status(200, body: #"{"text":"Success","code":0}"#)
        case .datadog: .status(202, body: "{}")
        case .loggly: .status(200, body: #"{"response" : "ok"}"#)
        case .logstash: .status(200, body: "ok")
        }
    }

    private func require(_ condition: Bool, _ status: Int, _ reason: String) throws {
        if !condition { throw Refusal(status, reason) }
    }

    private func text(_ value: JSONValue?, _ name: String) throws -> String {
        guard case .string(let text)? = value else { throw Refusal(400, "\(name) must be a string") }
        return text
    }

    private func array(_ value: JSONValue?, _ name: String) throws -> [JSONValue] {
        guard case .array(let values)? = value else { throw Refusal(400, "\(name) must be an array") }
        return values
    }

    private func ourLine(_ text: String) throws -> (key: String, message: String) {
        let (event, origin) = try JSONLineFormat.parse(Array(text.utf8))
        return (KeyedEvent(event, origin: origin ?? Sample.origin).key, event.message)
    }

    private func messages(_ request: LoopbackServer.Request) throws -> [(key: String, message: String)] {
        try require(request.method == "POST", 405, "POST only")
        let body = FakeCollector.content(request)
        let type = request.header("Content-Type") ?? ""
        func authorized(_ header: String, _ value: String) throws {
            try require(request.header(header) == value, 401, "who are you?")
        }
        switch self {
        case .loki:
            try authorized("Authorization", "Bearer right")
            try require(request.target == "/loki/api/v1/push", 404, "not here")
            try require(type == "application/json", 400, "content type")
            var found: [(String, String)] = []
            for stream in try array(JSONValue.parse(body)["streams"], "streams") {
                guard case .object(let labels)? = stream["stream"], (1...15).contains(labels.count) else {
                    throw Refusal(400, "1 to 15 labels")
                }
                var latest: Int64 = .min
                for value in try array(stream["values"], "values") {
                    let pair = try array(value, "value")
                    try require(pair.count == 2, 400, "time and line")
                    guard let time = Int64(try text(pair[0], "time")) else { throw Refusal(400, "nanoseconds as text") }
                    try require(time >= latest, 400, "out of order")
                    latest = time
                    let line = try text(pair[1], "line")
                    try require(line.utf8.count <= 256 << 10, 400, "line too long")
                    found.append(("\(labels.map(\.value))\(time)\(line)", try ourLine(line).message))
                }
            }
            return found
        case .otlp, .openObserve:
            try authorized("Authorization", "Bearer right")
            try require(request.target == "/v1/logs", 404, "not here")
            try require(type == "application/json", 415, "content type")
            var found: [(String, String)] = []
            for resource in try array(JSONValue.parse(body)["resourceLogs"], "resourceLogs") {
                for scope in try array(resource["scopeLogs"], "scopeLogs") {
                    for record in try array(scope["logRecords"], "logRecords") { found.append(try otlp(record)) }
                }
            }
            return found
        case .otlpProtobuf, .lokiOTLP, .fluentBit, .victoriaLogs:
            try authorized("Authorization", "Bearer right")
            try require(request.target == "/v1/logs", 404, "not here")
            try require(type == "application/x-protobuf", 415, "content type")
            var found: [(String, String)] = []
            for resource in try parts(1, of: body, 1...1) {
                for scope in try parts(2, of: resource, 1...2) {
                    for record in try parts(2, of: scope, 1...2) { found.append(try otlp(record)) }
                }
            }
            return found
        case .splunk:
            try authorized("Authorization", "Splunk right")
            try require(request.target == "/services/collector/event", 404, "not here")
            try require(body.count <= 1 << 20, 413, "too large")
            return try Self.objects(body).map { object in
                guard case .object(let event)? = object["event"], !event.isEmpty else { throw Refusal(400, "no data") }
                guard case .double? = object["time"] else { throw Refusal(400, "time must be a number of seconds") }
                return (try text(object["fields"]?["event_key"], "event_key"), try text(object["event"]?["message"], "message"))
            }
        case .datadog, .vector:
            try authorized("DD-API-KEY", "right")
            try require(request.target == "/api/v2/logs", 404, "not here")
            try require(type == "application/json", 415, "content type")
            try require(body.count <= 5_000_000, 413, "too large")
            let logs = try array(JSONValue.parse(body), "the body")
            try require(logs.count <= 1000, 413, "too many")
            return try logs.map { log in
                let levels = ["emergency", "alert", "critical", "error", "warning", "notice", "info", "debug"]
                try require(levels.contains(try text(log["status"], "status")), 400, "status")
                return (try text(log["logbook"]?["key"], "key"), try text(log["message"], "message"))
            }
        case .loggly:
            try require(request.target == "/bulk/right/tag/a,b/", 403, "who are you?")
            try require(request.header("Content-Encoding") == nil, 400, "compression")
            try require(body.count <= 5 << 20 && body.last == 0x0A, 413, "too large")
            return try body.split(separator: 0x0A).map { line in
                try require(line.count <= 1 << 20, 400, "line too long")
                return try ourLine(String(decoding: line, as: UTF8.self))
            }
        case .logstash:
            try authorized("Authorization", "Bearer right")
            try require(type == "application/json", 400, "content type")
            return try array(JSONValue.parse(body), "the body").map { event in
                _ = try text(event["@timestamp"], "@timestamp")
                return (try text(event["event_key"], "event_key"), try text(event["message"], "message"))
            }
        }
    }

    private func otlp(_ record: JSONValue) throws -> (key: String, message: String) {
        guard case .object(let members) = record else { throw Refusal(400, "a record must be an object") }
        let known: Set = ["timeUnixNano", "severityNumber", "severityText", "body", "attributes", "traceId", "spanId"]
        try require(members.allSatisfy { known.contains($0.key) }, 400, "unknown field")
        try require(UInt64(try text(record["timeUnixNano"], "timeUnixNano")) != nil, 400, "64-bit numbers are text")
        guard case .integer(let severity)? = record["severityNumber"], (1...24).contains(severity) else { throw Refusal(400, "severity") }
        var keys: Set<String> = [], uid = ""
        for attribute in try array(record["attributes"], "attributes") {
            let key = try text(attribute["key"], "key")
            try require(keys.insert(key).inserted, 400, "an attribute twice")
            guard case .object(let value)? = attribute["value"], value.count <= 1 else { throw Refusal(400, "one value") }
            if key == "log.record.uid" { uid = try text(attribute["value"]?["stringValue"], "uid") }
        }
        return (uid, try text(record["body"]?["stringValue"], "body"))
    }

    /// What a message of Protocol Buffers has under a number, each a message or a text. It may have nothing but these numbers.
    private func parts(_ number: UInt64, of message: [UInt8], _ known: ClosedRange<UInt64>) throws -> [[UInt8]] {
        guard let fields = ProtobufReader.fields(message) else { throw Refusal(400, "no message") }
        try require(fields.allSatisfy { known.contains($0.field) }, 400, "unknown field")
        return try fields.filter { $0.field == number }.map { field in
            guard case .bytes(let bytes) = field.value else { throw Refusal(400, "field \(number) must not be a number") }
            return bytes
        }
    }

    private func otlp(_ record: [UInt8]) throws -> (key: String, message: String) {
        guard let body = try parts(5, of: record, 1...10).first, let message = try parts(1, of: body, 1...1).first else {
            throw Refusal(400, "a record must have a text")
        }
        var keys: Set<[UInt8]> = [], uid: [UInt8] = []
        for attribute in try parts(6, of: record, 1...10) {
            guard let key = try parts(1, of: attribute, 1...2).first, let value = try parts(2, of: attribute, 1...2).first else {
                throw Refusal(400, "an attribute must have a key and a value")
            }
            try require(keys.insert(key).inserted, 400, "an attribute twice")
            if key == Array("log.record.uid".utf8) { uid = try parts(1, of: value, 1...1).first ?? [] }
        }
        return (String(decoding: uid, as: UTF8.self), String(decoding: message, as: UTF8.self))
    }

    /// Objects one after the other, with nothing between them.
    private static func objects(_ bytes: [UInt8]) throws -> [JSONValue] {
        var objects: [JSONValue] = [], start = 0, depth = 0, isText = false, isEscaped = false
        for (place, byte) in bytes.enumerated() {
            if isEscaped { isEscaped = false; continue }
            switch byte {
            case 0x5C where isText: isEscaped = true
            case 0x22: isText.toggle()
            case 0x7B where !isText: depth += 1
            case 0x7D where !isText:
                depth -= 1
                if depth == 0 {
                    objects.append(try JSONValue.parse(Array(bytes[start...place])))
                    start = place + 1
                }
            default: break
            }
        }
        guard start == bytes.count else { throw Refusal(400, "something behind the last object") }
        return objects
    }
}

@Suite struct StrictDoublesTests {
    /// Texts that have broken somebody's format before.
    private static let hostile = [
        "plain", "two\nlines\r\n", "\"quoted\" \\ and \\n", "null \u{0} and \u{1B}[31m", "ü 🔥 \u{2028}\u{2029}\u{FEFF}", "",
        "{\"json\":[1,2]}", "]}]}", "a,b\tc", "<b>&amp;</b>", String(repeating: "long ", count: 2000), "\u{202E}ltr", "%s %n ${jndi:x}",
    ]

    @Test("47, S1: every event arrives as it was said, at strict doubles that lose an answer and are busy once", arguments: StrictDouble.allCases)
    func everythingArrivesAsItWasSaid(double: StrictDouble) throws {
        let taken = Locked<(messages: [String: String], count: Int, requests: Int)>(([:], 0, 0))
        let refusals = Locked<[String]>([])
        let server = try LoopbackServer { request in
            switch double.take(request) {
            case .failure(let answer):
                refusals.withLock { $0.append("\(answer.status): \(answer.body)") }
                return .status(answer.status, body: answer.body)
            case .success(let messages):
                let number = taken.withLock { taken in
                    taken.requests += 1
                    if taken.requests == 2 { return 2 }   // busy: nothing is taken
                    for (key, message) in messages {
                        taken.messages[key] = message
                        taken.count += 1
                    }
                    return taken.requests
                }
                if number == 1 { return .reset }   // taken, and not said
                return number == 2 ? .status(429, headers: [HTTPHeader("Retry-After", "0")]) : double.success
            }
        }
        let delivery = DeliveryPolicy(firstPause: .milliseconds(1), longestPause: .milliseconds(5))
        func make(_ destination: some LogDestination) -> RemoteLogProvider {
            RemoteLogProvider(to: destination, origin: Sample.origin, delivery: delivery)
        }
        let provider = make(double.destination(at: server.url))
        for number in 1...2500 {
            provider.log(
                LogEvent(
                    sequence: UInt64(number), time: LogTime(nanoseconds: Sample.time.nanoseconds + Int64(number % 7 * 1000 + number)),
                    level: LogLevel.allCases[number % 7], message: "\(number) " + Self.hostile[number % Self.hostile.count],
                    metadata: ["text": .string(Self.hostile[number % Self.hostile.count]), "list": [1, "a", nil], "log.record.uid": "x"],
                    thread: 7, source: LogSource(fileNamed: "A.swift", functionNamed: "f()", line: 1)))
        }
        try provider.deliver(by: .seconds(60))
        #expect(refusals.withLock { $0 } == [])
        let expected = Set((1...2500).map { "\($0) " + Self.hostile[$0 % Self.hostile.count] })
        let messages = taken.withLock { $0.messages }
        #expect(Set(messages.values) == expected)
        #expect(messages.count == 2500)
        #expect(taken.withLock { $0.count } > 2500)   // some came twice
        #expect(provider.deliveries == LogLedger(submitted: 2500, delivered: 2500))
        try provider.shutdown(by: .seconds(30))
    }

    @Test("43: strangers are told so, and nothing is lost", arguments: StrictDouble.allCases)
    func strangers(double: StrictDouble) throws {
        let server = try LoopbackServer { request in
            if case .failure(let answer) = double.take(request) { return .status(answer.status, body: answer.body) }
            return double.success
        }
        let stranger: any LogDestination =
            switch double {
            case .loki: .loki(url: server.url, labels: ["job": "j"], authorization: .bearer("wrong")) as LokiDestination
            case .otlp, .openObserve:
                .otlp(url: server.url, service: "s", encoding: .json, authorization: .bearer("wrong")) as OTLPDestination
            case .otlpProtobuf, .lokiOTLP, .fluentBit, .victoriaLogs:
                .otlp(url: server.url, service: "s", authorization: .bearer("wrong")) as OTLPDestination
            case .splunk: .splunk(url: server.url, token: "wrong") as SplunkDestination
            case .datadog, .vector: DatadogDestination(url: server.url + "/api/v2/logs", apiKey: "wrong", service: "s")
            case .loggly: LogglyDestination(token: "wrong", tags: ["a", "b"], host: server.url)
            case .logstash: .logstash(url: server.url + "/", authorization: .bearer("wrong")) as LogstashDestination
            }
        func make(_ destination: some LogDestination) -> RemoteLogProvider { RemoteLogProvider(to: destination, origin: Sample.origin) }
        let provider = make(stranger)
        for number in 1...10 { provider.log(.numbered(number)) }
        #expect(throws: RemoteLogProviderError.self) { try provider.deliver(by: .seconds(30)) }
        #expect(provider.status.state == .misconfigured)
        func update(_ destination: some LogDestination) { provider.update(to: destination) }
        update(double.destination(at: server.url))
        try provider.deliver(by: .seconds(30))
        #expect(provider.deliveries == LogLedger(submitted: 10, delivered: 10))
        try provider.shutdown(by: .seconds(30))
    }
}
