import LogbookCore
import LogbookFormat
import LogbookTestKit
import Testing

@testable import LogbookFiles

@Suite struct QueuedLinesTests {
    private let folder = TemporaryFolder()

    /// What formats have to escape, in every way that a message can hold it.
    private func speak(to service: LogService) {
        let hostile = "quote \" backslash \\ line\nfeed \u{1B}[31m \u{202E}turn é ☠️ \u{2028}"
        service.info("plain words")
        service.info("\(1), \(-23) and \(456_789) of \(UInt64.max) or \(Int64.min), \(0.1) \(true)")
        service.notice("a literal with \\ and \" and \n and \u{7F} and é")
        service.info("a literal with a bar | and ] and : and =")
        service.warning("\(hostile)")
        service.info("<\(hostile)> \(7) <\("clean")>")
        service.info(LogMessage(text: hostile))
        service.debug("")
        service.error("an error", metadata: ["key": "value"], error: ScriptedFailure("broken"))
        service.info("\("secret", privacy: .secret) \("hidden", privacy: .private)")
        service.info("another place", file: "M/odd ]:\".swift", function: "f]\\", line: 0)
        service.info("nowhere", file: "", function: "", line: 0)
        service.info("[nowhere]", file: "", function: "", line: 0)
        service.relay(.info, "relayed", source: LogSource(fileNamed: "x.log", line: 3))
        service.critical("the end")
    }

    @Test func aQueuedLineReadsAsTheEventThatOthersGet() throws {
        let layout = try TextFormat.layout("\(.time(digits: 9)) \(.level(padded: true)) \(.thread) \(.sequence) \(.file):\(.line) \(.function)| \(.message)\(.facts)")
        let formats: [(String, any LogFormat)] = [
            ("text", TextFormat.text), ("utc", TextFormat.standard(zone: .utc)), ("article", TextFormat.article), ("layout", layout),
            ("json", JSONLineFormat.jsonLines), ("logfmt", LogfmtFormat.logfmt), ("ecs", ECSFormat.ecs),
            ("short", JSONLineFormat(limits: LogLimits(textBytes: 10))), ("own", MessageFormat()),
        ]
        let service = LogService(), events = FailingSink { _ in nil }
        for (name, format) in formats {
            func register(_ format: some LogFormat) throws {
                service.register(try FileLogProvider(in: folder.path, name: name, format: format), delivery: .queued())
            }
            try register(format)
        }
        service.register(sink: events)
        speak(to: service)
        #expect(service.flush(by: .seconds(30)).isComplete)
        #expect(events.written.map(\.sequence) == Array(1...15))
        for (name, format) in formats {
            #expect(folder.text(name + ".log") == events.written.map { format.string(for: $0) }.joined(), "\(name)")
        }
    }

    @Test(
        "29: ten events of each of 10,000 threads are whole lines, in order, and counted",
        .serialized, arguments: [LogDelivery.immediate, .queued(QueuePolicy(overflow: .block(upTo: .seconds(60))))])
    func manyThreads(delivery: LogDelivery) throws {
        let service = LogService(), threads = Sanitizer.share(of: 10_000), alive = Monitor(0), deadline = LogDeadline.seconds(300)
        let file = service.register(
            try FileLogProvider(in: folder.path, format: TextFormat.layout("\(.message)")), delivery: delivery)
        for thread in 0..<threads {
            alive.withLock { access in
                while access.value >= 100, access.wait(until: deadline) {}   // a container gives no more than so many hundred
                access.value += 1
            }
            let isStarted = LogThread.start("speaks") {
                for event in 0..<10 { service.info("\(thread) \(event)") }
                alive.withLock { access in
                    access.value -= 1
                    access.broadcast()
                }
            }
            try #require(isStarted)
        }
        alive.withLock { access in while access.value > 0, access.wait(until: deadline) {} }
        #expect(!deadline.hasPassed)
        #expect(service.flush(by: .seconds(60)).isComplete)
        #expect(file.ledger == LogLedger(submitted: 10 * UInt64(threads), delivered: 10 * UInt64(threads)))
        var heard = [Int](repeating: 0, count: threads)
        for line in folder.lines("app.log") {
            let numbers = line.split(separator: " ").compactMap { Int($0) }
            try #require(numbers.count == 2 && heard.indices.contains(numbers[0]), "\(line)")
            #expect(numbers[1] == heard[numbers[0]], "\(line)")
            heard[numbers[0]] += 1
        }
        #expect(heard.allSatisfy { $0 == 10 })
    }

    @Test func providersOfOneLayoutWriteWhatEachOfThemHears() throws {
        let service = LogService()
        let all = service.register(try FileLogProvider(in: folder.path, name: "all"), delivery: .queued())
        let some = service.register(try FileLogProvider(in: folder.path, name: "some"), from: .warning, delivery: .queued())
        let events = FailingSink { _ in nil }
        service.register(sink: events)
        for number in 0..<3_000 {
            if number % 7 == 0 { service.warning("warning \(number)") }
            else if number % 11 == 0 { service.error("error \(number)", metadata: ["n": .integer(Int64(number))]) }
            else { service.info("info \(number)") }
        }
        #expect(service.flush(by: .seconds(60)).isComplete)
        let format = TextFormat.text
        #expect(folder.text("all.log") == events.written.map { format.string(for: $0) }.joined())
        let heard = events.written.filter { $0.level >= .warning }
        #expect(folder.text("some.log") == heard.map { format.string(for: $0) }.joined())
        #expect(all.ledger == LogLedger(submitted: 3_000, delivered: 3_000))
        #expect(some.ledger == LogLedger(submitted: UInt64(heard.count), delivered: UInt64(heard.count)))
        #expect(some.unheard.level == UInt64(3_000 - heard.count))
    }

    @Test func aDiskThatFailsInTheMiddleLosesNoQueuedLine() throws {
        let files = FaultyFileSystem(failing: 2, with: .tornWrite(28), only: ["append"]), service = LogService()
        let provider = try FileLogProvider(in: folder.path, format: TextFormat.standard(zone: .utc), files: files)
        let policy = QueuePolicy(overflow: .block(upTo: .seconds(60)), firstPause: .milliseconds(1), longestPause: .milliseconds(2))
        let registration = service.register(provider, delivery: .queued(policy)), events = FailingSink { _ in nil }
        service.register(sink: events)
        for number in 0..<5_000 { service.info("line \(number)") }
        #expect(service.flush(by: .seconds(60)).isComplete)
        #expect(folder.lines("app.log") == events.written.map { String(TextFormat.standard(zone: .utc).string(for: $0).dropLast()) })
        #expect(files.faults > 0)
        #expect(registration.ledger == LogLedger(submitted: 5_000, delivered: 5_000))
    }
}
