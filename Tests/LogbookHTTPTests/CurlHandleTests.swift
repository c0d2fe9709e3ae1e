import LogbookCore
import LogbookHTTP
import LogbookTestKit
import Testing

@Suite struct CurlHandleTests {
    @Test("whatever request a handle had before, the next one arrives as it was made")
    func nothingStaysOfTheRequestBefore() throws {
        let server = try LoopbackServer { request in
            request.method == "HEAD" ? .raw(Array("HTTP/1.1 200 OK\r\n\r\n".utf8)) : .status(200)
        }
        func body(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) } }
        func request(_ method: String, _ path: String, _ headers: [HTTPHeader] = [], _ bytes: Int) -> HTTPRequest {
            HTTPRequest(method: method, url: server.url + path, headers: headers, body: body(bytes))
        }
        let plain = [HTTPHeader("Content-Type", "text/plain")], token = plain + [HTTPHeader("Authorization", "Bearer one")]
        let requests = [
            request("POST", "/a", plain, 10), request("POST", "/a", plain, 65_535), request("POST", "/a", plain, 65_536),
            request("POST", "/a", plain, 3), request("POST", "/a", plain, 300_000), request("POST", "/a", plain, 1),
            request("POST", "/a", token, 7), request("POST", "/a", token, 8), request("POST", "/a", plain, 9), request("POST", "/a", [], 9),
            request("POST", "/a", [], 0), request("POST", "/a", [], 5), request("PUT", "/a", [], 5), request("GET", "/a", [], 0),
            request("GET", "/a", [], 4), request("HEAD", "/a", [], 0), request("POST", "/b", [], 5), request("DELETE", "/b", [], 0),
            HTTPRequest(method: "PUT", url: server.url + "/b", stream: HTTPBodyStream(name: "stream", bytes: 3) { buffer, _ in
                buffer.copyBytes(from: [1, 2, 3])
                return 3
            }),
            request("PUT", "/b", [], 6), request("PUT", "/b", [], 70_000),
        ]
        let transport = CurlTransport()
        for request in requests {
            _ = try transport.sendAndWait(request, by: .seconds(60))
            let seen = try #require(server.requests.last)
            #expect(seen.method == request.method && request.url.hasSuffix(seen.target))
            #expect(seen.body == (request.stream == nil ? request.body : [1, 2, 3]), "\(request.method) of \(request.body.count)")
            for name in ["Content-Type", "Authorization"] {
                #expect(seen.header(name) == request.headers.first { $0.name == name }?.value)
            }
            #expect(seen.header("Transfer-Encoding") == nil && seen.header("Expect") == nil)
        }
        #expect(server.requests.count == requests.count)
    }

    @Test("a request has its own time, whatever the one before had")
    func timesDoNotStay() throws {
        let gate = Gate()
        defer { gate.open() }
        let server = try LoopbackServer { request in request.body == [2] ? .after(gate, .status(200)) : .status(200) }
        let transport = CurlTransport()
        _ = try transport.sendAndWait(HTTPRequest(url: server.url, body: [1]), by: .seconds(60))
        var limits = HTTPLimits()
        limits.total = .milliseconds(50)
        #expect(throws: HTTPFailure.self) {
            try transport.sendAndWait(HTTPRequest(url: server.url, body: [2], limits: limits), by: .seconds(60))
        }
        _ = try transport.sendAndWait(HTTPRequest(url: server.url, body: [3]), by: .seconds(60))
        #expect(server.requests.contains { $0.body == [3] })   // the one that was given up may come to light behind it
    }
}
