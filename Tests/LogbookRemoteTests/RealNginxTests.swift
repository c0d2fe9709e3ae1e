import LogbookCore
import LogbookDelivery
import LogbookFormat
import LogbookGzip
import LogbookHTTP
import LogbookRemote
import LogbookTestKit
import Testing

/// nginx with a folder that files can be put into, over TLS and in the clear.
private final class Nginx: Sendable {
    static let isPossible = (try? ChildProcess.run(["sh", "-c", "command -v nginx && command -v openssl"], by: .seconds(60))) == .exited(0)
    let folder = TemporaryFolder()
    let url: String
    let secureURL: String
    /// Where HTTP/2 is offered as well.
    let newerURL: String
    private let process: ChildProcess
    /// Who vouches for its certificate.
    var authorities: String { folder.path + "/certificate.pem" }

    init() throws {
        let ports = try FreePorts.take(3)
        url = "http://127.0.0.1:\(ports[0])"
        secureURL = "https://127.0.0.1:\(ports[1])"
        newerURL = "https://127.0.0.1:\(ports[2])"
        folder.write("""
            daemon off; master_process off; pid nginx.pid; error_log errors.log;
            events { worker_connections 64; }
            http {
                access_log off;
                client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
                limit_req_zone $binary_remote_addr zone=few:1m rate=5r/s;
                log_format spoken '$server_protocol $connection';
                server {
                    listen 127.0.0.1:\(ports[0]);
                    listen 127.0.0.1:\(ports[1]) ssl;
                    listen 127.0.0.1:\(ports[2]) ssl http2;
                    ssl_certificate certificate.pem; ssl_certificate_key key.pem;
                    root \(folder.path)/store;
                    create_full_put_path on;
                    location /files/ { if ($http_authorization != "Bearer right") { return 401; } dav_methods PUT; client_max_body_size 64m; }
                    location /small/ { dav_methods PUT; client_max_body_size 4k; }
                    location /few/ { dav_methods PUT; limit_req zone=few; }
                    location /spoken/ { dav_methods PUT; client_max_body_size 64m; access_log spoken spoken; }
                    location /ready { return 204; }
                }
            }
            """, to: "nginx.conf")
        _ = try TestCertificate(for: "IP:127.0.0.1", in: folder.path)
        process = try ChildProcess(
            ["nginx", "-p", folder.path, "-c", "nginx.conf"], in: folder.path, errors: folder.path + "/complained")
        let deadline = LogDeadline.seconds(60), question = HTTPRequest(method: "GET", url: url + "/ready")
        while (try? CurlTransport.shared.sendAndWait(question, by: .seconds(30)))?.status != 204 {
            guard process.end == nil, !deadline.hasPassed else {
                throw ScriptedFailure("nginx did not start: \(folder.text("complained"))\(folder.text("errors.log"))")
            }
        }
    }

    deinit { process.wait(by: .now) }

