import Foundation
import Logbook
import LogbookCore
import LogbookFlightRecorder
import LogbookGzip
import LogbookHTTP
import LogbookRemote
import LogbookSystemLog
import LogbookTestKit
import Testing

#if SwiftLog
    import LogbookSwiftLog
    import Logging
#endif
#if Transactions
    import LogbookTransactions
#endif

/// Hundreds of secrets are logged in every place that takes text, to every provider there is; then every byte that came out is searched.
@Suite struct TaintTests {
    private static let count = 500

    private final class Folder: Sendable {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("logbook-taint-" + UUID().uuidString).path
        init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(atPath: path) }

        /// Every file below, by its path within.
        var files: [String: Data] {
            var files: [String: Data] = [:]
            for name in FileManager.default.enumerator(atPath: path)?.allObjects as? [String] ?? [] {
                if let data = FileManager.default.contents(atPath: path + "/" + name) { files[name] = data }
            }
            return files
        }
    }

    /// Keeps what reached it in a file, as everything that Swift can say of it.
    private final class Dump: LogProvider {
        private let path: String
        private let text = Locked("")
        init(_ path: String) { self.path = path }
        func log(_ event: LogbookCore.LogEvent) {
            var shown = ""
            dump(event, to: &shown)
            text.withLock { $0 += shown + "\(event)\n" }
        }
        func flush(by deadline: LogDeadline) throws { try text.withLock { try $0.write(toFile: path, atomically: false, encoding: .utf8) } }
    }

    #if SwiftLog
        private struct DumpHandler: LogHandler {
            let lines: Locked<String>
            var metadata: Logger.Metadata = [:]
            var logLevel = Logger.Level.trace
            subscript(metadataKey key: String) -> Logger.Metadata.Value? {
                get { metadata[key] }
                set { metadata[key] = newValue }
            }
            func log(event: Logging.LogEvent) {
                lines.withLock { $0 += "\(event.level) \(event.message) \(event.metadata ?? [:]) \(event.error.map { "\($0)" } ?? "")\n" }
            }
        }
    #endif

    /// Runs in a process of its own, whose output the test reads as well.
    private static func sayEverything(in path: String, rules: PrivacyRules, mode: PrivacyMode) throws {
        let service = LogService(privacy: mode), received = Locked([UInt8]())
        service.privacyRules = rules
        func see(_ registration: LogRegistration, _ own: PrivacyMode) { if mode == .masked { registration.privacy = own } }

        service.register(ConsoleLogProvider(format: .article, splitsErrors: true), from: .verbose)
        service.register(try FileLogProvider(in: path, name: "text"))
        see(service.register(try FileLogProvider(in: path, name: "json", format: .jsonLines)), .hashed)
        see(service.register(try FileLogProvider(in: path, name: "logfmt", format: .logfmt)), .dropped)
        service.register(try FileLogProvider(in: path, name: "ecs", format: .ecs), delivery: .queued())
        service.register(RecentEvents(try FileLogProvider(in: path, name: "recent"), RecentEventsPolicy(scope: .everything)))
        service.register(FoldingRepeats(Sampling(try FileLogProvider(in: path, name: "wrapped"), SamplingPolicy(first: 9, every: 2))))
        let recorder = try FlightRecorder(path: path + "/ring", capacityBytes: 4 << 20)
        service.register(recorder)
        service.register(Dump(path + "/dump"))

        let server = try LoopbackServer { request in
            let isGzip = request.header("Content-Encoding") == "gzip"
            let body = isGzip ? (try? Gzip.inflate(request.body, limit: 64 << 20)) ?? [] : request.body
            received.withLock { $0 += Array("\(request.target) \(request.headers)\n".utf8) + request.body + body }
            return .status(200)
        }
        service.register(RemoteLogProvider(to: HTTPDestination(url: server.url)))
        // Nobody answers there, so that everything stays in the folder.
        let nobody = HTTPDestination(url: "http://127.0.0.1:1")
        service.register(try RemoteLogProvider(to: nobody, spool: path + "/spool", name: "spool"))
        let journal = FakeSystemLog(at: path + "/journal.socket"), syslog = FakeSystemLog()
        service.register(
            try JournalLogProvider(identifier: nil, socket: path + "/journal.socket", patience: .seconds(60), clock: .system),
            delivery: .queued())
        service.register(
            try SyslogLogProvider(to: .udp(host: "127.0.0.1", port: syslog.port)), delivery: .queued())
        #if Transactions
            var configuration = TransactionLogConfiguration(storePath: path + "/store.sqlite", storeURL: server.url, token: "hush")
            configuration.wireVersion = .v0_0_1   // the server says no more than a status
            configuration.delivery.interval = nil
            let transactions = try TransactionLogProvider(configuration: configuration)
            service.register(transactions)
        #endif
        #if SwiftLog
            let lines = Locked("")
            service.register(SwiftLogForwardingProvider(to: Logger(label: "out") { _ in DumpHandler(lines: lines) }))
        #endif

        for secret in PlantedSecret.all(count: count) { secret.say(to: service) }
        service.critical("the sinks are asked")
        let report = service.flush(by: .seconds(60))
        #if Transactions
            // Before what is in it is delivered, and deleted.
            for end in ["", "-wal"] { try FileManager.default.copyItem(atPath: path + "/store.sqlite" + end, toPath: path + "/stored" + end) }
            try? transactions.deliver(by: .seconds(60))
        #endif
        for (name, log) in [("journal", journal), ("syslog", syslog)] {
            _ = log.messages(1)
            try Data(log.messages.flatMap { $0.bytes + [0x0A] }).write(to: URL(fileURLWithPath: path + "/" + name))
        }
        print("\(report)\n\(service.health())\n\(service.explain(.error, "explained"))")
        try Data(received.withLock { $0 }).write(to: URL(fileURLWithPath: path + "/received"))
        #if SwiftLog
            try lines.withLock { try $0.write(toFile: path + "/swift-log", atomically: false, encoding: .utf8) }
        #endif
    }

    private func outcome(_ result: ExitTest.Result?, _ folder: Folder) -> [String: Data] {
        var outcome = folder.files
        let spooled = outcome.filter { $0.key.hasPrefix("spool/") }
        outcome["spool"] = spooled.values.reduce(into: Data()) { $0.append($1) }
        outcome["standard output"] = Data(result?.standardOutputContent ?? [])
        outcome["standard error"] = Data(result?.standardErrorContent ?? [])
        return outcome
    }

    private static let always = [
        "text.log", "json.log", "logfmt.log", "ecs.log", "recent.log", "wrapped.log", "ring", "dump", "received", "spool", "journal", "syslog",
        "standard output", "standard error",
    ]

    @Test("S4, S37: of 500 secrets, marked and found, nothing that was written anywhere holds one")
    func noSecretIsWrittenAnywhere() async throws {
        let folder = try Folder()
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [path = folder.path as String] in
            alarm(240)
            try TaintTests.sayEverything(in: path, rules: .standard, mode: .masked)
        }
        let outcome = outcome(result, folder), secrets = PlantedSecret.all(count: Self.count)
        for (name, bytes) in outcome {
            let found = bytes.found(secrets.map(\.needle))
            for secret in secrets where found.contains(secret.needle) {
                Issue.record("\(secret.kind) in \(secret.place) came out in \(name): \(secret.needle)")
            }
        }
        // Everything was said, and came out everywhere.
        for name in ["text.log", "json.log", "logfmt.log", "ecs.log", "dump", "received", "spool"] {
            let missing = Set(secrets.map(\.tag)).subtracting(outcome[name]?.found(secrets.map(\.tag)) ?? [])
            #expect(missing.isEmpty, "\(name) lacks \(missing)")
        }
        for name in Self.always { #expect((outcome[name]?.count ?? 0) > 1000, "\(name)") }
        for name in ["text.log", "ring", "dump", "received"] { #expect(outcome[name]?.contains("<private>") == true, "\(name)") }
        #expect(outcome["json.log"]?.contains("<private:") == true && outcome["logfmt.log"]?.contains("said <private") == false)
        #expect(outcome["standard error"]?.contains("cannot write: <private>") == true)
        #if Transactions
            #expect(outcome["store.sqlite"] != nil && outcome["received"]?.contains("TXN") == true)
            let stored = (outcome["stored"] ?? Data()) + (outcome["stored-wal"] ?? Data())
            #expect(stored.found(secrets.map(\.tag)).count > 10)
        #endif
    }

    @Test("without marks or rules in the way, the same search finds them: it can see")
    func theSearchCanSee() async throws {
        let folder = try Folder()
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [path = folder.path as String] in
            alarm(240)
            try TaintTests.sayEverything(in: path, rules: .none, mode: .revealed)
        }
        let outcome = outcome(result, folder)
        for name in ["text.log", "json.log", "dump", "spool"] {
            let secrets = PlantedSecret.all(count: Self.count), found = outcome[name]?.found(secrets.map(\.needle)) ?? []
            let unseen = secrets.filter {
                let isMaskedForAll = $0.kind == .privateWord && $0.place == .anythingInMetadata
                return $0.kind != .secretWord && $0.place != .sinkFailure && !isMaskedForAll && !found.contains($0.needle)
            }
            #expect(unseen.isEmpty, "\(name): \(unseen.map { "\($0.kind) in \($0.place)" })")
        }
    }
}

extension Data {
    fileprivate func contains(_ text: String) -> Bool { !found([text]).isEmpty }

    /// Which of the texts, of three bytes at least, occur; in one pass, whatever their number.
    fileprivate func found(_ texts: [String]) -> Set<String> {
        func beginning(_ bytes: some Collection<UInt8>) -> UInt32 { bytes.prefix(3).reduce(0) { $0 << 8 | UInt32($1) } }
        let sought = Dictionary(grouping: texts.map { (text: $0, bytes: Array($0.utf8)) }) { beginning($0.bytes) }
        return withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            var found: Set<String> = [], latest: UInt32 = 0
            for (place, byte) in bytes.enumerated() {
                latest = (latest << 8 | UInt32(byte)) & 0xFF_FFFF
                guard place >= 2, let candidates = sought[latest] else { continue }
                for candidate in candidates where bytes[(place - 2)...].starts(with: candidate.bytes) { found.insert(candidate.text) }
            }
            return found
        }
    }
}
