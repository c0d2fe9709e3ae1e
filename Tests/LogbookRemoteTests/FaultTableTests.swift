import LogbookCore
import LogbookDelivery
import LogbookFormat
import LogbookHTTP
import LogbookRemote
import LogbookTestKit
import Testing

/// What may go wrong between a provider and a receiver, over real connections, with events in memory and in a folder. After each
/// fault the receiver recovers, and then every event has arrived once and the books agree.
@Suite(.serialized) struct FaultTableTests {
    enum Storage: CaseIterable { case memory, folder }

    /// A receiver that stores each event once, and what it does first.
    final class Receiver: Sendable {
        typealias Fault = @Sendable (LoopbackServer.Request, Int) -> LoopbackServer.Answer?

        let collector = FakeCollector()
        private let state = Locked<(fault: Fault, count: Int, isHealed: Bool)>(({ _, _ in nil }, 0, false))

        init(_ fault: @escaping Fault) { state.withLock { $0.fault = fault } }

        /// From now on it does what it should.
        func heal() { state.withLock { $0.isHealed = true } }
        /// How many requests have come.
        var count: Int { state.withLock { $0.count } }

        func answer(_ request: LoopbackServer.Request) -> LoopbackServer.Answer {
            let (fault, count, isHealed) = state.withLock { state in
                state.count += 1
                return (state.fault, state.count, state.isHealed)
            }
            if !isHealed, let answer = fault(request, count) { return answer }
            return .response(collector.acknowledge(request.headers, request.body))
        }
    }

    /// A collector that is waited for no longer than half a second.
    struct Hasty: LogDestination {
        let collector: CollectorDestination
        func request(for parcel: Parcel) throws -> HTTPRequest {
            var request = try collector.request(for: parcel)
            request.limits.total = .milliseconds(500)
            return request
        }
        func verdict(on response: HTTPResponse, for parcel: Parcel) -> DeliveryVerdict {
            collector.verdict(on: response, for: parcel)
        }
    }

    final class Bench {
        let clock = ManualClock(now: LogTime(seconds: 1_763_720_960))
        let folder = TemporaryFolder()
        let events = Locked<[CourierEvent]>([])
        let provider: RemoteLogProvider
        let storage: Storage

        init(_ storage: Storage, url: String, transport: any HTTPTransport = CurlTransport(), hasty: Bool = false) throws {
            self.storage = storage
            let collector = CollectorDestination(url: url, token: "hush"), origin = LogOrigin(installation: "I", epoch: 7)
            let note: @Sendable (CourierEvent) -> Void = { [events] event in events.withLock { $0.append(event) } }
            let clock = clock, folder = folder
            func make(_ destination: some LogDestination) throws -> RemoteLogProvider {
                switch storage {
                case .memory:
                    RemoteLogProvider(
                        to: destination, origin: origin, transport: transport, clock: .manual(clock), randomness: .seeded(1),
                        onEvent: note)
                case .folder:
                    try RemoteLogProvider(
                        to: destination, spool: folder.path + "/spool", origin: origin, transport: transport, clock: .manual(clock),
                        randomness: .seeded(1), onEvent: note)
                }
            }
            provider = try hasty ? make(Hasty(collector: collector)) : make(collector)
        }

        func log(_ count: Int) { for number in 1...count { provider.log(.numbered(number)) } }

        /// Lets time pass until so many attempts have failed.
        func waitForFailures(_ count: Int) -> Bool {
            let deadline = LogDeadline.seconds(60)
            provider.log(.numbered(1_000_000, .error, message: "hurry"))
            while !deadline.hasPassed {
                let failures = events.withLock { events in
                    events.count { if case .willRetry = $0 { true } else if case .misconfigured = $0 { true } else { false } }
                }
                if failures >= count { return true }
                if provider.status.state == .waiting { clock.advance(by: .seconds(1)) }
            }
            return false
        }

        /// Lets time pass until everything is delivered.
        func finish() throws {
            let deadline = LogDeadline.seconds(60)
            while provider.deliveries.pending > 0 && !deadline.hasPassed {
                if provider.status.state == .waiting { clock.advance(by: .seconds(1)) }
                _ = try? provider.deliver(by: .milliseconds(5))
            }
            try provider.shutdown(by: .seconds(30))
        }

