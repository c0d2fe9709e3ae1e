import LogbookCore
import LogbookDelivery
import LogbookFiles
import LogbookFormat
import LogbookHTTP
import LogbookTestKit
import Testing

@testable import LogbookUploads

@Suite struct LogglyTests {
    private let bench = UploadBench()
    private let format = LogglyFormat(
        appName: "shop", appVersion: "1.2", language: "de",
        device: DeviceFacts(make: "KVM", os: "Debian", osVersion: "12"), sessionID: "S")

    private func line(_ message: String, _ format: LogglyFormat? = nil, at time: LogTime = LogTime(seconds: 1_763_720_960.123)) -> String {
        let event = LogEvent(
            sequence: 1, time: time, level: .info, message: message,
            source: LogSource(fileNamed: "Shop/Cart.swift", functionNamed: "open()", line: 12))
        return (format ?? self.format).string(for: event)
    }

    @Test("L1: an event is one line with Loggly's field names")
    func fields() {
        #expect(
            line("cart \"opened\"\nnow")
                == #"{"lang":"de","appname":"shop","appversion":"1.2","devicemodel":"KVM","osversion":"12","sessionid":"S","#
                + #""loglevel":"info","timestamp":"2025-11-21T10:29:20.123Z","file":"Cart.swift","#
                + #""fileandlinenumber":"Cart.swift:12","rawlogmessage":"cart \"opened\"\nnow"}"# + "\n")
    }

    @Test("L1: names of device and user, metadata, an error and an entry stand beside them")
    func furtherFields() throws {
        var format = format
        (format.deviceName, format.userID) = ("till 3", "jane")
        let entry = TransactionEntry(
            transactionID: "T1", usecase: 7, kind: .happened(3), errorCode: 5, errorDescription: "no card",
            device: DeviceFacts(make: "", os: "", osVersion: ""))
        let event = LogEvent(
            sequence: 1, time: LogTime(seconds: 1), level: .error, message: "could not pay", metadata: ["cart": 3, "loglevel": "none"],
            source: LogSource(fileNamed: "Shop/Cart.swift", line: 12), transaction: entry,
            error: LogErrorDetails(type: "Refusal", description: "declined"))
        let value = try JSONValue.parse(Array(format.string(for: event).utf8.dropLast()))
        #expect(value["devicename"] == .string("till 3") && value["userid"] == .string("jane") && value["cart"] == .integer(3))
        #expect(value["loglevel"] == .string("error") && value["rawlogmessage"] == .string("could not pay"))
        #expect(value["error"]?["type"] == .string("Refusal") && value["error"]?["message"] == .string("declined"))
        let facts = value["transaction"]
        #expect(facts?["id"] == .string("T1") && facts?["usecase"] == .integer(7) && facts?["event"] == .integer(3))
        #expect(facts?["error_code"] == .integer(5) && facts?["error_description"] == .string("no card"))
    }

    @Test("L2: the last half millisecond belongs to the next second")
    func rounding() {
        #expect(line("x", at: LogTime(nanoseconds: 1_763_720_999_999_600_000)).contains("2025-11-21T10:30:00.000Z"))
        #expect(line("x", at: LogTime(nanoseconds: 1_763_720_999_999_400_000)).contains("2025-11-21T10:29:59.999Z"))
    }

    @Test("L3: a message that is an object is taken apart, and does not replace the event's own fields")
    func objects() throws {
        let message = #"{"cart":3,"timestamp":"never","loglevel":"fatal","nested":{"a":[1,true]}}"#
        let value = try JSONValue.parse(Array(line(message).utf8.dropLast()))
        #expect(value["cart"] == .integer(3))
        #expect(value["nested"]?["a"] == .array([.integer(1), .bool(true)]))
        #expect(value["timestamp"] == .string("2025-11-21T10:29:20.123Z"))
        #expect(value["loglevel"] == .string("info"))
        #expect(value["rawlogmessage"] == .string(message))
        var format = format
        format.alwaysIncludesRawMessage = false
        #expect(try JSONValue.parse(Array(line(message, format).utf8.dropLast()))["rawlogmessage"] == nil)
        #expect(try JSONValue.parse(Array(line("plain", format).utf8.dropLast()))["rawlogmessage"] == .string("plain"))
    }

