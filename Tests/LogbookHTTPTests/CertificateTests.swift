import Foundation
import LogbookCore
import LogbookHTTP
import LogbookTestKit
import Testing

/// Asks a server when it is flushed, on a connection of its own, and notes the answer.
private final class Asking: LogProvider {
    private let request: HTTPRequest, transport: CurlTransport, answers: String

    init(port: Int, trusting authority: String, answers: String) {
        request = HTTPRequest(method: "GET", url: "https://localhost:\(port)/")
        transport = CurlTransport(trust: HTTPTrust(authorities: authority))
        self.answers = answers
    }

    func log(_ event: LogEvent) {}
    func flush(by deadline: LogDeadline) throws {
        let status = try transport.sendAndWait(request, by: deadline).status
        let before = (try? String(contentsOfFile: answers, encoding: .utf8)) ?? ""
        try "\(before)\(status)\n".write(toFile: answers, atomically: true, encoding: .utf8)
    }
}

/// `openssl s_server` with a certificate made for the test; it answers every GET.
private final class TLSServer {
    let folder: URL
    let port: Int
    private let process: ChildProcess
    var certificate: String { folder.appendingPathComponent("certificate.pem").path }

    /// - Parameters:
    ///   - name: What the certificate is for, such as `DNS:localhost`.
    ///   - authority: Who vouches for it; nobody else by default.
    init(for name: String, isExpired: Bool = false, by authority: Authority? = nil, arguments: [String] = []) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        if let authority {
            try #require(try authority.issue(for: name, in: folder.path) == 0)
        } else {
            _ = try TestCertificate(for: name, in: folder.path)
        }
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

    static func run(_ arguments: [String], in folder: String? = nil) throws -> Int32 {
        if case .exited(let status) = try ChildProcess.run(["openssl"] + arguments, in: folder) { status } else { -1 }
    }
}

/// An authority that issues certificates and revokes them, in files.
private final class Authority {
    let folder = TemporaryFolder()
    var certificate: String { folder.path + "/ca.pem" }

    init() throws {
        folder.write("", to: "index.txt")
        folder.write("""
            [ca]
            default_ca = ours
            [ours]
            database = index.txt
            certificate = ca.pem
            private_key = ca.key
            default_md = sha256
            default_crl_days = 2
            """, to: "ca.cnf")
        let made = try TLSServer.run(
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                "/CN=authority \(UUID().uuidString)", "-keyout", "ca.key", "-out", "ca.pem",
            ], in: folder.path)
        try #require(made == 0)
    }

    /// - Returns: What `openssl` ended with.
    func issue(for name: String, in place: String) throws -> Int32 {
        let asked = try TLSServer.run(
            [
                "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=test", "-addext",
                "subjectAltName=\(name)", "-keyout", place + "/key.pem", "-out", place + "/asked.pem",
            ])
        try #require(asked == 0)
        return try TLSServer.run(
            [
                "x509", "-req", "-in", place + "/asked.pem", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
                "-copy_extensions", "copy", "-out", place + "/certificate.pem",
            ], in: folder.path)
    }

    func revoke(_ certificate: String) throws {
        try #require(try TLSServer.run(["ca", "-config", "ca.cnf", "-revoke", certificate], in: folder.path) == 0)
    }

    /// The list of what is revoked now, in a file.
    func revocations(_ name: String) throws -> String {
        try #require(try TLSServer.run(["ca", "-config", "ca.cnf", "-gencrl", "-out", name], in: folder.path) == 0)
        return folder.path + "/" + name
    }
}

