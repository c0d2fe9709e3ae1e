import LogbookCore
import LogbookFormat
import LogbookTestKit
import Testing

@testable import LogbookFiles

@Suite struct FileLogProviderTests {
    private let folder = TemporaryFolder()

    @Test("F1: the article's line, to the byte")
    func articleLine() throws {
        let service = LogService(clock: .manual(ManualClock(now: LogTime(nanoseconds: 1_591_472_835_393_000_000))))
        let date = try DatePattern("yyyy-MM-dd HH:mm:ssSSS", zone: .utc)
        service.register(try FileLogProvider(in: folder.path, format: TextFormat.article(date: date)))
        service.info(
            "Category was added.", file: "Demo/CategoryViewController.swift", function: "addButtonPressed(_:)",
            line: 135)
        #expect(
            folder.text("app.log")
                == "[ℹ️ 2020-06-06 19:47:15393 CategoryViewController.swift:addButtonPressed(_:):135] Category was added.\n"
        )
    }

    @Test func aLineIsInTheFileWhenTheCallReturns() throws {
        let service = LogService()
        let file = service.register(try FileLogProvider(in: folder.path, format: MessageFormat()))
        service.info("first")
        #expect(folder.text("app.log") == "first\n")
        service.warning("second")
        #expect(folder.text("app.log") == "first\nsecond\n")
        #expect(file.ledger == LogLedger(submitted: 2, delivered: 2))
    }

    @Test func oneEventIsOneWrite() throws {
        let files = FaultyFileSystem()
        let provider = try FileLogProvider(in: folder.path, format: MessageFormat(), files: files)
        let before = files.calls.count
        for number in 1...3 { provider.log(event("line \(number)")) }
        #expect(files.calls[before...].filter { $0 == "append" }.count == 3)
        #expect(files.calls.count == before + 6)  // and one look at the name each
    }

    @Test func oneBatchIsOneWrite() throws {
        let files = FaultyFileSystem()
        let provider = try FileLogProvider(in: folder.path, format: MessageFormat(), files: files)
        let before = files.calls.count
        try provider.write((1...500).map { event("line \($0)") })
        #expect(files.calls[before...] == ["statusOfName", "append"])
        #expect(folder.lines("app.log") == (1...500).map { "line \($0)" })
    }

    @Test("a batch without events writes nothing, also where lines are missing")
    func emptyBatch() throws {
        let files = FaultyFileSystem()
        let provider = try FileLogProvider(in: folder.path, format: MessageFormat(), files: files)
        files.fail(28)
        provider.log(event("lost"))
        files.fail(nil)
        try provider.write([])
        #expect(folder.text("app.log") == "")
        try provider.write([event("one")])
        #expect(folder.lines("app.log").first?.hasPrefix("1 event is missing here: ") == true)
        #expect(folder.lines("app.log").dropFirst() == ["one"])
    }

    @Test func aRestartAppends() throws {
        for message in ["one", "two"] {
            let provider = try FileLogProvider(in: folder.path, format: MessageFormat())
            provider.log(event(message))
            try provider.shutdown(by: .seconds(30))
        }
        #expect(folder.text("app.log") == "one\ntwo\n")
        #expect(folder.names == ["app.log"])
    }

    @Test("F16: a torn last line gets its end first, and nothing is glued to it")
    func tornLastLine() throws {
        folder.write("whole\nto", to: "app.log")
        let provider = try FileLogProvider(in: folder.path, format: MessageFormat())
        provider.log(event("next"))
        provider.log(event("last"))
        #expect(folder.lines("app.log") == ["whole", "to", "next", "last"])
    }

    @Test("F10: two names are two files; one path has one writer until that one is shut down")
    func paths() throws {
        let first = try FileLogProvider(in: folder.path, name: "app", format: MessageFormat())
        let second = try FileLogProvider(in: folder.path, name: "audit", format: MessageFormat())
        first.log(event("to app"))
        second.log(event("to audit"))
        #expect(folder.text("app.log") == "to app\n")
        #expect(folder.text("audit.log") == "to audit\n")

        #expect(throws: FileLogProviderError.alreadyOpen(path: folder.path + "/app.log")) {
            try FileLogProvider(in: folder.path + "/../" + folder.path.split(separator: "/").last!, name: "app")
        }
        try first.shutdown(by: .seconds(30))
        let third = try FileLogProvider(in: folder.path, name: "app", format: MessageFormat())
        third.log(event("again"))
        #expect(folder.text("app.log") == "to app\nagain\n")
    }

    @Test func aProviderThatIsLetGoOfFreesItsPath() throws {
        for _ in 1...3 { _ = try FileLogProvider(in: folder.path) }
    }

    @Test("F13: whatever a message holds, it is one line")
    func controlCharacters() throws {
        let service = LogService()
        service.register(try FileLogProvider(in: folder.path))
        let hostile = "a\nb\r\nc\0d\u{1B}[31me\u{2028}f\u{85}g\u{7F}h"
        service.info("\(hostile)", metadata: ["key\n": .string(hostile)])
        let text = folder.text("app.log")
        #expect(text.utf8.filter { $0 == 0x0A }.count == 1)
        #expect(
            text.unicodeScalars.dropLast().allSatisfy {
                $0 == "\t" || !($0.value < 0x20 || (0x7F...0x9F).contains($0.value))
            })
        #expect(text.contains(#"a\nb\r\nc"#))
    }

    @Test("F14: after a flush, everything that eight threads said is whole in the file, for another process")
    func flushOfManyThreads() throws {
        let service = LogService()
        let registration = service.register(
            try FileLogProvider(
                in: folder.path, format: MessageFormat(),
                rolling: RollingPolicy(maximumBytes: 300_000, maximumArchives: 0)),
            delivery: .queued(QueuePolicy(overflow: .block(upTo: .seconds(60)))))
        let threads = 8
        let each = 10_000
        let done = Monitor(0)
        for thread in 0..<threads {
            LogThread.start("writer") {
                for number in 0..<each { service.info("\(thread) \(number)") }
                done.withLock { access in
                    access.value += 1
                    access.broadcast()
                }
            }
        }
        done.withLock { access in while access.value < threads { access.wait() } }
        #expect(service.flush(by: .seconds(60)).isComplete)

        let lines = output(of: "cat '\(folder.path)'/app-*.log '\(folder.path)/app.log'").split(separator: "\n")
        #expect(lines.count == threads * each)
        for thread in 0..<threads {
            // Per thread in order, and so each exactly once.
            let own = lines.filter { $0.hasPrefix("\(thread) ") }
            #expect(own.elementsEqual((0..<each).map { Substring("\(thread) \($0)") }))
        }
        #expect(registration.ledger == LogLedger(submitted: UInt64(threads * each), delivered: UInt64(threads * each)))
    }

    @Test("F18: many threads log and flush one by one and in batches while the file rolls; the account is exact")
    func everythingAtOnce() throws {
        let provider = try FileLogProvider(
            in: folder.path, format: MessageFormat(), rolling: RollingPolicy(maximumBytes: 2000, maximumArchives: 0))
        let threads = 16
        let each = 200
        let done = Monitor(0)
        for thread in 0..<threads {
            LogThread.start("writer") {
                for number in 0..<each {
                    if thread % 2 == 0 {
                        provider.log(event("\(thread) \(number)"))
                    } else {
                        try? provider.write([event("\(thread) \(number)")])
                    }
                    if number % 50 == thread { try? provider.flush(by: .seconds(30)) }
                }
                done.withLock { access in
                    access.value += 1
                    access.broadcast()
                }
            }
        }
        done.withLock { access in while access.value < threads { access.wait() } }
        let lines = folder.allLines()
        #expect(lines.count == threads * each)
        #expect(Set(lines).count == threads * each)
        #expect(
            provider.ledger == LogLedger(submitted: UInt64(threads * each / 2), delivered: UInt64(threads * each / 2)))
        for name in folder.archives() { #expect(folder.text(name).utf8.count <= 2000) }
    }

    @Test("F17: a format that logs neither hangs nor recurses without end")
    func formatThatLogs() throws {
        struct Chatty: LogFormat {
            let service: LogService
            func append(_ event: LogEvent, to bytes: inout [UInt8]) {
                service.info("formatting \(event.sequence)")
                bytes.append(utf8Of: event.message)
                bytes.append(0x0A)
            }
        }
        let service = LogService()
        let registration = service.register(try FileLogProvider(in: folder.path, format: Chatty(service: service)))
        service.info("one")
        #expect(folder.lines("app.log").last == "one")
        let ledger = registration.ledger
        #expect(ledger.pending == 0)
        #expect(ledger.delivered == UInt64(folder.lines("app.log").count))
    }

    @Test func whatIsWrongWithTheDiskIsSaidUntilALineIsWritten() throws {
        let clock = ManualClock(now: LogTime(seconds: 1_767_225_600)), files = FaultyFileSystem()
        let provider = try FileLogProvider(in: folder.path, format: MessageFormat(), files: files, clock: .manual(clock))
        provider.log(event("1"))
        #expect(provider.latestFailure == nil)
        files.fail(28)
        provider.log(event("2"))
        #expect(provider.latestFailure == FileLogProviderError.cannotWrite(path: provider.path, errno: 28).description)
        files.fail(nil)
        clock.advance(by: .seconds(60))   // past the pause between attempts
        provider.log(event("3"))
        #expect(provider.latestFailure == nil)
        #expect(folder.lines("app.log").last == "3")
    }

    @Test func whatComesAfterTheShutdownIsCounted() throws {
        let provider = try FileLogProvider(in: folder.path, format: MessageFormat())
        provider.log(event("before"))
        try provider.shutdown(by: .seconds(30))
        try provider.shutdown(by: .seconds(30))
        try provider.flush(by: .seconds(30))
        provider.log(event("after"))
        #expect(throws: BatchWriteError.self) { try provider.write([event("after")]) }
        #expect(folder.text("app.log") == "before\n")
        #expect(provider.ledger == LogLedger(submitted: 2, delivered: 1, dropped: [.alreadyShutDown: 1]))
    }

    @Test func aServiceShutsItDown() throws {
        let service = LogService()
        let registration = service.register(
            try FileLogProvider(in: folder.path, format: MessageFormat()), delivery: .queued())
        service.info("queued")
        #expect(service.shutdown(by: .seconds(30)).isComplete)
        service.info("late")
        #expect(folder.text("app.log") == "queued\n")
        #expect(registration.ledger == LogLedger(submitted: 2, delivered: 1, dropped: [.alreadyShutDown: 1]))
    }

    @Test func aWriterGetsLinesWithoutTheirEnd() {
        final class Lines: FileWriter {
            let all = Locked<[String]>([])
            func write(_ line: String) { all.withLock { $0.append(line) } }
        }
        let lines = Lines()
        let service = LogService()
        service.register(WriterLogProvider(lines, format: MessageFormat()))
        service.info("one")
        service.info("two")
        #expect(lines.all.withLock { $0 } == ["one", "two"])
    }
}
