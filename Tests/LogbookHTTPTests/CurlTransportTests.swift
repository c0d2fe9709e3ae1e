import Dispatch
import LogbookCore
import LogbookHTTP
import LogbookTestKit
import Testing
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

@Suite struct CurlTransportTests {
    let transport = CurlTransport()

    func send(_ request: HTTPRequest) async -> Result<HTTPResponse, HTTPFailure> {
        do { return .success(try await transport.send(request)) } catch { return .failure(error) }
    }

    @Test func theRequestArrivesAsItWasMadeAndTheAnswerComesBack() async throws {
        let server = try LoopbackServer { _ in
            .response(HTTPResponse(status: 201, headers: [HTTPHeader("X-Kind", "reply")], body: Array("stored".utf8)))
        }
        let response = try await transport.send(
            HTTPRequest(
                method: "PUT", url: server.url + "/v1/logs?a=b",
                headers: [HTTPHeader("Content-Type", "text/plain"), HTTPHeader("X-Empty", "")],
                body: Array("hello\n".utf8)))

        #expect(response.status == 201)
        #expect(response.header("x-kind") == "reply")
        #expect(response.body == Array("stored".utf8))
        let request = try #require(server.requests.first)
        #expect(request.method == "PUT")
        #expect(request.target == "/v1/logs?a=b")
        #expect(request.body == Array("hello\n".utf8))
        #expect(request.header("Content-Type") == "text/plain")
        #expect(request.header("Content-Length") == "6")
        #expect(request.header("X-Empty") == "")
        #expect(request.header("Expect") == nil)
        #expect(request.header("Accept-Encoding") == nil)
    }

    @Test(arguments: ["GET", "HEAD", "DELETE", "POST", "PUT", "PATCH"])
    func everyMethodWorksWithoutABody(method: String) async throws {
        let server = try LoopbackServer { request in
            request.method == "HEAD" ? .raw(Array("HTTP/1.1 200 OK\r\n\r\n".utf8)) : .status(200)
        }
        let response = try await transport.send(HTTPRequest(method: method, url: server.url + "/"))
        #expect(response.status == 200)
        #expect(server.requests.map(\.method) == [method])
        #expect(server.requests.first?.header("Content-Type") == nil)
    }