@Suite(.enabled(if: TestCertificate.isPossible, "needs the openssl tool"), .serialized)
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

    @Test("51, S12: a server of a protocol older than TLS 1.2 is not trusted", arguments: ["-tls1", "-tls1_1"])
    func oldProtocol(version: String) async throws {
        let server = try TLSServer(for: "DNS:localhost", arguments: [version, "-cipher", "DEFAULT@SECLEVEL=0"])
        let result = await send(to: server, trusting: server.certificate)
        guard case .failure(.untrusted(let reason)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(reason.contains("TLS 1.2"))
    }

    @Test("51: a certificate from another authority than ours is refused, also where the server had one of ours before")
    func anotherAuthority() async throws {
        let ours = try Authority(), other = try Authority()
        let server = try TLSServer(for: "DNS:localhost", by: ours), swapped = try TLSServer(for: "DNS:localhost", by: other)
        #expect(await send(to: server, trusting: ours.certificate) == .success(200))
        guard case .failure(.untrusted) = await send(to: swapped, trusting: ours.certificate) else {
            Issue.record("another authority was trusted")
            return
        }
    }

    #if os(Linux)
        private static let mayMount: Bool =
            geteuid() == 0
            && (try? ChildProcess.run(["unshare", "-m", "mount", "-t", "tmpfs", "none", "/etc/ssl/certs"], by: .seconds(30))) == .exited(0)

        @Test(
            "51: who names authorities trusts no other, also where the system has a folder of them",
            .enabled(if: mayMount, "needs root and unshare, for a folder of authorities of its own"))
        func oursStandInThePlaceOfTheSystems() async throws {
            let ours = try Authority(), systems = try Authority(), server = try TLSServer(for: "DNS:localhost", by: systems)
            let own = ours.certificate, other = systems.certificate, port = server.port
            await #expect(processExitsWith: .success) { [own = own as String, other = other as String, port = port as Int] in
                // `unshare(CLONE_NEWNS)`, which Swift's Glibc does not show.
                let unshare = unsafeBitCast(try #require(dlsym(nil, "unshare")), to: (@convention(c) (Int32) -> Int32).self)
                try #require(unshare(0x2_0000) == 0)
                // The system's file knows ours alone, and its folder the other as well.
                let made = try ChildProcess.run([
                    "sh", "-ec",
                    """
                    mount --make-rprivate / && mount -t tmpfs none /etc/ssl/certs
                    cp '\(own)' /etc/ssl/certs/ca-certificates.crt
                    cp '\(other)' "/etc/ssl/certs/$(openssl x509 -hash -noout -in '\(other)').0"
                    """,
                ])
                try #require(made == .exited(0))
                func status(_ trust: HTTPTrust) throws(HTTPFailure) -> Int {
                    let request = HTTPRequest(method: "GET", url: "https://localhost:\(port)/")
                    return try CurlTransport(trust: trust).sendAndWait(request, by: .seconds(60)).status
                }
                #expect(try status(HTTPTrust()) == 200)
                do throws(HTTPFailure) {
                    _ = try status(HTTPTrust(authorities: own))
                    Issue.record("the system's authority was trusted")
                } catch {
                    guard case .untrusted = error else { throw error }
                }
            }
        }
    #endif

    @Test("what a program says last goes out over TLS, also while it ends")
    func theEndOfTheProgram() async throws {
        let server = try TLSServer(for: "DNS:localhost"), folder = TemporaryFolder()
        let port = server.port, authority = server.certificate, answers = folder("answers")
        await #expect(processExitsWith: .success) {
            [port = port as Int, authority = authority as String, answers = answers as String] in
            LogService.exitFlushLimit = .seconds(60)
            LogService.register(provider: Asking(port: port, trusting: authority, answers: answers))
            #expect(LogService.shared.flush(by: .seconds(60)).isComplete)   // from now on the TLS library is in use
        }
        #expect(folder.text("answers") == "200\n200\n")
    }

    @Test("51: a certificate that its authority has revoked is refused, and so is one of an authority that has said nothing")
    func revoked() async throws {
        let authority = try Authority(), other = try Authority()
        let server = try TLSServer(for: "DNS:localhost", by: authority)
        func trust(_ revocations: String) -> HTTPTrust { HTTPTrust(authorities: authority.certificate, revocations: revocations) }
        #expect(await send(to: server, trust: trust(try authority.revocations("before.pem"))) == .success(200))
        try authority.revoke(server.certificate)
        for list in [try authority.revocations("after.pem"), try other.revocations("other.pem"), "/no/such/list.pem"] {
            let result = await send(to: server, trust: trust(list))
            guard case .failure(.untrusted) = result else {
                Issue.record("\(list): \(result)")
                continue
            }
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

    @Test func aProgramThatThisOneStartsInheritsNoConnection() throws {
        let server = try TLSServer(for: "DNS:localhost")
        let connection = try TLSConnection(
            host: "localhost", port: server.port, trust: HTTPTrust(authorities: server.certificate), timeout: .seconds(60))
        #expect(fcntl(connection.descriptor, F_GETFD) & FD_CLOEXEC != 0)
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
