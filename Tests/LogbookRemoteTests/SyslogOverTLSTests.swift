import LogbookCore
import LogbookHTTP
import LogbookSystemLog
import LogbookTestKit
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@testable import LogbookRemote

/// `openssl s_server`: it keeps what it is sent, of one connection after the other.
private final class TLSReceiver {
    private let folder: TemporaryFolder
    private let output: String
    private let process: ChildProcess
    private let ends = Unshared.pipe()   // it ends with its input

    init(_ certificate: TestCertificate, port: Int, in folder: TemporaryFolder, output: String) throws {
        (self.folder, self.output) = (folder, output)
        process = try ChildProcess(
            ["openssl", "s_server", "-quiet", "-accept", "127.0.0.1:\(port)", "-key", certificate.key, "-cert", certificate.certificate],
            input: ends[0], output: folder(output), errors: folder(output + ".errors"))
        let deadline = LogDeadline.seconds(60)
        while !Self.listens(port) {
            guard process.end == nil, !deadline.hasPassed else { throw ScriptedFailure("s_server: \(folder.text(output + ".errors"))") }
            usleep(2000)
        }
    }

    deinit {
        end()
        for descriptor in ends { close(descriptor) }
    }

    /// By the kernel's list: a connection would be one too many.
    private static func listens(_ port: Int) -> Bool {
        let address = "0100007F:" + String(0x10000 + port, radix: 16, uppercase: true).dropFirst()
        return (try? ChildProcess.run(["grep", "-q", "\(address) 00000000:0000 0A", "/proc/net/tcp"], by: .seconds(60))) == .exited(0)
    }

    func signal(_ number: Int32) { kill(process.identifier, number) }

    func end() {
        kill(process.identifier, SIGKILL)
        process.wait()
    }

    /// The texts of the messages, each of which came with its length before it.
    func texts(atLeast count: Int) -> [String] {
        let deadline = LogDeadline.seconds(60)
        while true {
            var texts: [String] = [], rest = folder.bytes(output)[...]
            while let space = rest.firstIndex(of: 0x20), let length = Int(String(decoding: rest[..<space], as: UTF8.self)),
                rest.endIndex - space - 1 >= length
            {
                let frame = String(decoding: rest[(space + 1)...].prefix(length), as: UTF8.self)
                rest = rest[(space + 1)...].dropFirst(length)
                texts.append(frame.split(separator: "] ", maxSplits: 1).last.map(String.init) ?? "")   // behind the structured data
            }
            if texts.count >= count || deadline.hasPassed { return texts + (rest.isEmpty ? [] : ["and \(rest.count) bytes more"]) }
            usleep(5000)
        }
    }
}

@Suite(.serialized, .enabled(if: TestCertificate.isPossible, "needs the openssl tool"))
struct SyslogOverTLSTests {
    private let folder = TemporaryFolder()

    private func event(_ message: String) -> LogEvent { LogEvent(sequence: 7, time: LogTime(nanoseconds: 0), level: .notice, message: message) }

    private func provider(
        to host: String = "localhost", port: Int, trusting authorities: String?, patience: Duration = .seconds(30), clock: LogClock = .system
    ) throws -> SyslogLogProvider {
        try SyslogLogProvider(overTLSTo: host, port: port, trust: HTTPTrust(authorities: authorities), patience: patience, clock: clock)
    }

    private func failure(of provider: SyslogLogProvider, _ message: String = "not sent") -> String {
        do { try provider.write([event(message)]) } catch BatchWriteError.wroteOnly(count: 0, because: let reason) { return "\(reason)" } catch {
            return "unexpected: \(error)"
        }
        return "none"
    }

    @Test func aConnectionIsKeptAndMadeAnewWhenTheServerWasAway() throws {
        let certificate = try TestCertificate(for: "DNS:localhost", in: folder.path), port = Int(try FreePorts.take(1)[0])
        let first = try TLSReceiver(certificate, port: port, in: folder, output: "first")
        let clock = ManualClock(now: LogTime(nanoseconds: 0))
        let provider = try provider(port: port, trusting: certificate.certificate, clock: .manual(clock))
        for number in 1...100 { provider.log(event("event \(number)\nline")) }
        #expect(first.texts(atLeast: 100) == (1...100).map { #"event \#($0)\nline"# })
        #expect(provider.ledger == LogLedger(submitted: 100, delivered: 100))

        first.end()
        #expect(failure(of: provider).contains("tls://localhost:\(port) takes no messages: no connection: "))
        let second = try TLSReceiver(certificate, port: port, in: folder, output: "second")
        clock.advance(by: .seconds(1))
        try provider.write((1...100).map { event("later \($0)") })
        #expect(second.texts(atLeast: 100) == (1...100).map { "later \($0)" })
        provider.shutdown(by: .seconds(1))
        provider.shutdown(by: .seconds(1))
        #expect(throws: BatchWriteError.self) { try provider.write([event("too late")]) }
    }