    @Test("what a program prints whose standard streams are closed gets into none of its requests")
    func closedStreams() async {
        await #expect(processExitsWith: .success) {
            let first = try LoopbackServer { _ in .status(200) }
            let printed = Locked(0)
            let server = try LoopbackServer { _ in
                for stream: Int32 in 0...2 where write(stream, "printed\n", 8) >= 0 { printed.withLock { $0 += 1 } }
                return .status(200)
            }
            let transport = CurlTransport()
            _ = try await transport.send(HTTPRequest(url: first.url))   // what it needs for itself it has now
            for stream: Int32 in 0...2 { close(stream) }
            for number: UInt8 in 1...3 { _ = try await transport.send(HTTPRequest(url: server.url, body: [number])) }
            #expect(server.requests.map(\.body) == [[1], [2], [3]])
            #expect(printed.withLock { $0 } == 0)
        }
    }

    @Test func aLargeBodyArrivesWholeAndWithoutWaitingForConsent() async throws {
        let server = try LoopbackServer { _ in .status(200) }
        let body = (0..<(3 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        _ = try await transport.send(HTTPRequest(url: server.url, body: body))
        #expect(server.requests.first?.body == body)
        #expect(server.requests.first?.header("Expect") == nil)
    }

    @Test func requestsInARowShareOneConnection() throws {
        let server = try LoopbackServer { _ in .status(200) }
        // Nothing is awaited: libcurl lets go of a connection that was idle for two minutes, and so long can a task wait for its turn.
        for _ in 0..<20 { _ = try transport.sendAndWait(HTTPRequest(url: server.url, body: [1, 2, 3]), by: .seconds(60)) }
        #expect(server.requests.count == 20)
        #expect(server.connections == 1)
    }

    @Test func manyRequestsAtOnceAreAllAnswered() async throws {
        let server = try LoopbackServer { request in .response(HTTPResponse(status: 200, body: request.body)) }
        let transport = transport
        let answers = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for number in 0..<50 {
                group.addTask { try await transport.send(HTTPRequest(url: server.url, body: [UInt8(number)])).body }
            }
            return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
        }
        #expect(answers.count == 50)
    }

    @Test func aConnectionThatDiedBetweenRequestsIsReplacedAndTheBodySentWhole() async throws {
        let server = try LoopbackServer { _ in .raw(Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)) }
        let body = [UInt8](repeating: 7, count: 300_000)
        for _ in 0..<5 { _ = try await transport.send(HTTPRequest(url: server.url, body: body)) }
        #expect(server.requests.map(\.body.count) == [Int](repeating: 300_000, count: 5))
    }

    @Test("a kept connection that the server resets while the body goes out is replaced, and the body sent whole")
    func aKeptConnectionThatIsResetUnderTheBodyIsReplaced() throws {
        let resets = Locked(1)
        let server = try LoopbackServer(atHead: { request in
            guard request.method == "PUT" else { return nil }
            return resets.withLock { left in
                left -= 1
                return left >= 0 ? .reset : nil
            }
        }) { _ in .status(200) }
        let body = [UInt8](repeating: 7, count: 300_000)
        let whole = HTTPBodyStream(name: "body", bytes: body.count) { buffer, offset in
            // libcurl has looked for an answer before it asks for the body: what it notices next is that it cannot send.
            #expect(server.waitForClosedConnections(1))
            buffer.copyBytes(from: body[offset..<min(body.count, offset + buffer.count)])
            return min(body.count - offset, buffer.count)
        }
        _ = try transport.sendAndWait(HTTPRequest(url: server.url, body: [1]), by: .seconds(60))
        _ = try transport.sendAndWait(HTTPRequest(method: "PUT", url: server.url, stream: whole), by: .seconds(60))
        #expect(server.requests.map(\.body) == [[1], body])
        #expect(server.connections == 2)
    }

    @Test("who replaces a kept connection has only the time that is left, if there is any", arguments: [1500, 3000])
    func aReplacedConnectionHasTheTimeThatIsLeft(milliseconds: Int) throws {
        for _ in 1...10 {
            let (starts, failure) = try losesAKeptConnection(after: .milliseconds(milliseconds))
            // On a busy machine libcurl may notice before it asks for the body, and then there is time for all of it.
            if failure == nil, starts == 1 { continue }
            guard case .timedOut? = failure else {
                Issue.record("\(String(describing: failure)) after the limit, with \(starts) starts")
                return
            }
            return
        }
        Issue.record("the connection was never lost under the body")
    }

    /// A request that may take two seconds; its kept connection is gone when its body is asked for, which takes so long.
    /// - Returns: How often the body was begun, and why there was no answer.
    private func losesAKeptConnection(after span: Duration) throws -> (starts: Int, failure: HTTPFailure?) {
        let heads = Locked(0), starts = Locked(0), never = Gate()
        let server = try LoopbackServer(atHead: { _ in
            heads.withLock { heads in
                heads += 1
                return heads == 2 ? .reset : nil
            }
        }) { _ in .status(200) }
        let slow = HTTPBodyStream(name: "body", bytes: 300_000) { buffer, offset in
            #expect(server.waitForClosedConnections(1))
            let start = starts.withLock { starts in
                if offset == 0 { starts += 1 }
                return starts
            }
            // The second time longer than what is left, and shorter than the whole.
            _ = never.waitForArrivals(1, by: .after(start == 1 ? span : .seconds(1)))
            return min(buffer.count, 300_000 - offset)
        }
        var limits = HTTPLimits()
        limits.total = .seconds(2)
        _ = try transport.sendAndWait(HTTPRequest(url: server.url, body: [1]), by: .seconds(60))
        do {
            _ = try transport.sendAndWait(HTTPRequest(method: "PUT", url: server.url, stream: slow, limits: limits), by: .seconds(60))
            return (starts.withLock { $0 }, nil)
        } catch { return (starts.withLock { $0 }, error) }
    }

    @Test func aNewConnectionThatIsResetUnderTheBodyIsNotTriedAgain() throws {
        let server = try LoopbackServer(atHead: { _ in .reset }) { _ in .status(200) }
        let whole = HTTPBodyStream(name: "body", bytes: 300_000) { buffer, _ in
            #expect(server.waitForClosedConnections(1))
            return buffer.count
        }
        #expect(throws: HTTPFailure.self) {
            try transport.sendAndWait(HTTPRequest(method: "PUT", url: server.url, stream: whole), by: .seconds(60))
        }
        #expect(server.connections == 1)
    }

    @Test func nobodyListeningIsUnreachable() async throws {
        let server = try LoopbackServer { _ in .status(200) }
        server.stop()
        guard case .failure(.unreachable(let reason)) = await send(HTTPRequest(url: server.url)) else {
            Issue.record("an answer from nobody")
            return
        }
        #expect(reason.contains("127.0.0.1"))
    }

    @Test("47: a reset before the body, after the body, or in the middle of the answer is no answer")
    func aBrokenConnectionIsUnreachable() async throws {
        let cut = Array("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort".utf8)
        for server in [
            try LoopbackServer(atHead: { _ in .reset }) { _ in .status(200) },
            try LoopbackServer { _ in .reset },
            try LoopbackServer { _ in .raw(cut) },
            try LoopbackServer { _ in .raw([]) },
        ] {
            let result = await send(HTTPRequest(url: server.url, body: [1]))
            guard case .failure(.unreachable) = result else {
                Issue.record("\(result)")
                continue
            }
        }
    }

    @Test func whatIsNoHTTPIsMalformed() async throws {
        let server = try LoopbackServer { _ in .raw(Array("220 mail.example.com ESMTP\r\n".utf8)) }
        let result = await send(HTTPRequest(url: server.url, body: [1]))
        guard case .failure(.malformedResponse) = result else {
            Issue.record("\(result)")
            return
        }
    }

    @Test("46: a server that takes the request and says nothing is given up at the limit")
    func silenceTimesOut() async throws {
        let gate = Gate()
        defer { gate.open() }
        let server = try LoopbackServer { _ in .after(gate, .status(200)) }
        var request = HTTPRequest(url: server.url, body: [1])
        request.limits.total = .milliseconds(200)
        let result = await send(request)
        guard case .failure(.timedOut) = result else {
            Issue.record("\(result)")
            return
        }
    }

    @Test("46: a server that takes the connection and never shakes hands is given up at the limit for connecting")
    func aHandshakeThatStallsTimesOut() async throws {
        // It waits for the end of a request's head, which no greeting of TLS has.
        let server = try LoopbackServer { _ in .status(200) }
        var request = HTTPRequest(url: "https://127.0.0.1:\(server.port)/", body: [1])
        request.limits.connect = .seconds(2)
        request.limits.total = .seconds(3600)
        let start = ContinuousClock.now
        let result = await send(request)
        let span = ContinuousClock.now - start
        guard case .failure(.timedOut) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(span < .seconds(600))
        #expect(await onThread { becomesTrue { server.connections == 1 } } && server.requests.isEmpty)
    }

    @Test("46: a server that stops in the middle is given up when nothing has moved for so long, however long the whole may take")
    func aStalledExchangeIsGivenUp() async throws {
        let over = Gate()
        defer { over.open() }
        let server = try LoopbackServer { _ in
            .stream { write in
                _ = write(Array("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbeginning".utf8))
                over.wait()
            }
        }
        var request = HTTPRequest(url: server.url)
        request.limits.total = .seconds(3600)
        request.limits.stall = .seconds(1)
        guard case .failure(.timedOut) = await send(request) else {
            Issue.record("the exchange did not end in time")
            return
        }
    }

    @Test("46: a server that stops reading is given up when nothing has moved for so long")
    func aStalledBodyIsGivenUp() async throws {
        let over = Gate()
        defer { over.open() }
        let server = try LoopbackServer(atHead: { _ in .after(over, .reset) }) { _ in .status(200) }
        var request = HTTPRequest(url: server.url, body: [UInt8](repeating: 65, count: 32 << 20))   // more than the kernel takes
        request.limits.total = .seconds(3600)
        request.limits.stall = .seconds(1)
        guard case .failure(.timedOut) = await send(request) else {
            Issue.record("the exchange did not end in time")
            return
        }
    }

    @Test("49: a body beyond the limit ends the exchange, however long it would go on", arguments: [true, false])
    func anEndlessBodyIsRefused(isChunked: Bool) async throws {
        let server = try LoopbackServer { _ in
            .stream { write in
                let head = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: 10737418240"
                var isHeard = write(Array("HTTP/1.1 200 OK\r\n\(head)\r\n\r\n".utf8))
                let data = [UInt8](repeating: 65, count: 4096)
                while isHeard {
                    isHeard = write(isChunked ? Array("1000\r\n".utf8) + data + [13, 10] : data)
                }
            }
        }
        let result = await send(HTTPRequest(url: server.url, body: [1]))
        #expect(result == .failure(.malformedResponse("a body of more than 65536 bytes")))
    }

    @Test(
        "49: where the beginning is enough, a body is cut, and one beyond 16 MiB still ends the exchange",
        arguments: [(bytes: 65_536, isCut: false), (bytes: 65_537, isCut: true), (bytes: 16 << 20, isCut: true)])
    func aLongBodyIsCutWhereTheBeginningIsEnough(bytes: Int, isCut: Bool) async throws {
        let server = try LoopbackServer { request in
            let more = request.target == "/more" ? 16 << 20 : 0
            return .response(HTTPResponse(status: 201, body: [UInt8](repeating: 65, count: bytes + more)))
        }
        var request = HTTPRequest(url: server.url, body: [1])
        request.limits.keepsBeginning = true
        let response = try await transport.send(request)
        #expect(response.status == 201 && response.isCut == isCut)
        #expect(response.body == [UInt8](repeating: 65, count: 65_536))
        request.url += "/more"
        #expect(await send(request) == .failure(.malformedResponse("a body of more than 16777216 bytes")))
    }

    @Test(
        "49: header fields beyond the limit, and 1xx answers without end, end the exchange", arguments: [true, false])
    func endlessHeadersAreRefused(areInterim: Bool) async throws {
        let server = try LoopbackServer { _ in
            .stream { write in
                var isHeard = areInterim || write(Array("HTTP/1.1 200 OK\r\n".utf8))
                while isHeard {
                    isHeard = write(
                        Array((areInterim ? "HTTP/1.1 102 Processing\r\n\r\n" : "X-Pad: aaaaaaaaaaaaaaa\r\n").utf8))
                }
            }
        }
        let result = await send(HTTPRequest(url: server.url, body: [1]))
        #expect(result == .failure(.malformedResponse("more than 16384 bytes of header fields")))
    }

    @Test("50: redirects are answers, and nothing follows them", arguments: [301, 302, 303, 307, 308])
    func redirectsAreNotFollowed(status: Int) async throws {
        let other = try LoopbackServer { _ in .status(200) }
        let elsewhere = other.url
        let server = try LoopbackServer { _ in .status(status, headers: [HTTPHeader("Location", elsewhere)]) }
        let response = try await transport.send(
            HTTPRequest(url: server.url, headers: [HTTPHeader("Authorization", "Bearer t")], body: [1]))
        #expect(response.status == status)
        #expect(other.requests.isEmpty)
    }

    @Test func cancellingTheTaskGivesTheExchangeUp() async throws {
        let gate = Gate()
        defer { gate.open() }
        let server = try LoopbackServer { _ in .after(gate, .status(200)) }
        let transport = transport
        let task = Task { () -> HTTPFailure? in
            do throws(HTTPFailure) {
                var request = HTTPRequest(url: server.url, body: [1])
                request.limits.total = .seconds(3600)   // on the busiest machine it is not the time that ends it
                _ = try await transport.send(request)
                return nil
            } catch { return error }
        }
        // Not by blocking: the task needs a thread of the pool that this test runs on.
        while server.requests.isEmpty { await Task.yield() }
        task.cancel()
        #expect(await task.value == .cancelled)
    }

    @Test("a cancellation is heard at once, and not when the transport looks around a second later")
    func cancellingIsQuick() throws {
        let gate = Gate()
        defer { gate.open() }
        let server = try LoopbackServer { _ in .after(gate, .status(200)) }
        var request = HTTPRequest(url: server.url, body: [1]), waits: [Duration] = []
        request.limits.total = .seconds(3600)
        for number in 1...20 {
            let end = Monitor<ContinuousClock.Instant?>(nil)
            let cancellation = transport.send(request) { _ in
                end.withLock { access in
                    access.value = ContinuousClock.now
                    access.broadcast()
                }
            }
            #expect(server.waitForRequests(number))
            let start = ContinuousClock.now, deadline = LogDeadline.seconds(30)
            cancellation.cancel()
            let instant = end.withLock { access in
                while access.value == nil && access.wait(until: deadline) {}
                return access.value
            }
            waits.append(try #require(instant) - start)
        }
        // A busy machine is late for some; who looked around once a second would be for three of four.
        #expect(waits.sorted()[waits.count / 4] < .milliseconds(300), "\(waits)")
    }

    @Test func aTaskThatIsCancelledBeforehandSendsNothing() async {
        let transport = ScriptedTransport(.status(200))
        let task = Task { () -> HTTPFailure? in
            while !Task.isCancelled { await Task.yield() }
            do throws(HTTPFailure) {
                _ = try await transport.send(HTTPRequest(url: "http://127.0.0.1/", body: [1]))
                return nil
            } catch { return error }
        }
        task.cancel()
        #expect(await task.value == .cancelled)
        #expect(transport.requests.isEmpty)
    }

    @Test func theCompletionComesExactlyOnceHoweverOftenTheExchangeIsGivenUp() async throws {
        let server = try LoopbackServer { _ in .status(200) }
        let calls = Monitor(0)
        for _ in 0..<100 {
            let cancellation = transport.send(HTTPRequest(url: server.url, body: [1])) { _ in
                calls.withLock { access in
                    access.value += 1
                    access.broadcast()
                }
            }
            cancellation.cancel()
            cancellation.cancel()
        }
        let deadline = LogDeadline.seconds(30)
        calls.withLock { access in while access.value < 100 && access.wait(until: deadline) {} }
        // One more exchange lets every late cancellation pass through the transport's thread.
        _ = try await transport.send(HTTPRequest(url: server.url))
        #expect(calls.withLock { $0.value } == 100)
    }

    @Test func lettingTheTransportGoGivesUpWhatIsInFlight() throws {
        let gate = Gate()
        defer { gate.open() }
        let server = try LoopbackServer { _ in .after(gate, .status(200)) }
        let result = Monitor<Result<HTTPResponse, HTTPFailure>?>(nil)
        var transport: CurlTransport? = CurlTransport()
        transport?.send(HTTPRequest(url: server.url, body: [1])) { answer in
            result.withLock { access in
                access.value = answer
                access.broadcast()
            }
        }
        #expect(server.waitForRequests(1))
        transport = nil
        let deadline = LogDeadline.seconds(30)
        let answer = result.withLock { access in
            while access.value == nil && access.wait(until: deadline) {}
            return access.value
        }
        #expect(answer == .failure(.cancelled))
    }

    @Test func aCallerThatBlocksGetsTheAnswerOrItsDeadline() throws {
        let gate = Gate()
        defer { gate.open() }
        let server = try LoopbackServer { request in
            request.target == "/slow" ? .after(gate, .status(200)) : .status(204)
        }
        #expect(try transport.sendAndWait(HTTPRequest(url: server.url), by: .seconds(30)).status == 204)
        #expect(throws: HTTPFailure.timedOut("the caller's deadline passed")) {
            try transport.sendAndWait(HTTPRequest(url: server.url + "/slow"), by: .milliseconds(50))
        }
    }

    /// - Returns: How many this process could have at once before.
    static func limitDescriptors(to count: rlim_t) -> rlim_t {
        #if canImport(Glibc)
        let descriptors = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
        let descriptors = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        getrlimit(descriptors, &limit)
        let former = limit.rlim_cur
        limit.rlim_cur = count
        setrlimit(descriptors, &limit)
        return former
    }

    /// The first timer in a program, also one of Dispatch's own, opens descriptors, and traps where it cannot.
    static func letDispatchOpenItsOwn() {
        let fired = DispatchSemaphore(value: 0)
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { fired.signal() }
        fired.wait()
    }

    @Test("a transport that starts while there are no descriptors fails, and sends as soon as there are some")
    func aStartWithoutDescriptorsIsTriedAgain() async {
        // In a process of its own: the limit holds for all of it.
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer { _ in .status(200) }
            let request = HTTPRequest(url: server.url), first = CurlTransport(), second = CurlTransport()
            _ = try first.sendAndWait(request, by: .seconds(60))   // what libcurl opens once is open
            CurlTransportTests.letDispatchOpenItsOwn()
            let free = Unshared.socket(AF_INET)
            close(free)
            let former = CurlTransportTests.limitDescriptors(to: rlim_t(free))
            #expect(throws: HTTPFailure.self) { try second.sendAndWait(request, by: .seconds(60)) }
            _ = CurlTransportTests.limitDescriptors(to: former)
            #expect(try second.sendAndWait(request, by: .seconds(60)).status == 200)
            withExtendedLifetime(first) {}   // and holds what it has
        }
    }

    @Test("S13: proxies of the environment are not used, and neither are its exceptions")
    func theEnvironmentDoesNotDecideWhereRequestsGo() async {
        // In a process of its own: an environment cannot be changed while other tests read it.
        await #expect(processExitsWith: .success) {
            let proxy = try LoopbackServer { _ in .status(502) }
            let server = try LoopbackServer { _ in .status(200) }
            for name in ["http_proxy", "ALL_PROXY", "all_proxy"] { setenv(name, proxy.url, 1) }
            let response = try await CurlTransport().send(HTTPRequest(url: server.url))
            #expect(response.status == 200)
            #expect(proxy.connections == 0)
            let direct = CurlTransport(allowsPlainHTTP: true, proxy: "")   // as from a variable that is not set
            let failure = await #expect(throws: HTTPFailure.self) { try await direct.send(HTTPRequest(url: "http://logs.invalid/v1")) }
            guard case .unreachable? = failure else { throw ScriptedFailure("\(String(describing: failure))") }
            #expect(proxy.connections == 0)
            for name in ["no_proxy", "NO_PROXY"] { setenv(name, "*", 1) }
            let named = CurlTransport(allowsPlainHTTP: true, proxy: proxy.url)
            #expect(try await named.send(HTTPRequest(url: "http://logs.invalid/v1")).status == 502)
            #expect(proxy.requests.map(\.target) == ["http://logs.invalid/v1"])
        }
    }

    @Test func aProxyThatIsNamedIsUsed() async throws {
        let proxy = try LoopbackServer { _ in .status(202) }
        let transport = CurlTransport(allowsPlainHTTP: true, proxy: proxy.url)
        #expect(try await transport.send(HTTPRequest(url: "http://logs.invalid/v1")).status == 202)
        #expect(proxy.requests.first?.target == "http://logs.invalid/v1")
    }

    @Test("a proxy that cannot be read is a fault of the request, and its password is not said", arguments: [
        "http://u:sec ret@proxy.invalid:3128", "http://u:sec/ret@proxy.invalid:3128", "http://u:secret@:3128",
        "u:secret@proxy.invalid:99999", "ftp://u:secret@proxy.invalid:3128",
        "http://u:secret\(String(repeating: "t", count: 1000)) @proxy.invalid:3128",
    ])
    func aProxyThatCannotBeRead(proxy: String) async {
        let transport = CurlTransport(allowsPlainHTTP: true, proxy: proxy)
        let failure = await #expect(throws: HTTPFailure.self) { try await transport.send(HTTPRequest(url: "http://logs.invalid/v1")) }
        #expect(failure == .invalidRequest("the proxy's URL cannot be read; it should look like http://proxy.example.com:3128"))
    }

    @Test("S13: a proxy that libcurl would go past for a control character in it is refused, and its password is not said", arguments: [
        "http://u:sec%0Aret@proxy.invalid:3128", "http://u%1f:secret@proxy.invalid:3128", "u:secret%00@proxy.invalid:3128",
        "socks5h://u:%0d@proxy.invalid:1080", "http://u:secret@proxy.invalid:3128\0", "\0",
    ])
    func aProxyThatWouldBeGonePast(proxy: String) async {
        let transport = CurlTransport(allowsPlainHTTP: true, proxy: proxy)
        let failure = await #expect(throws: HTTPFailure.self) { try await transport.send(HTTPRequest(url: "http://logs.invalid/v1")) }
        #expect(failure == .invalidRequest("the proxy's URL holds a control character, and without the proxy nothing is sent"))
    }

    @Test("what else is encoded in a proxy's password is between it and libcurl", arguments: ["%20", "%2501", "%7F", "%zz", "%"])
    func aProxyWithAnyPassword(password: String) async throws {
        let proxy = try LoopbackServer { _ in .status(202) }
        let named = proxy.url.replacing("http://", with: "http://u:\(password)@")
        let transport = CurlTransport(allowsPlainHTTP: true, proxy: named)
        #expect(try await transport.send(HTTPRequest(url: "http://logs.invalid/v1")).status == 202)
        #expect(proxy.requests.count == 1)
    }

    @Test func aProxyWhoseNameDoesNotResolveMayDoSoLater() async {
        let transport = CurlTransport(allowsPlainHTTP: true, proxy: "http://u:secret@proxy.invalid:3128")
        let failure = await #expect(throws: HTTPFailure.self) { try await transport.send(HTTPRequest(url: "http://logs.invalid/v1")) }
        #expect(failure == .unreachable("the proxy's name does not resolve"))
    }

    @Test("S13: what is for this machine stays on it, also where a proxy is named")
    func noProxySeesWhatIsForThisMachine() async throws {
        let proxy = try LoopbackServer { _ in .status(502) }
        let server = try LoopbackServer { _ in .status(200) }
        let request = HTTPRequest(url: server.url, headers: [HTTPHeader("Authorization", "Bearer t")])
        #expect(try await CurlTransport(proxy: proxy.url).send(request).status == 200)
        #expect(server.requests.count == 1)
        #expect(proxy.connections == 0)
    }
}