        /// Everything that was logged is there once, and the books agree.
        func expectAll(_ count: Int, at collector: FakeCollector, _ fault: String) {
            #expect(Set(collector.received) == Set((1...count).map { "event \($0)" } + ["hurry"]), "\(fault)")
            #expect(collector.received.count == count + 1, "\(fault)")
            let all = UInt64(count + 1)
            #expect(provider.deliveries == LogLedger(submitted: all, delivered: all), "\(fault)")
            #expect(provider.ledger == LogLedger(submitted: all, delivered: all), "\(fault)")
            if storage == .folder {
                #expect(folder.names(in: "spool").filter { !$0.hasSuffix(".lane") } == [], "\(fault)")
            }
        }
    }

    /// The receiver fails three times in a way, and then works.
    func expectRecovery(_ storage: Storage, _ name: String, hasty: Bool = false, _ fault: @escaping Receiver.Fault) throws {
        let receiver = Receiver(fault)
        let server = try LoopbackServer { receiver.answer($0) }
        let bench = try Bench(storage, url: server.url, hasty: hasty)
        bench.log(20)
        #expect(bench.waitForFailures(3), "\(name)")
        #expect(bench.provider.deliveries.pending == 21, "\(name): an answer that is none deleted something")
        receiver.heal()
        try bench.finish()
        bench.expectAll(20, at: receiver.collector, name)
    }

    // MARK: Answers

    @Test("41: failures of the receiver", arguments: [500, 502, 503, 504, 408, 425], Storage.allCases)
    func failures(status: Int, storage: Storage) throws {
        try expectRecovery(storage, "\(status)") { _, _ in .status(status) }
    }

    @Test("42: a receiver that says when to come back is not asked earlier", arguments: [429, 503], Storage.allCases)
    func retryAfter(status: Int, storage: Storage) throws {
        let times = Locked<[LogTime]>([]), turn = Locked<ManualClock?>(nil)
        let receiver = Receiver { _, count in
            turn.withLock { clock in times.withLock { times in times.append(clock!.now) } }
            switch count {
            case 1: return .status(status, headers: [HTTPHeader("Retry-After", "30")])
            case 2:
                return .status(
                    status, headers: [
                        HTTPHeader("Date", "Fri, 21 Nov 2025 10:29:00 GMT"), HTTPHeader("Retry-After", "Fri, 21 Nov 2025 10:29:40 GMT"),
                    ])
            case 3: return .status(status, headers: [HTTPHeader("Retry-After", "1000000000")])
            case 4: return .status(status, headers: [HTTPHeader("Retry-After", "after lunch")])
            default: return nil
            }
        }
        let server = try LoopbackServer { receiver.answer($0) }
        let bench = try Bench(storage, url: server.url)
        turn.withLock { $0 = bench.clock }
        bench.log(20)
        #expect(bench.waitForFailures(4))
        try bench.finish()
        bench.expectAll(20, at: receiver.collector, "\(status)")
        let waited = times.withLock { times in zip(times.dropFirst(), times).map { ($0.nanoseconds - $1.nanoseconds) / 1_000_000_000 } }
        #expect(waited[0] >= 30 && waited[1] >= 40 && waited[2] >= 3600)
        let pauses = bench.events.withLock { events in
            events.compactMap { if case .willRetry(_, let after, _, _, let isAsked) = $0 { (after, isAsked) } else { nil } }
        }
        #expect(pauses.map(\.1) == [true, true, true, false])
        #expect(pauses.prefix(3).map(\.0) == [.seconds(30), .seconds(40), .seconds(3600)])   // a year is an hour
        #expect(pauses[3].0 <= .seconds(16))                                                  // and lunch is our own pause
    }

    @Test("43: refusals keep everything, are repeated after a quarter of an hour, and end with another token", arguments: [
        401, 403, 404, 405, 421, 301, 302, 307,
    ], Storage.allCases)
    func refusals(status: Int, storage: Storage) throws {
        let receiver = Receiver { request, _ in request.header("Authorization") == "Bearer new" ? nil : .status(status) }
        let server = try LoopbackServer { receiver.answer($0) }
        let bench = try Bench(storage, url: server.url)
        bench.log(20)
        #expect(bench.waitForFailures(1))
        #expect(bench.provider.status.state == .misconfigured)
        for _ in 0..<890 { bench.clock.advance(by: .seconds(1)) }
        #expect(receiver.count == 1)
        bench.clock.advance(by: .seconds(10))
        #expect(bench.waitForFailures(2))
        #expect(bench.provider.deliveries.pending == 22)   // with the two that hurried
        bench.provider.update(to: .collector(url: server.url, token: "new"))
        try bench.finish()
        #expect(receiver.collector.received.filter { $0.hasPrefix("event") } == (1...20).map { "event \($0)" })
        #expect(bench.provider.deliveries.pending == 0 && bench.provider.deliveries.droppedTotal == 0)
    }

