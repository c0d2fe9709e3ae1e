import Foundation
import LogbookCore
import LogbookHTTP
import LogbookTestKit
import Testing

/// `openssl s_server` with a certificate made for the test; it answers every GET.
private final class TLSServer {
    let folder: URL
    let port: Int
    private let process: ChildProcess
    var certificate: String { folder.appendingPathComponent("certificate.pem").path }

    static let isPossible: Bool = (try? run(["version"])) == 0

    /// - Parameter name: What the certificate is for, such as `DNS:localhost`.
    init(for name: String, arguments: [String] = []) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let files = ["-keyout", folder.path + "/key.pem", "-out", folder.path + "/certificate.pem"]
        let made = try Self.run(
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                "/CN=test",
                "-addext", "subjectAltName=\(name)",
            ] + files)
        try #require(made == 0)
        let output = folder.path + "/output"
        process = try ChildProcess(
            [
                "openssl", "s_server", "-accept", "127.0.0.1:0", "-www", "-key", folder.path + "/key.pem", "-cert",
                folder.path + "/certificate.pem",
            ] + arguments, output: output)
        // ACCEPT 127.0.0.1:41234
        var text = ""
        let limit = LogDeadline.seconds(60)
        while !text.contains("ACCEPT") || text.last != "\n", process.end == nil, !limit.hasPassed {
            text = try String(contentsOfFile: output, encoding: .utf8)
            usleep(2000)
        }
        let line = text.split(separator: "\n").last { $0.hasPrefix("ACCEPT") }
        port = try #require(line?.split(separator: ":").last.flatMap { Int($0) })
    }

    deinit {
        process.wait(by: .now)
        try? FileManager.default.removeItem(at: folder)
    }

    private static func run(_ arguments: [String]) throws -> Int32 {
        if case .exited(let status) = try ChildProcess.run(["openssl"] + arguments) { status } else { -1 }
    }
}

@Suite(.enabled(if: TLSServer.isPossible, "needs the openssl tool"), .serialized)
struct CertificateTests {
    private func send(to server: TLSServer, host: String = "localhost", trusting file: String?) async -> Result<
        Int, HTTPFailure
    > {
        let transport = CurlTransport(certificateAuthorities: file)
        do throws(HTTPFailure) {
            return .success(
                try await transport.send(HTTPRequest(method: "GET", url: "https://\(host):\(server.port)/")).status)
        } catch { return .failure(error) }
    }

    @Test("51, S12: a certificate nobody vouches for is refused, and taken when its issuer is named")
    func selfSigned() async throws {
        let server = try TLSServer(for: "DNS:localhost")
        guard case .failure(.untrusted) = await send(to: server, trusting: nil) else {
            Issue.record("a stranger was trusted")
            return
        }
        #expect(await send(to: server, trusting: server.certificate) == .success(200))
    }

    @Test("51, S12: a certificate for another host is refused")
    func wrongHost() async throws {
        let server = try TLSServer(for: "DNS:other.example.com")
        guard case .failure(.untrusted) = await send(to: server, trusting: server.certificate) else {
            Issue.record("another host was trusted")
            return
        }
    }

    @Test("51, S12: a protocol older than TLS 1.2 is refused")
    func oldProtocol() async throws {
        let server = try TLSServer(for: "DNS:localhost", arguments: ["-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"])
        guard case .failure = await send(to: server, trusting: server.certificate) else {
            Issue.record("TLS 1.1 was spoken")
            return
        }
    }

    @Test("51: a file of certificates that cannot be read is no reason to trust anybody")
    func missingAuthorities() async throws {
        let server = try TLSServer(for: "DNS:localhost")
        guard case .failure(.untrusted) = await send(to: server, trusting: "/no/such/file.pem") else {
            Issue.record("trusted without authorities")
            return
        }
    }
}
