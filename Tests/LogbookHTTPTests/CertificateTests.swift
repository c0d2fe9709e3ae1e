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
    init(for name: String, isExpired: Bool = false, arguments: [String] = []) throws {
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
        if isExpired {
            let certificate = folder.path + "/certificate.pem", over = folder.path + "/over.pem"
            let signed = try Self.run(["x509", "-in", certificate, "-signkey", folder.path + "/key.pem", "-days", "-1", "-out", over])
            try #require(signed == 0)
            try #require(rename(over, certificate) == 0)
        }
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

    /// SHA-256 of the public key, in base64.
    func keyDigest() throws -> String {
        let path = folder.path
        #expect(try Self.run(["pkey", "-in", path + "/key.pem", "-pubout", "-outform", "DER", "-out", path + "/key.der"]) == 0)
        #expect(try Self.run(["dgst", "-sha256", "-binary", "-out", path + "/key.sha", path + "/key.der"]) == 0)
        return try Data(contentsOf: folder.appendingPathComponent("key.sha")).base64EncodedString()
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
        await send(to: server, host: host, trust: HTTPTrust(authorities: file))
    }

    private func send(to server: TLSServer, host: String = "localhost", trust: HTTPTrust) async -> Result<Int, HTTPFailure> {
        let transport = CurlTransport(trust: trust)
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

    @Test("51, S12: a certificate whose time is over is refused")
    func expired() async throws {
        let server = try TLSServer(for: "DNS:localhost", isExpired: true)
        guard case .failure(.untrusted) = await send(to: server, trusting: server.certificate) else {
            Issue.record("an expired certificate was trusted")
            return
        }
    }

    @Test("51, S12: with a pinned key only that key is trusted, however valid another's certificate is")
    func pinnedKeys() async throws {
        let server = try TLSServer(for: "DNS:localhost"), other = try TLSServer(for: "DNS:localhost")
        let pinned = HTTPTrust(authorities: server.certificate, pinnedKeys: [try server.keyDigest()])
        #expect(await send(to: server, trust: pinned) == .success(200))
        for keys in [[try other.keyDigest()], [String(repeating: "A", count: 43) + "="]] {
            guard case .failure(.untrusted) = await send(
                to: server, trust: HTTPTrust(authorities: server.certificate, pinnedKeys: keys))
            else {
                Issue.record("another key was trusted")
                return
            }
        }
        // A pin is no substitute for a certificate that somebody vouches for.
        guard case .failure(.untrusted) = await send(to: server, trust: HTTPTrust(pinnedKeys: [try server.keyDigest()])) else {
            Issue.record("a pinned stranger was trusted")
            return
        }
    }

    @Test("S12: a server that asks who we are is shown our certificate, and a missing one is our fault and not the server's")
    func clientCertificate() async throws {
        let us = try TLSServer(for: "DNS:us"), folder = us.folder.path
        let server = try TLSServer(for: "DNS:localhost", arguments: ["-Verify", "1", "-verify_return_error", "-CAfile", us.certificate])
        let client = HTTPTrust.Client(certificate: us.certificate, key: folder + "/key.pem")
        #expect(await send(to: server, trust: HTTPTrust(authorities: server.certificate, client: client)) == .success(200))
        guard case .failure = await send(to: server, trusting: server.certificate) else {
            Issue.record("the server took a stranger")
            return
        }
        let missing = HTTPTrust.Client(certificate: folder + "/no.pem", key: folder + "/no.pem", password: "hush")
        guard case .failure(.untrusted(let reason)) = await send(
            to: server, trust: HTTPTrust(authorities: server.certificate, client: missing))
        else {
            Issue.record("a certificate that is not there was shown")
            return
        }
        #expect(!reason.contains("hush"))
        #expect(!"\(missing)".contains("hush"))
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