    @Test("44: one poison event in 1,000, over a real connection", arguments: Storage.allCases)
    func poison(storage: Storage) throws {
        let receiver = Receiver { request, _ in
            FakeCollector.lines(request.headers, request.body).contains { $0["message"] == .string("event 500") }
                ? .status(422, body: "no") : nil
        }
        let server = try LoopbackServer { receiver.answer($0) }
        let bench = try Bench(storage, url: server.url)
        bench.log(1000)
        _ = try? bench.provider.deliver(by: .seconds(60))
        #expect(receiver.collector.received == (1...1000).filter { $0 != 500 }.map { "event \($0)" })
        #expect(receiver.count <= 22)
        #expect(bench.provider.deliveries == LogLedger(submitted: 1000, delivered: 999, dropped: [.rejectedByServer: 1]))
        try bench.provider.shutdown(by: .seconds(30))
    }

    @Test("45: a receiver that takes 4 KiB, and events that are larger", arguments: Storage.allCases)
    func tooLarge(storage: Storage) throws {
        let receiver = Receiver { request, _ in FakeCollector.content(request).count > 4096 ? .status(413) : nil }
        let server = try LoopbackServer { receiver.answer($0) }
        let bench = try Bench(storage, url: server.url)
        for number in 1...200 {
            bench.provider.log(.numbered(number, message: number == 50 ? String(repeating: "x", count: 5000) : "event \(number)"))
        }
        _ = try? bench.provider.deliver(by: .seconds(60))
        #expect(receiver.collector.received == (1...200).filter { $0 != 50 }.map { "event \($0)" })
        #expect(bench.provider.deliveries == LogLedger(submitted: 200, delivered: 199, dropped: [.rejectedByServer: 1]))
        try bench.provider.shutdown(by: .seconds(30))
    }

    @Test("48: answers that say success and acknowledge nothing", arguments: [
        "", "{", "[]", "<html>hotel</html>", #"{"parcel":"another","accepted":21,"duplicates":0,"rejected":0}"#, "\u{0}\u{1}\u{2}",
    ], Storage.allCases)
    func noAcknowledgement(body: String, storage: Storage) throws {
        try expectRecovery(storage, body) { _, _ in .status(200, body: body) }
    }

    @Test("48: 204, a body that is cut off, and what is no HTTP", arguments: [
        "HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"parcel\":", "SSH-2.0-OpenSSH_9.2\r\n",
        "HTTP/1.1 200", "",
    ], Storage.allCases)
    func rawAnswers(bytes: String, storage: Storage) throws {
        try expectRecovery(storage, bytes) { _, _ in .raw(Array(bytes.utf8)) }
    }

    // MARK: Connections

    @Test("46: a receiver that says nothing, and one that stops in the middle", arguments: [false, true], Storage.allCases)
    func silence(beginsToAnswer: Bool, storage: Storage) throws {
        let over = Gate()
        defer { over.open() }
        try expectRecovery(storage, "silence", hasty: true) { _, _ in
            guard beginsToAnswer else { return .after(over, .reset) }
            return .stream { write in
                _ = write(Array("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{".utf8))
                over.wait()
            }
        }
    }

    @Test("46, 60: shutdown keeps to its deadline while a receiver says nothing", arguments: Storage.allCases)
    func shutdownDuringSilence(storage: Storage) throws {
        let over = Gate(), receiver = Receiver { _, _ in .after(over, .reset) }
        defer { over.open() }
        let server = try LoopbackServer { receiver.answer($0) }
        let bench = try Bench(storage, url: server.url)
        bench.log(20)
        bench.provider.log(.numbered(21, .error))
        #expect(server.waitForRequests(1))
        let start = LogClock.system.monotonicNanoseconds()
        #expect(throws: RemoteLogProviderError.self) { try bench.provider.shutdown(by: .milliseconds(200)) }
        #expect(LogClock.system.monotonicNanoseconds() - start < 20_000_000_000)
        #expect(bench.provider.deliveries.pending == 21)
    }