    @Test("a server without a certificate to trust is sent nothing, and what is queued waits until it has one")
    func nothingGoesToWhoIsNotTrusted() throws {
        let certificate = try TestCertificate(for: "DNS:elsewhere.example", in: folder.path), port = Int(try FreePorts.take(1)[0])
        let receiver = try TLSReceiver(certificate, port: port, in: folder, output: "received")
        #expect(failure(of: try provider(port: port, trusting: nil)).contains("the server is not to be trusted: SSL certificate problem"))
        #expect(failure(of: try provider(port: port, trusting: certificate.certificate)).contains("the server is not to be trusted: SSL: no alternative"))
        #expect(failure(of: try provider(port: port, trusting: folder("none.pem"))).contains("none.pem"))
        receiver.end()
        #expect(receiver.texts(atLeast: 0) == [])
    }

    @Test func aServerThatStandsStillHoldsNobodyUp() throws {
        let certificate = try TestCertificate(for: "DNS:localhost", in: folder.path), port = Int(try FreePorts.take(1)[0])
        let receiver = try TLSReceiver(certificate, port: port, in: folder, output: "received")
        let provider = try provider(port: port, trusting: certificate.certificate, patience: .milliseconds(50))
        let text = String(repeating: "x", count: 7000)
        try provider.write([event("0 \(text)")])
        receiver.signal(SIGSTOP)
        var written = 1, why = ""
        while why.isEmpty, written < 10_000 {
            do {
                try provider.write([event("\(written) \(text)")])
                written += 1
            } catch BatchWriteError.wroteOnly(count: 0, because: let reason) { why = "\(reason)" }
        }
        #expect(why == "tls://localhost:\(port) takes no more messages at the moment; log less, or register from a higher level")
        // Those behind it do not wait. Now and then the kernel finds room for one more.
        for _ in 1...100 {
            let failure = failure(of: provider, "\(written) \(text)")
            if failure == "none" { written += 1 } else { #expect(failure == why) }
        }

        receiver.signal(SIGCONT)
        for number in [written, written + 1] { #expect(becomesTrue { (try? provider.write([event("\(number) \(text)")])) != nil }) }
        let texts = receiver.texts(atLeast: written + 2)
        #expect(texts.map { $0.prefix { $0 != " " } } == (0...(written + 1)).map { "\($0)" })
        #expect(texts.allSatisfy { $0.hasSuffix(" " + text) })
    }

    @Test("a message that was given up in its middle arrives before the next")
    func whatWasBegunIsEnded() throws {
        let certificate = try TestCertificate(for: "DNS:localhost", in: folder.path), port = Int(try FreePorts.take(1)[0])
        let receiver = try TLSReceiver(certificate, port: port, in: folder, output: "received")
        let provider = try provider(port: port, trusting: certificate.certificate, patience: .milliseconds(50))
        let text = String(repeating: "x", count: 7000)
        provider.log(event("0 \(text)"))
        receiver.signal(SIGSTOP)
        var logged = 1
        while provider.ledger?.droppedTotal == 0, logged < 10_000 {
            provider.log(event("\(logged) \(text)"))
            logged += 1
        }
        receiver.signal(SIGCONT)
        provider.shutdown(by: .seconds(60))
        let texts = receiver.texts(atLeast: logged)
        #expect(texts.map { $0.prefix { $0 != " " } } == (0..<logged).map { "\($0)" })
        #expect(provider.ledger == LogLedger(submitted: UInt64(logged), delivered: UInt64(logged - 1), dropped: [.inputOutputError: 1]))
    }

    @Test("messages of a program that ends at once arrive, though the server has sent what nobody reads")
    func theEndLosesNothing() throws {
        let certificate = try TestCertificate(for: "DNS:localhost", in: folder.path), port = Int(try FreePorts.take(1)[0])
        let receiver = try TLSReceiver(certificate, port: port, in: folder, output: "received")
        for round in 0..<20 {
            let provider = try provider(port: port, trusting: certificate.certificate)
            provider.log(event("\(round) first"))
            provider.log(event("\(round) last \(String(repeating: "x", count: 7000))"))
            provider.shutdown(by: .seconds(60))
        }
        #expect(receiver.texts(atLeast: 40).map { $0.prefix(14).prefix { $0 != "x" } } == (0..<20).flatMap { ["\($0) first", "\($0) last "] })
    }

    @Test func anAddressThatCannotBeRightIsRefused() {
        func refused(_ reason: String) -> SystemLogError { .invalid(reason) }
        #expect(throws: refused("'logs.example.org/x' is not the name of a host")) { try SyslogLogProvider(overTLSTo: "logs.example.org/x") }
        #expect(throws: refused("the name of the syslog server is empty or holds a NUL")) { try SyslogLogProvider(overTLSTo: "") }
        #expect(throws: refused("the port of the syslog server must be 1 to 65535, and not 0")) { try SyslogLogProvider(overTLSTo: "a", port: 0) }
        #expect(throws: refused("0 is no number of an enterprise")) { try SyslogLogProvider(overTLSTo: "a", enterprise: 0) }
    }

    private static let hasRsyslog =
        access("/usr/sbin/rsyslogd", X_OK) == 0
        && (try? ChildProcess.run(["sh", "-c", "ls /usr/lib/*/rsyslog/lmnsd_gtls.so"], by: .seconds(60))) == .exited(0)

    @Test(
        "a real rsyslog reads every message over TLS, from whoever has the certificate that it asks for",
        .enabled(if: hasRsyslog, "needs the Debian package rsyslog-gnutls"))
    func everythingIsReadByRsyslog() throws {
        let port = Int(try FreePorts.take(1)[0])
        folder.makeFolder("client")
        let server = try TestCertificate(for: "DNS:localhost", in: folder.path), client = try TestCertificate(for: "DNS:till7", in: folder("client"))
        folder.write("""
            global(workDirectory="\(folder.path)" maxMessageSize="64k" defaultNetstreamDriver="gtls"
              defaultNetstreamDriverCAFile="\(client.certificate)"
              defaultNetstreamDriverCertFile="\(server.certificate)" defaultNetstreamDriverKeyFile="\(server.key)")
            module(load="imtcp" streamDriver.name="gtls" streamDriver.mode="1" streamDriver.authMode="x509/certvalid")
            input(type="imtcp" address="127.0.0.1" port="\(port)")
            template(name="row" type="list") { property(name="app-name") constant(value=" ") property(name="msg") constant(value="\\n") }
            action(type="omfile" file="\(folder("rows"))" template="row" asyncWriting="off")

            """, to: "rsyslog.conf")
        let process = try ChildProcess(
            ["/usr/sbin/rsyslogd", "-n", "-f", folder("rsyslog.conf"), "-i", folder("pid")], in: folder.path, output: folder("said"),
            errors: folder("complained"))
        defer {
            kill(process.identifier, SIGTERM)
            process.wait(by: .seconds(30))
        }
        let provider = try SyslogLogProvider(
            overTLSTo: "localhost", port: port,
            trust: HTTPTrust(authorities: server.certificate, client: .init(certificate: client.certificate, key: client.key)),
            application: "checkout")
        let service = LogService()
        service.register(provider, delivery: .queued())
        for number in 1...500 { service.notice("event \(number)") }
        service.error("größer als \(String(repeating: "y", count: 6000))")
        #expect(service.flush(by: .seconds(60)).isComplete, "\(folder.text("complained"))")

        let expected = (1...500).map { "checkout event \($0)" } + ["checkout größer als \(String(repeating: "y", count: 6000))"]
        let deadline = LogDeadline.seconds(60)
        while folder.text("rows").utf8.count(where: { $0 == 0x0A }) < expected.count, !deadline.hasPassed { usleep(5000) }
        #expect(folder.text("rows").split(separator: "\n").map(String.init) == expected, "\(folder.text("complained"))")
        #expect(service.health().providers[0].ledger == LogLedger(submitted: 501, delivered: 501))
    }
}
