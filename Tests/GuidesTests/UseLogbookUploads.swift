import Logbook
import LogbookCompression
import LogbookTestKit
import LogbookUploads
import Testing

// The code of Plugins-Docs/UseLogbook.md that uploads files, to the letter: GuideBlocksTests compares the two.

@Suite struct UseLogbookUploadsTests {
    @Test func aRolledFileIsSentAndDeleted() throws {
        let server = try LoopbackServer { request in
            .response(HTTPResponse(status: 200, body: Array(#"{"file":"\#(request.header("Logbook-Parcel") ?? "")"}"#.utf8)))
        }
        let service = LogService(), home = TemporaryFolder(), folder = home.path, address = "http://127.0.0.1:\(server.port)", token = "t0ken"
        var request = UploadRequest.collector(at: address, token: Secret(token))
        request.takesGzip = true
        let uploader = try LogUploader(of: folder, name: "shop", to: request) { event in
            if case .setAside(let id, let reason) = event { print("the receiver will not take \(id), which stays: \(reason)") }
        }
        let rolling = RollingPolicy(maximumBytes: 10 << 20, awaitsDelivery: true, compression: .gzip)
        let rolled = try FileLogProvider(in: folder, name: "shop", rolling: rolling, onArchive: uploader.onArchive)
        service.register(rolled, from: .info, delivery: .queued())
        service.info("paid")
        #expect(service.flush(by: .seconds(30)).isComplete)
        try rolled.roll()
        try uploader.deliver(by: .seconds(60))
        #expect(server.requests.count == 1 && server.requests[0].method == "PUT")
        #expect(server.requests[0].target.hasPrefix("/v1/files/") && server.requests[0].header("Authorization") == "Bearer t0ken")
        #expect(home.allNames.filter { $0.hasPrefix("shop-") } == [])
        let bucket = UploadRequest(url: "https://files.example.com/logs/{id}", method: .put, headers: [HTTPHeader("Authorization", "Bearer " + token)])
        uploader.update(bucket)
        uploader.shutdown(by: .seconds(10))
    }
}