    @Test("47: a reset before the body, and after it", arguments: Storage.allCases)
    func resets(storage: Storage) throws {
        try expectRecovery(storage, "after the body") { _, _ in .reset }

        let receiver = Receiver { _, _ in nil }, resets = Locked(3)
        let server = try LoopbackServer(atHead: { _ in
            resets.withLock { left in
                left -= 1
                return left >= 0 ? .reset : nil
            }
        }) { receiver.answer($0) }
        let bench = try Bench(storage, url: server.url)
        bench.log(20)
        #expect(bench.waitForFailures(3))
        try bench.finish()
        bench.expectAll(20, at: receiver.collector, "before the body")
    }

    @Test("47: an answer that is lost after the receiver has stored: the same again, stored once", arguments: Storage.allCases)
    func lostAnswers(storage: Storage) throws {
        let stored = Locked<FakeCollector?>(nil)
        let receiver = Receiver { request, _ in
            _ = stored.withLock { $0 }?.acknowledge(request.headers, request.body)
            return .reset
        }
        stored.withLock { $0 = receiver.collector }
        let server = try LoopbackServer { receiver.answer($0) }
        let bench = try Bench(storage, url: server.url)
        bench.log(20)
        #expect(bench.waitForFailures(3))
        receiver.heal()
        try bench.finish()
        bench.expectAll(20, at: receiver.collector, "lost answers")
        #expect(receiver.collector.arrivals.contains { $0 > 1 })   // seen more than once
        let first = server.requests.prefix(4)
        #expect(Set(first.map { $0.header("Logbook-Parcel") }).count == 1)
        #expect(Set(first.map(\.body)).count == 1)
    }

