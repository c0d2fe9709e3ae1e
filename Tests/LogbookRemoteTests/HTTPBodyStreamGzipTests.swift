import LogbookCore
import LogbookDelivery
import LogbookGzip
import LogbookHTTP
import LogbookRemote
import LogbookTestKit
import Testing

/// Bodies that are compressed while they are sent.
@Suite struct HTTPBodyStreamGzipTests {
    private func stream(_ content: [UInt8], bytes: Int? = nil) -> HTTPBodyStream {
        HTTPBodyStream(name: "c", bytes: bytes ?? content.count) { buffer, offset in
            let count = min(buffer.count, content.count - offset)
            content.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<(offset + count)])) }
            return count
        }
    }

    /// Whatever the ratio, which for such lines is what an attack would have.
    private func inflated(_ bytes: [UInt8]) throws -> [UInt8] {
        let codec = try GzipStream.inflating()
        var content: [UInt8] = []
        try bytes.withUnsafeBytes { try codec.take($0, isLast: true) { content += $0 } }
        return content
    }

    @Test func theReceiverInflatesWhatWasThere() async throws {
        let server = try LoopbackServer { _ in .status(200) }, transport = CurlTransport()
        let random = LogRandomness.seeded(3)
        let bodies: [[UInt8]] = [
            [], [7], Array(String(repeating: "one line of a log\n", count: 200_000).utf8),
            (0..<2_000_000).map { _ in UInt8(truncatingIfNeeded: random.next()) },
        ]
        for (number, body) in bodies.enumerated() {
            let request = HTTPRequest(
                url: server.url, headers: [HTTPHeader("Content-Encoding", "gzip")], stream: stream(body).gzip(level: number % 2 * 5 + 1))
            #expect(try await transport.send(request).status == 200)
            #expect(server.requests[number].header("Transfer-Encoding") == "chunked")
            #expect(try inflated(server.requests[number].body) == body)
        }
    }

    @Test func theSameContentGivesTheSameBytes() throws {
        let compressed = stream(Array(String(repeating: "line\n", count: 100_000).utf8)).gzip()
        func bytes(by size: Int) throws -> [UInt8] {
            let reader = try compressed.open()
            var bytes: [UInt8] = [], piece = [UInt8](repeating: 0, count: size)
            while case let count = try piece.withUnsafeMutableBytes({ try reader.read(into: $0) }), count > 0 { bytes += piece[..<count] }
            return bytes
        }
        #expect(try bytes(by: 1) == bytes(by: 65_536))
    }

    @Test func contentThatEndsEarlyIsNotTakenForWhole() async throws {
        let server = try LoopbackServer { _ in .status(200) }
        await #expect(throws: HTTPFailure.unreadableBody("it ends after 3 of 4 bytes")) {
            _ = try await CurlTransport().send(HTTPRequest(url: server.url, stream: stream([1, 2, 3], bytes: 4).gzip()))
        }
        #expect(server.requests.isEmpty)
    }

    @Test("a reader that fails as pread does, or gives more than there is room for, fails the request", arguments: [-1, 5])
    func aReaderThatIsWrong(count: Int) async throws {
        let server = try LoopbackServer { _ in .status(200) }, stream = HTTPBodyStream(name: "c", bytes: 4) { _, _ in count }
        await #expect(throws: HTTPFailure.unreadableBody("its reader gave \(count) bytes after the first 0")) {
            _ = try await CurlTransport().send(HTTPRequest(url: server.url, stream: stream.gzip()))
        }
        #expect(server.requests.isEmpty)
    }

    /// One parcel whose body is compressed on its way.
    private final class OneFile: ParcelSource {
        let parcel: Parcel
        let isThere = Locked(true)
        init(_ parcel: Parcel) { self.parcel = parcel }
        func nextParcel() -> Parcel? { isThere.withLock { $0 ? parcel : nil } }
        func settle(_ parcel: Parcel, as fate: ParcelFate) { isThere.withLock { $0 = false } }
        var pendingCount: Int { isThere.withLock { $0 ? 1 : 0 } }
    }

    private struct Plain: Destination {
        let url: String
        func request(for parcel: Parcel) -> HTTPRequest {
            HTTPRequest(
                method: "PUT", url: url, headers: [HTTPHeader("Content-Encoding", parcel.contentEncoding ?? "identity")],
                stream: parcel.stream)
        }
        func verdict(on response: HTTPResponse, for parcel: Parcel) -> DeliveryVerdict {
            response.status == 201 ? .delivered : .refusal(by: response)
        }
    }

    @Test("47: a compressed body whose connection is lost half way is delivered whole, from its beginning")
    func lostHalfWay() throws {
        let heads = Locked(0)
        let server = try LoopbackServer(atHead: { _ in
            let number = heads.withLock { heads in
                heads += 1
                return heads
            }
            return number == 1 ? .reset : number == 2 ? .goodbye : nil
        }) { _ in .status(201) }
        let random = LogRandomness.seeded(4), content = (0..<3_000_000).map { _ in UInt8(truncatingIfNeeded: random.next() & 0x3F) }
        let source = OneFile(
            Parcel(
                id: "f", body: [], stream: stream(content).gzip(), contentType: "text/plain", contentEncoding: "gzip", count: 1,
                sealed: Sample.time))
        let courier = Courier(
            name: "file", source: source, destination: Plain(url: server.url), transport: CurlTransport(),
            policy: DeliveryPolicy(firstPause: .milliseconds(1), longestPause: .milliseconds(5)))
        try courier.deliver(by: .seconds(60))
        #expect(server.requests.count == 1)
        #expect(try Gzip.inflate(server.requests[0].body, limit: 8 << 20) == content)
        #expect(heads.withLock { $0 } == 3)
        courier.shutdown(by: .seconds(30))
    }
}
