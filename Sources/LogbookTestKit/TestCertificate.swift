/// A certificate that vouches for itself, for a server of a test, and its key; made with the `openssl` tool and valid for two days.
package struct TestCertificate: Sendable {
    package let certificate: String
    package let key: String

    /// Whether there is an `openssl` tool.
    package static let isPossible = (try? ChildProcess.run(["openssl", "version"], by: .seconds(60))) == .exited(0)

    /// - Parameters:
    ///   - name: What it is for: `DNS:localhost`, `IP:127.0.0.1`.
    ///   - folder: Where `certificate.pem` and `key.pem` will be.
    package init(for name: String, in folder: String) throws {
        certificate = folder + "/certificate.pem"
        key = folder + "/key.pem"
        let end = try ChildProcess.run([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=test",
            "-addext", "subjectAltName=\(name)", "-keyout", key, "-out", certificate,
        ])
        guard end == .exited(0) else { throw ScriptedFailure("openssl made no certificate for \(name): \(end)") }
    }
}
