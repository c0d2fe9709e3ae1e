import Foundation
import LogbookCore
import LogbookTestKit
import Testing

@testable import LogbookSystemLog

/// systemd's own journal, in a namespace of this test's.
private final class RealJournal: Sendable {
    static let program: String? = ["/lib/systemd/systemd-journald", "/usr/lib/systemd/systemd-journald"].first { (path: String) in access(path, X_OK) == 0 }
    static var isPossible: Bool { program != nil }
    static var isAllowed: Bool { geteuid() == 0 }

    let name = "logbook-\(getpid())"
    private let process: ChildProcess
    private let folder = TemporaryFolder()

    init() throws {
        process = try ChildProcess([Self.program!, name], output: folder("said"), errors: folder("complained"))
        let deadline = LogDeadline.seconds(60)
        for socket in ["socket", "dev-log"] {
            while access("\(path)/\(socket)", F_OK) != 0, process.end == nil, !deadline.hasPassed { usleep(2000) }
        }
    }

    /// Where its sockets are.
    var path: String { "/run/systemd/journal.\(name)" }

    deinit {
        kill(process.identifier, SIGTERM)
        process.wait(by: .seconds(30))
        try? FileManager.default.removeItem(atPath: path)
        for root in ["/run/log/journal", "/var/log/journal"] {
            for entry in (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? [] where entry.hasSuffix(".\(name)") {
                try? FileManager.default.removeItem(atPath: root + "/" + entry)
            }
        }
    }

    /// What the journal has from a program, in order.
    func entries(_ identifier: String, atLeast count: Int) throws -> [[String: Any]] {
        let deadline = LogDeadline.seconds(60)
        while true {
            let reader = try ChildProcess(
                ["journalctl", "--namespace=\(name)", "-t", identifier, "-o", "json", "--all", "--no-pager"], output: folder("entries"))
            reader.wait()
            let lines = folder.text("entries").split(separator: "\n")
            if lines.count >= count || deadline.hasPassed {
                return try lines.map { try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]) }
            }
            usleep(20_000)
        }
    }
}

@Suite(.serialized) struct RealSystemLogTests {
    @Test(
        "the real journal has every event with its fields, also one of a megabyte",
        .enabled(if: RealJournal.isPossible, "needs the Debian package systemd"), .enabled(if: RealJournal.isAllowed, "needs root"))
    func everythingIsInTheJournal() throws {
        let journal = try RealJournal()
        let service = LogService(clock: .manual(ManualClock(now: LogTime(nanoseconds: 1_763_720_960_123_456_789))))
        let provider = try JournalLogProvider(identifier: "checkout", namespace: journal.name)
        service.register(provider, delivery: .queued())
        service.warning("two\nlines of \("text")", metadata: ["order.id": 42, "gateway": "north", "_pid": "1"])
        service.error("\(String(repeating: "0123456789", count: 100_000))")
        for number in 1...200 { service.info("event \(number)") }
        #expect(service.flush(by: .seconds(60)).isComplete)

        let entries = try journal.entries("checkout", atLeast: 202)
        #expect(entries.count == 202)
        let first = try #require(entries.first)
        #expect(first["MESSAGE"] as? String == "two\nlines of text")
        #expect(first["PRIORITY"] as? String == "4" && first["ORDER_ID"] as? String == "42" && first["GATEWAY"] as? String == "north")
        #expect(first["X_PID"] as? String == "1" && first["_PID"] as? String == String(getpid()))
        #expect(first["LOGBOOK_TIME"] as? String == "2025-11-21T10:29:20.123456789Z" && first["LOGBOOK_SEQUENCE"] as? String == "1")
        #expect((first["CODE_FILE"] as? String)?.hasSuffix("RealSystemLogTests.swift") == true)
        #expect((entries[1]["MESSAGE"] as? String)?.utf8.count == 1_000_000)
        #expect(entries.dropFirst(2).map { $0["MESSAGE"] as? String } == (1...200).map { "event \($0)" })
        #expect(service.health().providers[0].ledger == LogLedger(submitted: 202, delivered: 202))
    }

    @Test(
        "the real journal takes what comes over its socket of syslog apart",
        .enabled(if: RealJournal.isPossible, "needs the Debian package systemd"), .enabled(if: RealJournal.isAllowed, "needs root"))
    func syslogIsInTheJournal() throws {
        let journal = try RealJournal(), service = LogService()
        service.register(try SyslogLogProvider(to: .local(path: "\(journal.path)/dev-log"), application: "checkout"))
        service.warning("payment took 12 ms", metadata: ["order.id": 42])

        let entries = try journal.entries("checkout", atLeast: 1), entry = try #require(entries.first)
        #expect((entry["MESSAGE"] as? String)?.hasPrefix("payment took 12 ms order.id=42 level=warning seq=1") == true, "\(entry)")
        #expect(entry["PRIORITY"] as? String == "4" && entry["SYSLOG_PID"] as? String == String(getpid()), "\(entry)")
    }

    private static var hasRsyslog: Bool { access("/usr/sbin/rsyslogd", X_OK) == 0 }

