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

@Suite struct LentThreadTests {
    let transport = CurlTransport()

    /// What is known of an exchange when it is over.
    struct End {
        let status: Int?
        let thread: UInt64
        var holdsPipeSignalBack = false
    }

    /// - Returns: What the completion saw, where it has been called.
    private func send(_ request: HTTPRequest, lending span: Duration, _ end: Monitor<End?>) {
        transport.send(request, lendingThreadFor: span) { result in
            var blocked = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &blocked)
            end.withLock { access in
                access.value = End(
                    status: try? result.get().status, thread: LogThread.currentNumber,
                    holdsPipeSignalBack: sigismember(&blocked, SIGPIPE) == 1)
                access.broadcast()
            }
        }
    }

    private func waitFor(_ end: Monitor<End?>) -> End? {
        let deadline = LogDeadline.seconds(30)
        return end.withLock { access in
            while access.value == nil, access.wait(until: deadline) {}
            return access.value
        }
    }

    @Test func whoLendsItsThreadHasTheAnswerOnItAndGetsItBackAsItWas() throws {
        let server = try LoopbackServer { _ in .status(201) }
        let large = [UInt8](repeating: 7, count: 3 << 20)
        for body in [[], [1, 2, 3], large] {
            let end = Monitor<End?>(nil)
            send(HTTPRequest(url: server.url, body: body), lending: .seconds(30), end)
            let seen = try #require(end.withLock { $0.value })
            #expect(seen.status == 201 && seen.thread == LogThread.currentNumber && seen.holdsPipeSignalBack)
            var blocked = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &blocked)
            #expect(sigismember(&blocked, SIGPIPE) == 0)
        }
        #expect(server.requests.map(\.body.count) == [0, 3, large.count] && server.connections == 1)
    }

    @Test("a thread that was lent goes when its time is over, and the transport's own goes on")
    func theLentTimeIsOver() throws {
        let gate = Gate()
        defer { gate.open() }
        let server = try LoopbackServer { _ in .after(gate, .status(202)) }
        let end = Monitor<End?>(nil)
        send(HTTPRequest(url: server.url, body: [1]), lending: .milliseconds(5), end)
        #expect(end.withLock { $0.value == nil })
        #expect(server.waitForRequests(1))
        gate.open()
        let seen = try #require(waitFor(end))
        #expect(seen.status == 202 && seen.thread != LogThread.currentNumber)
    }

    @Test("who lends its thread works for nobody else: the transport's own goes on when another request comes")
    func anotherRequestComes() throws {
        let gate = Gate()
        defer { gate.open() }
        let server = try LoopbackServer { request in request.target == "/slow" ? .after(gate, .status(200)) : .status(204) }
        let other = Monitor<End?>(nil), slow = Monitor<End?>(nil), transport = transport
        LogThread.start("other") {
            #expect(server.waitForRequests(1))   // the slow one, which its caller's thread works for
            transport.send(HTTPRequest(url: server.url + "/fast")) { result in
                other.withLock { access in
                    access.value = End(status: try? result.get().status, thread: LogThread.currentNumber)
                    access.broadcast()
                }
                gate.open()
            }
        }
        send(HTTPRequest(url: server.url + "/slow"), lending: .seconds(60), slow)
        let (fastEnd, slowEnd) = (try #require(waitFor(other)), try #require(waitFor(slow)))
        #expect(fastEnd.status == 204 && slowEnd.status == 200)
        #expect(fastEnd.thread == slowEnd.thread && fastEnd.thread != LogThread.currentNumber)
    }

    @Test func manyCallersWhoLendTheirThreadsAreAllAnswered() async throws {
        let server = try LoopbackServer { request in .response(HTTPResponse(status: 200, body: request.body)) }
        let answers = Monitor<[UInt8]>([]), transport = transport
        for caller in 0..<8 {
            LogThread.start("caller") {
                for number in 0..<25 {
                    let body = UInt8(caller * 25 + number)
                    let answer = try? transport.sendAndWait(HTTPRequest(url: server.url, body: [body]), by: .seconds(60))
                    answers.withLock { access in
                        access.value += answer?.body ?? []
                        access.broadcast()
                    }
                    if answer == nil { Issue.record("\(body) was not answered") }
                }
            }
        }
        let deadline = LogDeadline.seconds(60)
        let all = answers.withLock { access in
            while access.value.count < 200, access.wait(until: deadline) {}
            return access.value
        }
        #expect(Set(all).count == 200 && all.count == 200)
    }

    @Test func aConnectionThatIsClosedUnderALentThreadDoesNotEndTheProgram() async {
        // In a process of its own: the signal would end it.
        await #expect(processExitsWith: .success) {
            var ends: [Int32] = [0, 0]
            guard pipe(&ends) == 0 else { exit(1) }
            close(ends[0])
            let server = try LoopbackServer { _ in .status(200) }
            let isLost = Locked(false)
            CurlTransport().send(HTTPRequest(url: server.url), lendingThreadFor: .seconds(30)) { [end = ends[1]] _ in
                // What a TLS library does on the thread that calls it.
                isLost.withLock { $0 = write(end, "x", 1) < 0 && errno == EPIPE }
            }
            exit(isLost.withLock { $0 } ? 0 : 1)
        }
    }
}
