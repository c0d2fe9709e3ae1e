import LogbookCore
import LogbookDelivery
import LogbookFiles
import LogbookHTTP
import LogbookTestKit
import Testing

@testable import LogbookUploads

/// What a file is asked as, and what answers mean.
@Suite struct FileDestinationTests {
    private let bench = UploadBench()

    private func expect(_ answer: HTTPResponse, isReceived: Bool) async throws {
        try bench.roll(["one"])
        let uploader = try bench.uploader(ScriptedTransport(.answer(answer)))
        #expect(
            await bench.wait { events in
                events.contains { event in
                    switch event {
                    case .delivered: isReceived
                    case .willRetry, .refused: !isReceived
                    default: false
                    }
                }
            })
        #expect(bench.archives.isEmpty == isReceived)
        withExtendedLifetime(uploader) {}
    }

    @Test func whatIsPutNeedsAPlaceForEachFile() {
        #expect(!UploadRequest(url: "http://127.0.0.1/log", method: .put).keepsFilesApart)
        #expect(UploadRequest(url: "http://127.0.0.1/log/{id}", method: .put).keepsFilesApart)
        #expect(UploadRequest(url: "http://127.0.0.1/log").keepsFilesApart)
        #expect(UploadRequest(url: "http://127.0.0.1/", method: .put, adapt: { $0.url += $1 }).keepsFilesApart)
    }

    @Test func whatWouldTakeTheSamePlaceIsNotPut() async throws {
        try bench.roll(["one"])
        let transport = ScriptedTransport(.status(201))
        let uploader = try bench.uploader(to: UploadRequest(url: "http://127.0.0.1/log", method: .put), transport)
        #expect(
            await bench.wait { events in
                events.contains { if case .refused(_, let reason, nil) = $0 { reason.contains("{id}") } else { false } }
            })
        #expect(transport.requests.isEmpty && bench.archives.count == 1)
        uploader.update(UploadRequest(url: "http://127.0.0.1/log/{id}", method: .put))
        #expect(await bench.wait { events in events.contains { if case .delivered = $0 { true } else { false } } })
        #expect(transport.requests.count == 1 && bench.archives.isEmpty)
    }

    @Test(
        "U7: what counts as received, and what does not",
        arguments: [(200, true), (201, true), (202, true), (204, true), (206, false), (301, false), (302, false), (304, false)])
    func statuses(status: Int, isReceived: Bool) async throws {
        try await expect(HTTPResponse(status: status), isReceived: isReceived)
    }

    @Test(
        "U7: a page that says 200 is somebody else's, and keeps the file; another answer that is called HTML, XML and 201 are the receiver's",
        arguments: [
            (200, "<html>welcome to our hotel</html>", "text/html; charset=utf-8", false),
            (200, "\r\n\t <!DOCTYPE html>", "text/plain", false), (200, "OK", "Text/HTML", true), (200, "", "text/html", true),
            (200, "<stored/>", "application/xml", true), (200, "<html/>", "application/xhtml+xml", false), (200, "stored", "text/plain", true),
            (201, "<html>created</html>", "text/html", true),
        ])
    func pages(status: Int, body: String, type: String, isReceived: Bool) async throws {
        let answer = HTTPResponse(status: status, headers: [HTTPHeader("Content-Type", type)], body: Array(body.utf8))
        try await expect(answer, isReceived: isReceived)
    }

    @Test("U7: where an acknowledgement is asked for, a success without it keeps the file")
    func acknowledgement() async throws {
        let archives = try bench.roll(["one"])
        let transport = ScriptedTransport { number, request in
            let body = number == 1 ? "<html>welcome to our hotel</html>" : #"{"file":"\#(request.parcel)"}"#
            return .answer(HTTPResponse(status: 200, body: Array(body.utf8)))
        }
        let uploader = try bench.uploader(
            to: UploadRequest(url: "http://127.0.0.1/", acknowledgement: .fieldNamingParcel("file")), transport)
        #expect(await bench.waitForRetries(1))
        #expect(bench.archives.count == 1)
        bench.clock.advance(by: .seconds(300))
        #expect(await bench.waitForDelivered(1))
        #expect(bench.delivered == [archives[0].id])
        withExtendedLifetime(uploader) {}
    }

    @Test("U11: a large file has the time that it needs on a slow line, and is given up when nothing moves; what is set stays")
    func timeForALargeFile() throws {
        let bytes = 1 << 30
        let parcel = Parcel(
            id: "a", body: [], stream: HTTPBodyStream(name: "digest", bytes: bytes) { _, _ in 0 }, contentType: "text/plain", count: 1,
            sealed: LogTime(seconds: 1_763_720_960))
        /// As the courier sends it.
        func limits(_ template: UploadRequest) throws -> HTTPLimits {
            let request = try FileDestination(template: template, halve: { _ in false }).request(for: parcel)
            return request.limits.allowing(bodyBytes: request.bodyBytes)
        }
        var template = UploadRequest(url: "http://127.0.0.1/")
        // Also for a small file a receiver has some minutes.
        #expect(template.limits.total == .seconds(300))
        let usual = try limits(template)
        #expect(usual.total == .seconds(300 + bytes / 8192))
        #expect(usual.stall == .seconds(300))
        // So has one of which nobody knows how large it is.
        let unknown = HTTPLimits().allowing(bodyBytes: nil)
        #expect(unknown.total == .seconds(86_400) && unknown.stall == .seconds(30))
        #expect(HTTPLimits().allowing(bodyBytes: 100) == HTTPLimits())
        template.limits.total = .seconds(60)
        template.limits.stall = .seconds(5)
        let own = try limits(template)
        #expect(own.total == .seconds(60) && own.stall == .seconds(5))
    }
}
