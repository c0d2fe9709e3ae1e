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

/// Bodies that are read while they are sent.
@Suite struct HTTPBodyStreamTests {
    let transport = CurlTransport()

    /// Gives some bytes in pieces of any size, and counts how often it began.
    private final class Source: Sendable {
        let content = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }
        let openings = Locked(0)

        final class Reader: HTTPBodyReader {
            let content: [UInt8]
            let failsAt: Int
            var offset = 0
            init(_ content: [UInt8], failsAt: Int) {
                self.content = content
                self.failsAt = failsAt
            }
            func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
                if offset >= failsAt { throw ScriptedFailure("the disk") }
                let count = min(buffer.count, content.count - offset, 10_000 + offset % 7777)
                content.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<(offset + count)])) }
                offset += count
                return count
            }
        }

        func stream(failsAt: Int = .max) -> HTTPBodyStream {
            HTTPBodyStream(name: "content") { [self] in
                openings.withLock { $0 += 1 }
                return Reader(content, failsAt: failsAt)
            }
        }
    }

    // Where one connection is meant to be kept nothing is awaited: libcurl lets go of one that was idle for two minutes, and so long can
    // a task wait for its turn among the others of a slow run.

    @Test func aBodyOfUnknownLengthGoesInChunks() throws {
        let server = try LoopbackServer { _ in .status(200) }, source = Source()
        for _ in 0..<2 {
            #expect(try transport.sendAndWait(HTTPRequest(url: server.url, stream: source.stream()), by: .seconds(60)).status == 200)
        }
        #expect(server.requests.map(\.body) == [source.content, source.content])
        #expect(server.requests[0].header("Transfer-Encoding") == "chunked")
        #expect(server.requests[0].header("Content-Length") == nil)
        #expect(server.requests[0].header("Expect") == nil)
        #expect(server.connections == 1)
    }

    @Test func anEmptyBodyOfUnknownLengthIsEmpty() async throws {
        final class Nothing: HTTPBodyReader { func read(into buffer: UnsafeMutableRawBufferPointer) -> Int { 0 } }
        let server = try LoopbackServer { _ in .status(200) }
        _ = try await transport.send(HTTPRequest(method: "PUT", url: server.url, stream: HTTPBodyStream(name: "") { Nothing() }))
        #expect(server.requests.map(\.bodyBytes) == [0])
    }

    @Test func whatADescriptorHoldsIsSentFromItsBeginning() async throws {
        let folder = TemporaryFolder(), text = String(repeating: "line of a file\n", count: 50_000)
        folder.write(text, to: "file")
        let descriptor = open(folder.path + "/file", O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        try #require(descriptor >= 0)
        lseek(descriptor, 100, SEEK_SET)
        let server = try LoopbackServer { _ in .status(200) }
        let stream = HTTPBodyStream.descriptor(descriptor, name: "file", bytes: text.utf8.count)
        for _ in 0..<2 { _ = try await transport.send(HTTPRequest(method: "PUT", url: server.url, stream: stream)) }
        #expect(server.requests.map(\.body) == [Array(text.utf8), Array(text.utf8)])
        #expect(server.requests[0].header("Content-Length") == "\(text.utf8.count)")
    }

    @Test("47: a kept connection that ends in the middle of a body is replaced, and the body sent again from its beginning")
    func aBodyIsSentAgain() throws {
        let source = Source(), heads = Locked(0)
        let server = try LoopbackServer(atHead: { _ in
            let number = heads.withLock { heads in
                heads += 1
                return heads
            }
            return number % 2 == 0 ? .goodbye : nil
        }) { _ in .status(200) }
        let known = HTTPBodyStream(name: "known", bytes: source.content.count) { buffer, offset in
            let count = min(buffer.count, source.content.count - offset)
            source.content.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<(offset + count)])) }
            return count
        }
        for (number, request) in [
            HTTPRequest(url: server.url, body: [1]), HTTPRequest(url: server.url, stream: source.stream()),
            HTTPRequest(url: server.url, stream: known), HTTPRequest(url: server.url, body: source.content),
        ].enumerated() {
            #expect(try transport.sendAndWait(request, by: .seconds(60)).status == 200)
            #expect(server.requests.count == number + 1)
            if number > 0 { #expect(server.requests[number].body == source.content) }
        }
        #expect(heads.withLock { $0 } == 7)   // each but the first came twice
        #expect(source.openings.withLock { $0 } == 2)
    }

    @Test("a body that cannot be read to its end is not sent, and the reason is not taken for the connection's")
    func aBodyThatCannotBeReadToItsEndIsNotSent() async throws {
        let server = try LoopbackServer { _ in .status(200) }, source = Source()
        await #expect(throws: HTTPFailure.unreadableBody("the disk")) {
            try await transport.send(HTTPRequest(url: server.url, stream: source.stream(failsAt: 1_000_000)))
        }
        await #expect(throws: HTTPFailure.unreadableBody("its reader gave 0 bytes after the first 50")) {
            let tooShort = HTTPBodyStream(name: "short", bytes: 100) { buffer, offset in offset < 50 ? min(50, buffer.count) : 0 }
            _ = try await transport.send(HTTPRequest(url: server.url, stream: tooShort))
        }
        #expect(server.requests.isEmpty)
    }
}
