import LogbookTestKit
import Testing

@testable import LogbookHTTP

@Suite struct RequestChecksTests {
    @Test(
        "S15: what could smuggle a second header or request is refused before anything is sent",
        arguments: [
            HTTPRequest(method: "GET / HTTP/1.1\r\nX: y", url: "URL"), HTTPRequest(method: "", url: "URL"),
            HTTPRequest(method: "GE T", url: "URL"), HTTPRequest(method: "GET\0", url: "URL"),
            HTTPRequest(url: "URL/a\r\nX: y"), HTTPRequest(url: "URL/a b"), HTTPRequest(url: "URL/\0"),
            HTTPRequest(url: ""),
            HTTPRequest(url: "URL", headers: [HTTPHeader("X", "a\r\nY: b")]),
            HTTPRequest(url: "URL", headers: [HTTPHeader("X", "a\nb")]),
            HTTPRequest(url: "URL", headers: [HTTPHeader("X", "a\rb")]),
            HTTPRequest(url: "URL", headers: [HTTPHeader("X", "a\0b")]),
            HTTPRequest(url: "URL", headers: [HTTPHeader("X\r\nY", "a")]),
            HTTPRequest(url: "URL", headers: [HTTPHeader("X Y", "a")]),
            HTTPRequest(url: "URL", headers: [HTTPHeader("X:", "a")]),
            HTTPRequest(url: "URL", headers: [HTTPHeader("", "a")]),
            HTTPRequest(url: "URL", headers: [HTTPHeader("Content-Length", "5")]),
            HTTPRequest(url: "URL", headers: [HTTPHeader("transfer-encoding", "chunked")]),
        ])
    func injectionIsRefused(request: HTTPRequest) async throws {
        let server = try LoopbackServer { _ in .status(200) }
        var request = request
        if request.url.hasPrefix("URL") { request.url = server.url + request.url.dropFirst(3) }
        let failure = await #expect(throws: HTTPFailure.self) { try await CurlTransport.shared.send(request) }
        guard case .invalidRequest = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(server.connections == 0)
    }

    @Test(arguments: [
        "ftp://127.0.0.1/", "file:///etc/passwd", "gopher://127.0.0.1/", "//127.0.0.1/", "http://", "not a url",
        "http://name:word@127.0.0.1/", "http://name@127.0.0.1/",
    ])
    func otherSchemesAndCredentialsInTheURLAreRefused(url: String) {
        #expect(throws: HTTPFailure.self) { try HTTPRequest(url: url).check(allowsPlainHTTP: true) }
    }

    @Test(
        "S12: plain http stays on this machine unless it is allowed",
        arguments: [
            (url: "http://localhost:1/", isLoopback: true), (url: "http://LOCALHOST/", isLoopback: true),
            (url: "http://127.0.0.1/", isLoopback: true), (url: "http://127.8.9.1:80/", isLoopback: true),
            (url: "http://[::1]:4318/v1", isLoopback: true),
            (url: "http://logs.example.com/", isLoopback: false), (url: "http://10.0.0.1/", isLoopback: false),
            (url: "http://localhost.example.com/", isLoopback: false),
            (url: "http://127.0.0.1.example.com/", isLoopback: false),
            (url: "http://[::2]/", isLoopback: false), (url: "http://0.0.0.0/", isLoopback: false),
        ])
    func plainHTTP(url: String, isLoopback: Bool) throws {
        let request = HTTPRequest(url: url)
        if isLoopback {
            try request.check(allowsPlainHTTP: false)
        } else {
            #expect(throws: HTTPFailure.self) { try request.check(allowsPlainHTTP: false) }
        }
        try request.check(allowsPlainHTTP: true)
        try HTTPRequest(url: "https" + url.dropFirst(4)).check(allowsPlainHTTP: false)
    }

    @Test("S14: a refusal does not repeat the value it refuses")
    func refusalsHoldNoSecrets() {
        let request = HTTPRequest(url: "https://h/", headers: [HTTPHeader("Authorization", "Bearer hush\n")])
        let failure = #expect(throws: HTTPFailure.self) { try request.check(allowsPlainHTTP: false) }
        #expect(failure.map { !"\($0)".contains("hush") } ?? false)
    }
}