    @Test("49: answers without an end", arguments: ["body", "headers", "interim"], Storage.allCases)
    func endlessAnswers(kind: String, storage: Storage) throws {
        try expectRecovery(storage, kind) { _, _ in
            .stream { write in
                let piece: [UInt8]
                switch kind {
                case "body":
                    guard write(Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)) else { return }
                    piece = Array("1000\r\n".utf8) + [UInt8](repeating: 0x78, count: 4096) + Array("\r\n".utf8)
                case "headers":
                    guard write(Array("HTTP/1.1 200 OK\r\n".utf8)) else { return }
                    piece = Array("X-More: \(String(repeating: "x", count: 1000))\r\n".utf8)
                default: piece = Array("HTTP/1.1 100 Continue\r\nX: \(String(repeating: "x", count: 500))\r\n\r\n".utf8)
                }
                while write(piece) {}
            }
        }
    }

    @Test("49: an answer that drips byte by byte is given up in time", arguments: Storage.allCases)
    func drip(storage: Storage) throws {
        let pause = Monitor(())
        try expectRecovery(storage, "drip", hasty: true) { _, _ in
            .stream { write in
                _ = write(Array("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n".utf8))
                while write([0x20]) { pause.withLock { _ = $0.wait(until: .milliseconds(50)) } }
            }
        }
    }

    @Test("50: redirects to another host, to a file, to plain http and in a circle are not followed, and no token goes there", arguments: [
        301, 302, 303, 307, 308,
    ], Storage.allCases)
    func redirects(status: Int, storage: Storage) throws {
        let elsewhere = try LoopbackServer { _ in .status(200) }
        for location in [elsewhere.url + "/", "file:///etc/passwd", "http://example.invalid/", "/v1/logs"] {
            let receiver = Receiver { _, _ in .status(status, headers: [HTTPHeader("Location", location)]) }
            let server = try LoopbackServer { receiver.answer($0) }
            let bench = try Bench(storage, url: server.url)
            bench.log(20)
            #expect(bench.waitForFailures(1))
            #expect(bench.provider.status.state == .misconfigured)
            #expect(receiver.count == 1)
            receiver.heal()
            bench.provider.reconfigured()
            try bench.finish()
            bench.expectAll(20, at: receiver.collector, location)
        }
        #expect(elsewhere.requests.isEmpty && elsewhere.connections == 0)
    }

    @Test("51: a receiver that is not to be trusted gets nothing, and everything is kept", arguments: Storage.allCases)
    func untrusted(storage: Storage) throws {
        let receiver = Receiver { _, _ in nil }
        let isTrusted = Locked(false), real = CurlTransport()
        let transport = RelayTransport { request, completion in
            if isTrusted.withLock({ $0 }) { return real.send(request, completion: completion) }
            LogThread.start("refusal") { completion(.failure(.untrusted("self-signed certificate"))) }
            return HTTPCancellation {}
        }
        let server = try LoopbackServer { receiver.answer($0) }
        let bench = try Bench(storage, url: server.url, transport: transport)
        bench.log(20)
        #expect(bench.waitForFailures(1))
        #expect(bench.provider.status.state == .misconfigured)
        #expect(receiver.count == 0)
        isTrusted.withLock { $0 = true }
        bench.provider.reconfigured()
        try bench.finish()
        bench.expectAll(20, at: receiver.collector, "untrusted")
    }

    @Test("52: a name that does not resolve delays nobody, and the address it has later is used", arguments: Storage.allCases)
    func unknownName(storage: Storage) throws {
        let receiver = Receiver { _, _ in nil }
        let server = try LoopbackServer { receiver.answer($0) }
        let bench = try Bench(storage, url: "https://logs.invalid")
        let start = LogClock.system.monotonicNanoseconds()
        bench.log(20)
        #expect(LogClock.system.monotonicNanoseconds() - start < 10_000_000_000)
        #expect(bench.waitForFailures(1))
        #expect(bench.provider.status.state != .misconfigured)   // it goes on trying
        bench.provider.update(to: .collector(url: server.url.replacing("127.0.0.1", with: "localhost")))
        try bench.finish()
        bench.expectAll(20, at: receiver.collector, "unknown name")
    }

    @Test("53: a receiver that goes and comes back 100 times", arguments: Storage.allCases)
    func comesAndGoes(storage: Storage) throws {
        // One that the system gives to nobody's connection meanwhile.
        let receiver = Receiver { _, _ in nil }, port = try FreePorts.take(1)[0]
        var server: LoopbackServer? = try LoopbackServer(port: port) { receiver.answer($0) }
        let url = try #require(server?.url)
        let bench = try Bench(storage, url: url)
        for round in 1...100 {
            bench.provider.log(.numbered(round * 2 - 1, message: "event \(round * 2 - 1)"))
            if round % 2 == 0 { bench.clock.advance(by: .seconds(1)) }
            server?.stop()
            server = nil
            bench.provider.log(.numbered(round * 2, message: "event \(round * 2)"))
            bench.clock.advance(by: .milliseconds(500))
            server = try LoopbackServer(port: port) { receiver.answer($0) }
        }
        bench.provider.log(.numbered(1_000_000, .error, message: "hurry"))
        try bench.finish()
        bench.expectAll(200, at: receiver.collector, "comes and goes")
        // At most one attempt for each pause, and none is shorter than a second.
        #expect(receiver.count < 400)
    }

    @Test("61: what a full memory or folder drops is counted exactly", arguments: Storage.allCases)
    func full(storage: Storage) throws {
        let receiver = Receiver { _, _ in .status(503) }
        let server = try LoopbackServer { receiver.answer($0) }
        let folder = TemporaryFolder(), clock = ManualClock(now: LogTime(seconds: 1_000_000))
        let collector = CollectorDestination(url: server.url), transport = CurlTransport()
        let provider =
            switch storage {
            case .memory:
                RemoteLogProvider(to: collector, queue: RemoteQueuePolicy(maximumEvents: 500), transport: transport, clock: .manual(clock))
            case .folder:
                try RemoteLogProvider(
                    to: collector, spool: folder.path + "/spool", policy: SpoolPolicy(maximumBytes: 64 << 10, parcelEvents: 50),
                    transport: transport, clock: .manual(clock))
            }
        for number in 1...5000 { provider.log(.numbered(number)) }
        let deliveries = provider.deliveries
        #expect(deliveries.droppedTotal > 0 && deliveries.delivered == 0)
        receiver.heal()
        let deadline = LogDeadline.seconds(60)
        while provider.deliveries.pending > 0 && !deadline.hasPassed {
            clock.advance(by: .seconds(1))
            _ = try? provider.deliver(by: .milliseconds(5))
        }
        let after = provider.deliveries
        #expect(after.delivered + after.droppedTotal == 5000)
        #expect(UInt64(receiver.collector.received.count) == after.delivered)
        #expect(receiver.collector.arrivals.allSatisfy { $0 == 1 })
        try provider.shutdown(by: .seconds(30))
    }
}

/// Hands requests on, or not, as a test says.
final class RelayTransport: HTTPTransport {
    typealias Completion = @Sendable (Result<HTTPResponse, HTTPFailure>) -> Void
    private let relay: @Sendable (HTTPRequest, @escaping Completion) -> HTTPCancellation

    init(_ relay: @escaping @Sendable (HTTPRequest, @escaping Completion) -> HTTPCancellation) { self.relay = relay }

    func send(_ request: HTTPRequest, completion: @escaping Completion) -> HTTPCancellation { relay(request, completion) }
}