    @Test(
        "a real rsyslog reads every message, over its socket, UDP and a connection",
        .enabled(if: hasRsyslog, "needs the Debian package rsyslog"))
    func everythingIsReadByRsyslog() throws {
        let folder = TemporaryFolder(), ports = try FreePorts.take(2).map(Int.init)
        let (tcp, udp) = (ports[0], ports[1])
        folder.write("""
            global(workDirectory="\(folder.path)" maxMessageSize="64k")
            module(load="imuxsock" SysSock.Use="off")
            module(load="imudp")
            module(load="imtcp")
            input(type="imuxsock" socket="\(folder("socket"))" useSpecialParser="off" parseHostname="on" useSysTimeStamp="off" ignoreTimestamp="off")
            input(type="imuxsock" socket="\(folder("plain"))")
            input(type="imudp" address="127.0.0.1" port="\(udp)")
            input(type="imtcp" address="127.0.0.1" port="\(tcp)")
            template(name="row" type="list" option.jsonf="on") {
              property(outname="priority" name="pri" format="jsonf")
              property(outname="time" name="timereported" dateFormat="rfc3339" format="jsonf")
              property(outname="host" name="hostname" format="jsonf")
              property(outname="application" name="app-name" format="jsonf")
              property(outname="process" name="procid" format="jsonf")
              property(outname="category" name="msgid" format="jsonf")
              property(outname="data" name="structured-data" format="jsonf")
              property(outname="text" name="msg" format="jsonf")
            }
            action(type="omfile" file="\(folder("rows"))" template="row" asyncWriting="off")

            """, to: "rsyslog.conf")
        let server = try ChildProcess(
            ["/usr/sbin/rsyslogd", "-n", "-f", folder("rsyslog.conf"), "-i", folder("pid")], in: folder.path, output: folder("said"),
            errors: folder("complained"))
        defer {
            kill(server.identifier, SIGTERM)
            server.wait(by: .seconds(30))
        }
        func rows(_ count: Int) throws -> [[String: String]] {
            let deadline = LogDeadline.seconds(60)
            while true {
                // The last line may still be written.
                let lines = folder.text("rows").split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                if lines.count >= count || deadline.hasPassed {
                    return try lines.map { try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: String], "\($0)") }
                }
                usleep(5000)
            }
        }
        let ready = LogDeadline.seconds(60)
        for name in ["socket", "plain"] {
            while (try? SystemSocket.local(folder(name))) == nil, server.end == nil, !ready.hasPassed { usleep(2000) }
        }
        let lookup = HostLookup("127.0.0.1", tcp, isStream: true, clock: .system)
        while (try? SystemSocket.remote(lookup, by: .seconds(1))) == nil, server.end == nil, !ready.hasPassed { usleep(2000) }

        var count = 0
        for receiver in [
            SyslogReceiver.local(path: folder("socket"), form: .rfc5424), .udp(host: "127.0.0.1", port: udp),
            .tcp(host: "localhost", port: tcp),
        ] {
            let service = LogService(clock: .manual(ManualClock(now: LogTime(nanoseconds: 1_763_720_960_123_456_789))))
            let provider = try SyslogLogProvider(
                to: receiver, facility: .local3, host: "till7", application: "checkout", process: "4711", enterprise: 32473,
                maximumBytes: 8192, patience: .seconds(30), clock: .system)
            service.register(provider)
            service.notice("größer \"als\"\nje", metadata: ["category": "net", "note": "a ] \\ \"b\""])
            for number in 1...50 { service.error("event \(number)") }
            let rows = try rows(count + 51)[count...]
            count += 51
            let first = try #require(rows.first)
            #expect(first["priority"] == "157" && first["host"] == "till7" && first["application"] == "checkout", "\(receiver): \(first)")
            #expect(first["process"] == "4711" && first["category"] == "net", "\(receiver): \(first)")
            #expect(first["time"]?.hasPrefix("2025-11-21T10:29:20.123456") == true, "\(receiver): \(first)")
            #expect(first["data"]?.contains(#"[metadata@32473 note="a \] \\\\ \"b\""]"#) == true, "\(receiver): \(first)")
            #expect(first["text"] == #"größer "als"\nje"#, "\(receiver)")
            #expect(rows.dropFirst().map { $0["text"] } == (1...50).map { "event \($0)" }, "\(receiver)")
            #expect(provider.ledger == LogLedger(submitted: 51, delivered: 51))
        }

        // A socket as every rsyslog reads it that was told nothing.
        let service = LogService()
        service.register(try SyslogLogProvider(to: .local(path: folder("plain")), facility: .local3, application: "checkout"))
        service.notice("größer \"als\"\nje", metadata: ["category": "net"])
        let all = try rows(count + 1), row = try #require(all.last)
        #expect(row["priority"] == "157" && row["application"] == "checkout" && row["process"] == String(getpid()), "\(row)")
        #expect(row["text"]?.hasPrefix(#" größer "als"\nje category=net level=notice seq=1"#) == true, "\(row)")
    }
}