    @Test("L4: a file of 12 MB goes in requests of less than 5 MB, cut between lines, each with an id of its own")
    func pieces() async throws {
        let text = String(repeating: "x", count: 99_990)
        let lines = (1...120).map { "\($0) \(text)" }
        let provider = try bench.file(RollingPolicy(maximumBytes: 1 << 30, awaitsDelivery: true))
        try provider.write(lines.map { event($0) })
        let archive = try #require(try provider.roll())
        let transport = ScriptedTransport(.answer(HTTPResponse(status: 200, body: Array(#"{"response":"ok"}"#.utf8))))
        let uploader = try bench.uploader(to: .loggly(token: "TOKEN"), transport)
        #expect(await bench.waitForDelivered(1))
        let requests = transport.requests
        #expect(requests.count == 3)
        #expect(requests.allSatisfy { $0.body.count < 5_000_000 && $0.body.last == 0x0A })
        #expect(requests.flatMap(\.body) == Array((lines.joined(separator: "\n") + "\n").utf8))
        #expect(Set(requests.map(\.parcel)).count == 3)
        #expect(requests.allSatisfy { $0.parcel.hasPrefix(archive.id + "@") })
        #expect(bench.delivered == [archive.id])
        #expect(bench.archives == [])
        withExtendedLifetime(uploader) {}
    }

    @Test("L5: a line of 1.5 MB is cut at a character and marked, its neighbours are not", arguments: [false, true])
    func longLine(isObject: Bool) async throws {
        let long = String(repeating: "é", count: 750_000)
        let lines = ["before", isObject ? #"{"rawlogmessage":"\#(long)"}"# : long, "after"]
        let provider = try bench.file(RollingPolicy(maximumBytes: 1 << 30, awaitsDelivery: true))
        try provider.write(lines.map { event($0) })
        try provider.roll()
        let transport = ScriptedTransport(.answer(HTTPResponse(status: 200, body: Array(#"{"response":"ok"}"#.utf8))))
        let uploader = try bench.uploader(to: .loggly(token: "TOKEN"), transport)
        #expect(await bench.waitForDelivered(1))
        let body = try #require(transport.requests.first?.body)
        let sent = try #require(String(validating: body, as: UTF8.self), "cut within a character")
        let parts = sent.split(separator: "\n")
        #expect(parts.count == 3)
        #expect(parts.first == "before")
        #expect(parts.last == "after")
        #expect(parts[1].utf8.count < 1_000_000)
        #expect(parts[1].utf8.count > 900_000)
        if isObject {
            let value = try JSONValue.parse(Array(parts[1].utf8))
            #expect(value["truncatedfrom"] == .integer(Int64(lines[1].utf8.count + 1)))
        } else {
            #expect(parts[1].hasSuffix(" [cut off, 1500001 bytes]"))
        }
        withExtendedLifetime(uploader) {}
    }

    @Test(
        "L5: a line that escaping makes several times as long is cut as well, and not to nothing",
        arguments: [0x00, 0x1B, 0x22, 0xFF] as [UInt8])
    func longLineOfEscapes(byte: UInt8) throws {
        let cut = FileInPieces.cut([0x7B] + [UInt8](repeating: byte, count: 2_000_000), to: 990_000)
        #expect(cut.count <= 990_000)
        #expect(cut.count > 450_000)
        let value = try JSONValue.parse(Array(cut.dropLast()))
        #expect(value["truncatedfrom"] == .integer(2_000_001))
        #expect(cut.last == 0x0A)
    }

    @Test func aLimitThatHoldsNotEvenTheMarkLeavesTheMark() {
        let cut = FileInPieces.cut([0x7B] + [UInt8](repeating: 0x78, count: 100), to: 20)
        #expect(String(decoding: cut, as: UTF8.self) == #"{"rawlogmessage":"","truncatedfrom":101}"# + "\n")
    }

    @Test("L6: the address holds token and tags; what cannot be one is refused, and nothing shows the token")
    func address() async throws {
        let request = try UploadRequest.loggly(token: "TOKEN-1", tags: ["a", "b.c"])
        #expect(request.url == "https://logs-01.loggly.com/bulk/TOKEN-1/tag/a,b.c/")
        #expect(throws: UploadRequestError.invalidTag("a b")) { try UploadRequest.loggly(token: "T", tags: ["a b"]) }
        #expect(throws: UploadRequestError.invalidTag("a/b")) { try UploadRequest.loggly(token: "T", tags: ["a/b"]) }
        #expect(throws: UploadRequestError.invalidToken) { try UploadRequest.loggly(token: "") }
        #expect(throws: UploadRequestError.invalidToken) { try UploadRequest.loggly(token: "a/../b") }
        #expect(!UploadRequestError.invalidToken.description.contains("TOKEN"))

        try bench.roll(["one"])
        let transport = ScriptedTransport { number, _ in number == 1 ? .status(503) : .status(403) }
        let uploader = try bench.uploader(to: request, transport)
        #expect(await bench.waitForRetries(1))
        bench.clock.advance(by: .seconds(300))
        #expect(await bench.wait { $0.contains { if case .refused = $0 { true } else { false } } })
        #expect(!"\(bench.events)".contains("TOKEN"))
        withExtendedLifetime(uploader) {}
    }

    @Test("L6: a receiver that repeats the address does not have the token shown", arguments: [404, 400, 500])
    func theTokenIsNotRepeated(status: Int) async throws {
        let token = "0d1c8f2a-5b7e-4f3d-9a61-c2e7b8d4f590"
        try bench.roll(["one"])
        let page = "<pre>Cannot POST /bulk/\(token)/</pre>"
        let transport = ScriptedTransport(.answer(HTTPResponse(status: status, body: Array(page.utf8))))
        let uploader = try bench.uploader(to: .loggly(token: Secret(token)), transport)
        let isRefused = await bench.wait { events in
            events.contains { event in
                switch event {
                case .refused(_, let reason, _), .setAside(_, let reason), .willRetry(_, _, let reason, _):
                    reason.contains("Cannot POST /bulk/***/")
                default: false
                }
            }
        }
        #expect(isRefused)
        #expect(!"\(bench.events)".contains(token))
        withExtendedLifetime(uploader) {}
    }

    @Test(
        "S14: nor one that stands in the address of another receiver",
        arguments: [
            "https://example.com/receiver/v1/http/ZaVnC4dhaV2-b7Kx", "https://example.com/in?key=ZaVnC4dhaV2-b7Kx&x=1",
            "https://example.com/in?key=ZaVnC4dhaV2%2Db7Kx", "https://me:ZaVnC4dhaV2-b7Kx@example.com/in",
        ])
    func aTokenInAnAddressIsNotRepeated(url: String) async throws {
        try bench.roll(["one"])
        let transport = ScriptedTransport(.answer(HTTPResponse(status: 404, body: Array("no ZaVnC4dhaV2-b7Kx for me".utf8))))
        let uploader = try bench.uploader(to: UploadRequest(url: url), transport)
        let isRefused = await bench.wait { events in
            events.contains { if case .refused(_, let reason, _) = $0 { reason.hasSuffix("no *** for me") } else { false } }
        }
        #expect(isRefused, "\(bench.events)")
        withExtendedLifetime(uploader) {}
    }

    @Test("L7: a 200 that does not say ok is no acknowledgement", arguments: [#"{"response":"busy"}"#, "{}", "ok", ""])
    func otherAnswers(body: String) async throws {
        try bench.roll(["one"])
        let transport = ScriptedTransport { number, _ in
            .answer(HTTPResponse(status: 200, body: Array((number == 1 ? body : #"{"response":"ok"}"#).utf8)))
        }
        let uploader = try bench.uploader(to: .loggly(token: "TOKEN"), transport)
        #expect(await bench.waitForRetries(1))
        #expect(bench.archives.count == 1)
        bench.clock.advance(by: .seconds(300))
        #expect(await bench.waitForDelivered(1))
        withExtendedLifetime(uploader) {}
    }

    @Test("L7: ok is received; 403 stops; 413 goes in smaller pieces; 503 waits")
    func answers() async throws {
        let lines = (1...40).map { "\($0) " + String(repeating: "x", count: 9990) }
        let provider = try bench.file(RollingPolicy(maximumBytes: 1 << 30, awaitsDelivery: true))
        try provider.write(lines.map { event($0) })
        try provider.roll()
        let transport = ScriptedTransport { _, request in
            request.body.count > 150_000
                ? .status(413) : .answer(HTTPResponse(status: 200, body: Array(#"{"response":"ok"}"#.utf8)))
        }
        let uploader = try bench.uploader(to: .loggly(token: "TOKEN"), transport)
        for attempt in 1...2 {
            #expect(await bench.waitForRetries(attempt))
            bench.clock.advance(by: .seconds(300))
        }
        #expect(await bench.waitForDelivered(1))
        let taken = transport.requests.filter { $0.body.count <= 150_000 }
        #expect(taken.flatMap(\.body) == Array((lines.joined(separator: "\n") + "\n").utf8))
        #expect(Set(transport.requests.map(\.parcel)).count == transport.requests.count)
        withExtendedLifetime(uploader) {}
    }
}
