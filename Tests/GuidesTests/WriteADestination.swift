import Logbook
import LogbookRemote
import LogbookTestKit
import Testing

// The code of Plugins-Docs/WriteADestination.md, to the letter: GuideBlocksTests compares the two.

struct OrderStore: LogDestination {
    let url: String
    let token: Secret

    var contentType: String { "text/plain; charset=utf-8" }
    var limits: DestinationLimits { DestinationLimits(events: 500, bytes: 1 << 20) }

    func encode(_ events: [KeyedEvent]) -> [UInt8] {
        var lines = ""
        for event in events {
            let text = event.event.message.split(whereSeparator: \.isNewline).joined(separator: " ")
            lines += "\(event.key) \(event.event.level.name) \(text)\n"
        }
        return Array(lines.utf8)
    }

    func request(for parcel: Parcel) -> HTTPRequest {
        var headers = [HTTPHeader("Content-Type", parcel.contentType), HTTPHeader("Authorization", "Bearer " + token.revealed)]
        if let encoding = parcel.contentEncoding { headers.append(HTTPHeader("Content-Encoding", encoding)) }
        return HTTPRequest(url: url, headers: headers, body: parcel.body, stream: parcel.stream)
    }

    func verdict(on response: HTTPResponse, for parcel: Parcel) -> DeliveryVerdict {
        guard response.status == 200 else { return .refusal(by: response) }
        guard response.header("Lines-Stored") == "\(parcel.count)" else {
            return .retry(after: nil, "200 without Lines-Stored; is this a line store?")
        }
        return .delivered
    }
}

@Suite struct WriteADestinationTests {
    @Test func plainHTTPNeedsNoDestination() {
        let key: Secret = "k"
        let audit = RemoteLogProvider(
            to: .http(url: "https://audit.example.com/in", headers: [HTTPHeader("X-Key", key.revealed)], body: .jsonArray))
        #expect(audit.deliveries == LogLedger())
    }

    @Test func theOrderStoreStores() throws {
        let transport = ScriptedTransport { _, request in
            .answer(HTTPResponse(status: 200, headers: [HTTPHeader("Lines-Stored", "2")]))
        }
        let provider = RemoteLogProvider(to: OrderStore(url: "http://127.0.0.1:1", token: "hush"), transport: transport)
        let service = LogService()
        service.register(provider, from: .info)
        service.info("one\nline")
        service.info("two")
        try provider.deliver(by: .seconds(30))
        #expect(provider.deliveries == LogLedger(submitted: 2, delivered: 2))
        #expect(transport.requests[0].headers.contains(HTTPHeader("Authorization", "Bearer hush")))
        try provider.shutdown(by: .seconds(30))
    }

    @Test func oneEventIsOneLineOfTheOrderStoreWhateverItsMessageHolds() {
        let event = LogEvent(sequence: 7, time: LogTime(nanoseconds: 0), level: .info, message: "one\r\ntwo\nthree\rfour\u{2028}five")
        let store = OrderStore(url: "http://127.0.0.1:1", token: "hush"), origin = LogOrigin(installation: "I", epoch: 1)
        let bytes = store.encode([KeyedEvent(event, origin: origin)])
        #expect(String(decoding: bytes, as: UTF8.self) == "I-1-7 info one two three four five\n")
    }

    @Test func inAFolderEventsOutliveTheProgram() throws {
        let files = TemporaryFolder(), folder = files.path, token: Secret = "hush", service = LogService()
        let server = try LoopbackServer { _ in .status(503) }
        let url = server.url
        let letters = try DeadLetterFolder(at: folder + "/dead-letters")
        let store = try RemoteLogProvider(to: OrderStore(url: url, token: token), spool: folder + "/spool", deadLetters: letters)
        service.register(store, from: .info)
        service.info("kept")
        _ = service.shutdown(by: .milliseconds(50))
        #expect(store.deliveries == LogLedger(submitted: 1))
        #expect(files.names(in: "spool").contains { $0.hasSuffix(".events") })
    }
}