    /// The lines of all files that were put there.
    func lines(_ place: String) throws -> [String] {
        try folder.names(in: "store/" + place).flatMap { name in
            let bytes = folder.bytes("store/\(place)/\(name)")
            let content = name.hasSuffix(".gz") ? try Gzip.inflate(bytes, limit: 64 << 20) : bytes
            return String(decoding: content, as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }
}

/// Each parcel is a file of its name: what somebody writes who has a web server and nothing else.
private struct Files: LogDestination {
    let folder: String
    var token = "right"
    var takesGzip = true

    func request(for parcel: Parcel) -> HTTPRequest {
        HTTPRequest(
            method: "PUT", url: "\(folder)/\(parcel.id).ndjson\(parcel.contentEncoding == nil ? "" : ".gz")",
            headers: [HTTPHeader("Authorization", "Bearer " + token)], body: parcel.body)
    }
    func verdict(on response: HTTPResponse, for parcel: Parcel) -> DeliveryVerdict {
        [201, 204].contains(response.status) ? .delivered : .refusal(by: response)
    }
}

@Suite(.enabled(if: Nginx.isPossible, "needs the Debian package nginx-light"), .serialized)
struct RealNginxTests {
    private let impatient = DeliveryPolicy(firstPause: .milliseconds(1), longestPause: .milliseconds(50), parcelsInFlight: 4)

    @Test("42, 43, 45, 51: a real nginx has each event in one file: over TLS, with a token that was wrong, a limit of bytes and one of requests")
    func everythingOfNginx() async throws {
        let impatient = impatient
        try await onThread {
            let nginx = try Nginx(), spool = TemporaryFolder()
            let events = (1...1000).map { LogEvent(sequence: UInt64($0), time: Sample.time, level: .info, message: "event \($0)") }
            let expected = Set(events.map { event in
                var line: [UInt8] = []
                JSONLineFormat(origin: Sample.origin).append(event, to: &line)
                return String(decoding: line.dropLast(), as: UTF8.self)
            })

            // TLS: nobody vouches for it, then its own certificate does; a wrong token, then the right one.
            let stranger = RemoteLogProvider(to: Files(folder: nginx.secureURL + "/files/strange"), delivery: impatient, transport: CurlTransport())
            stranger.log(events[0])
            #expect(throws: RemoteLogProviderError.self) { try stranger.deliver(by: .seconds(30)) }
            #expect(stranger.status.state == .misconfigured)
            try? stranger.shutdown(by: .now)
            #expect(nginx.folder.names(in: "store/files/strange") == [])

            let provider = try RemoteLogProvider(
                to: Files(folder: nginx.secureURL + "/files/all", token: "wrong"), spool: spool.path + "/spool",
                policy: SpoolPolicy(parcelEvents: 100), origin: Sample.origin, delivery: impatient,
                transport: CurlTransport(trust: HTTPTrust(authorities: nginx.authorities)))
            for event in events { provider.log(event) }
            #expect(throws: RemoteLogProviderError.self) { try provider.deliver(by: .seconds(30)) }
            #expect(provider.status.state == .misconfigured && provider.status.latestAnswer?.contains("401") == true)
            #expect(provider.deliveries == LogLedger(submitted: 1000))
            provider.update(to: Files(folder: nginx.secureURL + "/files/all"))
            try provider.deliver(by: .seconds(60))
            #expect(provider.deliveries == LogLedger(submitted: 1000, delivered: 1000))
            try provider.shutdown(by: .seconds(30))
            #expect(nginx.folder.names(in: "store/files/all").count == 10)
            #expect(Set(try nginx.lines("files/all")) == expected)
            #expect(try nginx.lines("files/all").count == 1000)

            // 413: 100 events are more than 4 KiB.
            let splits = Locked(0)
            let small = RemoteLogProvider(
                to: Files(folder: nginx.url + "/small", takesGzip: false), origin: Sample.origin,
                queue: RemoteQueuePolicy(parcelEvents: 100), delivery: impatient, transport: CurlTransport()
            ) { event in if case .split = event { splits.withLock { $0 += 1 } } }
            for event in events { small.log(event) }
            try small.deliver(by: .seconds(60))
            #expect(small.deliveries == LogLedger(submitted: 1000, delivered: 1000))
            try small.shutdown(by: .seconds(30))
            #expect(splits.withLock { $0 } > 0)
            #expect(try nginx.lines("small").count == 1000 && Set(try nginx.lines("small")) == expected)

            // 503: more than 5 requests a second.
            let busy = Locked(0)
            let few = RemoteLogProvider(
                to: Files(folder: nginx.url + "/few"), origin: Sample.origin, queue: RemoteQueuePolicy(parcelEvents: 50),
                delivery: impatient, transport: CurlTransport()
            ) { event in if case .willRetry(_, _, _, 503, _) = event { busy.withLock { $0 += 1 } } }
            for event in events { few.log(event) }
            try few.deliver(by: .seconds(60))
            #expect(few.deliveries == LogLedger(submitted: 1000, delivered: 1000))
            try few.shutdown(by: .seconds(30))
            #expect(busy.withLock { $0 } > 0)
            #expect(try nginx.lines("few").count == 1000 && Set(try nginx.lines("few")) == expected)
        }
    }

    @Test("HTTP/2 is spoken where it is offered, over one connection, and bodies arrive whole, also one whose length nobody knows")
    func theNewerHTTPIsSpoken() async throws {
        try await onThread {
            let nginx = try Nginx(), transport = CurlTransport(trust: HTTPTrust(authorities: nginx.authorities))
            let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
            let content = HTTPBodyStream(name: "third", bytes: body.count) { buffer, offset in
                let count = min(buffer.count, body.count - offset)
                buffer.copyBytes(from: body[offset..<(offset + count)])
                return count
            }
            let bodies: [(name: String, bytes: [UInt8], stream: HTTPBodyStream?)] = [
                ("first", body, nil), ("second", body, nil), ("third", [], content.gzip()),
            ]
            for (name, bytes, stream) in bodies {
                let request = HTTPRequest(method: "PUT", url: nginx.newerURL + "/spoken/" + name, body: bytes, stream: stream)
                #expect(try transport.sendAndWait(request, by: .seconds(60)).status == 201)
            }
            #expect(nginx.folder.bytes("store/spoken/first") == body && nginx.folder.bytes("store/spoken/second") == body)
            #expect(try Gzip.inflate(nginx.folder.bytes("store/spoken/third"), limit: 1 << 20) == body)
            // A request is written down when it is over for nginx.
            #expect(becomesTrue { nginx.folder.text("spoken").split(separator: "\n").count == 3 })
            let lines = nginx.folder.text("spoken").split(separator: "\n").map { $0.split(separator: " ") }
            #expect(lines.map { $0.first } == ["HTTP/2.0", "HTTP/2.0", "HTTP/2.0"])
            #expect(Set(lines.map { $0.last }).count == 1, "\(lines)")
        }
    }

    @Test func aFileThatIsCompressedOnItsWayIsThereWhole() async throws {
        try await onThread {
            let nginx = try Nginx()
            let line = Array("one line of a file that is compressed while it is sent\n".utf8)
            let block = Array(repeatElement(line, count: 3000).joined()), bytes = block.count * 100
            let content = HTTPBodyStream(name: "file", bytes: bytes) { buffer, offset in
                let start = offset % block.count, count = min(buffer.count, block.count - start)
                buffer.copyBytes(from: block[start..<(start + count)])
                return count
            }
            var request = HTTPRequest(
                method: "PUT", url: nginx.secureURL + "/files/large.gz", headers: [HTTPHeader("Authorization", "Bearer right")],
                stream: content.gzip())
            // Compressed on a busy machine under a sanitizer, this much takes longer than a request may by itself.
            request.limits.total = .seconds(300)
            let transport = CurlTransport(trust: HTTPTrust(authorities: nginx.authorities))
            #expect(try transport.sendAndWait(request, by: .seconds(300)).status == 201)
            let codec = try GzipStream.inflating()
            var stored: [UInt8] = []
            try nginx.folder.bytes("store/files/large.gz").withUnsafeBytes { try codec.take($0, isLast: true) { stored += $0 } }
            #expect(stored.count == bytes && stored.starts(with: line) && stored.suffix(line.count).elementsEqual(line))
        }
    }
}
