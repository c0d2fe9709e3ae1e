import LogbookCore
import LogbookDelivery
import LogbookFiles
import LogbookHTTP
import LogbookTestKit
import Testing

@testable import LogbookUploads

/// What an update means for the files that are in hand.
@Suite struct CurrentRequestTests {
    private let bench = UploadBench()
    private let page = HTTPResponse(status: 200, body: Array("<html>welcome to our hotel</html>".utf8))

    @Test("U6: a file that was refused goes in the form that an update asks for")
    func anotherForm() async throws {
        try bench.roll(["one", "two"], compressed: true)
        let transport = ScriptedTransport { _, request in .status(request.header("Content-Encoding") == nil ? 200 : 415) }
        let uploader = try bench.uploader(to: UploadRequest(url: "http://127.0.0.1/", takesGzip: true), transport)
        #expect(await bench.wait { $0.contains { if case .refused = $0 { true } else { false } } })
        uploader.update(UploadRequest(url: "http://127.0.0.1/", contentType: "application/x-ndjson"))
        #expect(await bench.waitForDelivered(2))
        #expect(transport.requests.count == 3)
        #expect(transport.requests.dropFirst().map(\.text) == ["one\n", "two\n"])
        #expect(transport.requests.dropFirst().allSatisfy { $0.header("Content-Type") == "application/x-ndjson" })
        #expect(bench.archives == [])
        withExtendedLifetime(uploader) {}
    }

    @Test("U7: an answer is judged by what its request was made for, also when it comes after an update")
    func anAnswerOfTheAddressBefore() async throws {
        try bench.roll(["one"])
        let transport = ScriptedTransport { number, _ in number == 1 ? .hold : .status(200) }
        let before = UploadRequest(url: "http://127.0.0.1/wrong", acknowledgement: .field("response", equals: "ok"))
        let uploader = try bench.uploader(to: before, transport)
        #expect(await onThread { transport.waitForRequests(1) })
        uploader.update(UploadRequest(url: "http://127.0.0.1/right"))
        transport.release(with: page)
        #expect(await bench.waitForDelivered(1))
        #expect(bench.delivered.count == 1)
        #expect(transport.requests.map(\.url) == ["http://127.0.0.1/wrong", "http://127.0.0.1/right"])
        withExtendedLifetime(uploader) {}
    }

    @Test("U6: what a busy receiver asks for ends with another address, and not with another token")
    func busyAtTheAddressBefore() async throws {
        try bench.roll(["one"])
        let transport = ScriptedTransport { _, request in
            request.url.hasSuffix("busy") ? .status(503, headers: [HTTPHeader("Retry-After", "90")]) : .status(200)
        }
        let uploader = try bench.uploader(to: UploadRequest(url: "http://127.0.0.1/busy"), transport)
        #expect(await bench.waitForRetries(1))
        uploader.update(UploadRequest(url: "http://127.0.0.1/busy", headers: [HTTPHeader("Authorization", "new")]))
        #expect(await onThread { (try? uploader.deliver(by: .milliseconds(20))) == nil })
        #expect(transport.requests.count == 1)
        uploader.update(UploadRequest(url: "http://127.0.0.1/fine"))
        #expect(await bench.waitForDelivered(1))
        #expect(transport.requests.count == 2)
    }

    @Test("U6: what the address before will never take is not set aside after an update")
    func aRefusalOfTheAddressBefore() async throws {
        try bench.roll(["one"])
        let transport = ScriptedTransport { number, _ in number == 1 ? .hold : .status(200) }
        let uploader = try bench.uploader(to: UploadRequest(url: "http://127.0.0.1/wrong"), transport)
        #expect(await onThread { transport.waitForRequests(1) })
        uploader.update(UploadRequest(url: "http://127.0.0.1/right"))
        transport.release(with: HTTPResponse(status: 400))
        #expect(await bench.waitForDelivered(1))
        #expect(transport.requests.map(\.url) == ["http://127.0.0.1/wrong", "http://127.0.0.1/right"])
        #expect(!bench.events.contains { if case .setAside = $0 { true } else { false } })
        withExtendedLifetime(uploader) {}
    }

    @Test("U6: a file in pieces begins anew for the address of an update, in pieces of its size")
    func piecesBeginAnew() async throws {
        let text = (1...40_000).map { "line \($0)" }.joined(separator: "\n")
        try bench.roll([text])
        let transport = ScriptedTransport { number, _ in number == 2 ? .hold : .status(200) }
        let before = UploadRequest(url: "http://127.0.0.1/wrong", maximumBytes: 150_000)
        let uploader = try bench.uploader(to: before, transport)
        #expect(await onThread { transport.waitForRequests(2) })
        uploader.update(UploadRequest(url: "http://127.0.0.1/right", maximumBytes: 100_000))
        transport.release(with: HTTPResponse(status: 413))
        #expect(await bench.waitForDelivered(1))
        let pieces = transport.requests.filter { $0.url == "http://127.0.0.1/right" }
        #expect(pieces.map(\.text).joined() == text + "\n")
        #expect(pieces.allSatisfy { $0.body.count <= 100_000 })
        let first = try #require(pieces.first)
        #expect(first.body.count > 90_000)   // and not half of what was too large before
        withExtendedLifetime(uploader) {}
    }
}
