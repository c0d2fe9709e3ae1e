import LogbookCore
import LogbookHTTP
import LogbookTestKit
import Testing

/// Whether the transport's own thread has an answer to the request: the caller lends none.
private func isAnswered(_ request: HTTPRequest, by transport: CurlTransport) -> Bool {
    let status = Monitor<Int?>(nil), deadline = LogDeadline.seconds(30)
    transport.send(request) { result in
        status.withLock { access in
            access.value = (try? result.get())?.status ?? 0
            access.broadcast()
        }
    }
    return status.withLock { access in
        while access.value == nil, access.wait(until: deadline) {}
        return access.value == 200
    }
}

@Suite struct CurlTransportForkTests {
    @Test("a forked child sends over connections of its own, and its parent over the one that it has kept")
    func aChildHasConnectionsOfItsOwn() async {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer { _ in .status(200) }, transport = CurlTransport()
            let request = HTTPRequest(url: server.url, body: [1])
            func lends() -> Bool { (try? transport.sendAndWait(request, by: .seconds(30)))?.status == 200 }
            for _ in 0..<2 { #expect(isAnswered(request, by: transport) && lends()) }   // everything is done once
            #expect(server.connections == 1)

            let lending = forked { lends() && isAnswered(request, by: transport) }
            #expect(lending == 0)
            #expect(server.connections == 2)
            let waiting = forked { isAnswered(request, by: transport) && lends() }
            #expect(waiting == 0)
            #expect(server.connections == 3)

            #expect(lends() && isAnswered(request, by: transport))
            #expect(server.connections == 3 && server.requests.count == 10)
        }
    }

    @Test("a forked child leaves alone what its parent has sent, also where it gives it up")
    func whatIsOnItsWayIsTheParents() async {
        await #expect(processExitsWith: .success) {
            let gate = Gate(), answer = Monitor<Int?>(nil)
            let server = try LoopbackServer { request in request.target == "/slow" ? .after(gate, .status(201)) : .status(200) }
            let transport = CurlTransport()
            for _ in 0..<2 { #expect(isAnswered(HTTPRequest(url: server.url), by: transport)) }   // everything is done once
            let slow = transport.send(HTTPRequest(url: server.url + "/slow")) { result in
                answer.withLock { access in
                    access.value = (try? result.get())?.status ?? 0
                    access.broadcast()
                }
            }
            #expect(server.waitForRequests(3))

            let status = forked {
                slow.cancel()
                let goesOn = isAnswered(HTTPRequest(url: server.url), by: transport)
                slow.cancel()
                return goesOn && isAnswered(HTTPRequest(url: server.url), by: transport) && answer.withLock { $0.value } == nil
            }
            #expect(status == 0)

            gate.open()
            let deadline = LogDeadline.seconds(30)
            let seen = answer.withLock { access in
                while access.value == nil, access.wait(until: deadline) {}
                return access.value
            }
            #expect(seen == 201)
            withExtendedLifetime(transport) {}   // let go of, it would give the slow one up
        }
    }
}
