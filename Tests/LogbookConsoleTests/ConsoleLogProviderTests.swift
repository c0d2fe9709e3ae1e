import LogbookCore
import LogbookFormat
import LogbookTestKit
import Testing

@testable import LogbookConsole

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The message and nothing else.
struct MessageFormat: LogFormat {
    func append(_ event: LogEvent, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: Array(event.message.utf8))
        bytes.append(0x0A)
    }
}

#if os(Linux)
    /// Logs more to a terminal than it has room for.
    private func overfill(_ terminal: Terminal) throws {
        for length in [80, 500, 4000] {
            let provider = ConsoleLogProvider(
                format: MessageFormat(), descriptor: terminal.input, colour: .never, patience: .milliseconds(20))
            for _ in 1...3000 { provider.log(event(String(repeating: "x", count: length))) }
            let ledger = try #require(provider.ledger)
            #expect(ledger.submitted == 3000 && ledger.pending == 0 && ledger.dropped[.inputOutputError] ?? 0 > 0)
        }
    }
#endif

func event(_ message: String, _ level: LogLevel = .info) -> LogEvent {
    LogEvent(sequence: 1, time: LogTime(nanoseconds: 0), level: level, message: message)
}

@Suite struct ConsoleLogProviderTests {
    private let pipe = Pipe()

    private func provider(
        _ format: some LogFormat = MessageFormat(), colour: ConsoleColour = .never,
        patience: Duration = .milliseconds(20)
    ) -> ConsoleLogProvider {
        ConsoleLogProvider(format: format, descriptor: pipe.input, colour: colour, patience: patience)
    }

    @Test("F1: the console shows the line and the time that the file shows")
    func articleLine() async {
        let child = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let service = LogService(clock: .manual(ManualClock(now: LogTime(nanoseconds: 1_591_472_835_393_000_000))))
            let date = try DatePattern("yyyy-MM-dd HH:mm:ssSSS", zone: .utc)
            service.register(provider: ConsoleLogProvider(format: TextFormat.article(date: date)))
            service.info(
                "Category was added.", file: "Demo/CategoryViewController.swift", function: "addButtonPressed(_:)",
                line: 135)
        }
        let shown = String(decoding: child?.standardOutputContent ?? [], as: UTF8.self)
        #expect(
            shown
                == "[ℹ️ 2020-06-06 19:47:15393 CategoryViewController.swift:addButtonPressed(_:):135] Category was added.\n"
        )
    }

    @Test func errorsMayGoToStandardError() async {
        let child = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let provider = ConsoleLogProvider(format: MessageFormat(), splitsErrors: true)
            provider.log(event("fine"))
            provider.log(event("bad", .error))
            provider.log(event("odd", .warning))
        }
        #expect(String(decoding: child?.standardOutputContent ?? [], as: UTF8.self) == "fine\nodd\n")
        let errors = String(decoding: child?.standardErrorContent ?? [], as: UTF8.self)
        #expect(errors.contains("bad\n"))
    }

    @Test func oneEventIsOneWrite() {
        var ends: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)  // keeps writes apart
        defer { for end in ends { close(end) } }
        let provider = ConsoleLogProvider(format: MessageFormat(), descriptor: ends[0], colour: .always)
        let lines = ["one", "two", String(repeating: "x", count: 4000)]
        for line in lines { provider.log(event(line)) }
        var buffer = [UInt8](repeating: 0, count: 10_000)
        for line in lines { #expect(recv(ends[1], &buffer, buffer.count, 0) == line.utf8.count + 1) }
    }

    @Test func noWriteEndsWithinALine() {
        var ends: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)  // keeps writes apart
        defer { for end in ends { close(end) } }
        let provider = ConsoleLogProvider(format: MessageFormat(), descriptor: ends[0], colour: .never)
        let line = [UInt8](repeating: 0x78, count: 89) + [0x0A], lines = Array(repeatElement(line, count: 100).joined())
        LineBatch.lending(lines, ends: (1...100).map { $0 * line.count }, to: provider.write)
        var buffer = [UInt8](repeating: 0, count: 10_000), seen: [UInt8] = []
        while seen.count < lines.count {
            let count = recv(ends[1], &buffer, buffer.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { break }
            #expect(buffer[count - 1] == 0x0A)
            seen += buffer[..<count]
        }
        #expect(seen == lines)
        #expect(provider.ledger == LogLedger(submitted: 100, delivered: 100))
    }

    @Test func linesOfManyThreadsStayWhole() {
        let provider = provider(patience: .seconds(60))
        let threads = 8
        let each = 500
        for thread in 0..<threads {
            LogThread.start("writer") {
                for number in 0..<each {
                    provider.log(event("\(thread) \(String(repeating: "x", count: number * 20)) end"))
                }
            }
        }
        let length = (0..<each).reduce(0) { $0 + 2 + $1 * 20 + 4 + 1 } * threads
        let lines = pipe.read(length).split(separator: "\n")
        #expect(lines.count == threads * each)
        #expect(lines.allSatisfy { $0.hasSuffix("x end") || $0.hasSuffix("  end") })
        #expect(Set(lines.map { $0.count }).count == each)
        #expect(pipe.readAll().isEmpty)
    }

    @Test("S2: colour is ours alone; what an event holds cannot switch anything on the terminal")
    func colour() {
        let provider = provider(TextFormat.standard(zone: .utc), colour: .always)
        provider.log(event("\u{1B}[2J\u{9B}31m\u{7} \u{202E}gnp.exe", .error))
        let shown = pipe.readAll()
        #expect(shown.hasPrefix("\u{1B}[31m1970-01-01T"))
        #expect(shown.hasSuffix("\u{1B}[0m\n"))
        let content = shown.dropFirst(5).dropLast(5)
        #expect(
            !content.unicodeScalars.contains {
                $0.value < 0x20 || (0x7F...0x9F).contains($0.value) || $0.value == 0x202E
            })
    }

    @Test func noColourWhereNobodyLooks() {
        let provider = ConsoleLogProvider(
            format: MessageFormat(), descriptor: pipe.input, environment: { $0 == "TERM" ? "xterm" : nil })
        provider.log(event("plain", .error))
        #expect(pipe.readAll() == "plain\n")
    }

    @Test("row 39: when the reader has gone, the program lives and every lost line is counted")
    func closedPipe() async {
        await #expect(processExitsWith: .success) {
            let pipe = Pipe()
            let provider = ConsoleLogProvider(format: MessageFormat(), descriptor: pipe.input)
            provider.log(event("read by nobody"))
            pipe.closeOutput()
            for _ in 1...10 { provider.log(event("lost")) }
            #expect(provider.ledger == LogLedger(submitted: 11, delivered: 1, dropped: [.inputOutputError: 10]))
        }
    }

    @Test("row 39: `program | head -1` ends by itself, without a signal")
    func readerThatLeaves() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let pipe = Pipe()
            dup2(pipe.input, 1)
            LogService.register(provider: ConsoleLogProvider(format: MessageFormat()))
            pipe.closeOutput()
            for number in 1...100 { LogService.shared.info("\(number)") }
            exit(7)
        }
    }

    @Test(
        "row 39: a reader that sleeps costs a bounded wait, once, and is taken up again when it wakes",
        arguments: [false, true])
    func fullPipe(nonBlocking: Bool) {
        let provider = provider()
        if nonBlocking { pipe.setNonBlocking() }
        let filled = pipe.fill()
        for _ in 1...1000 { provider.log(event("lost")) }  // 20 s, if each waited
        #expect(provider.ledger == LogLedger(submitted: 1000, dropped: [.inputOutputError: 1000]))
        #expect(provider.latestFailure == SystemError(EAGAIN, in: "poll").description)
        #expect(pipe.read(filled).utf8.count == filled)
        provider.log(event("seen"))
        #expect(pipe.readAll() == "seen\n")
        #expect(provider.ledger?.delivered == 1)
        #expect(provider.latestFailure == nil)
    }

    /// Lines that are longer together than what a test leaves room for.
    private static var lines: (bytes: [UInt8], ends: [Int]) {
        let line = [UInt8](repeating: 0x78, count: 1023) + [0x0A]
        return (bytes: Array(repeatElement(line, count: 40).joined()), ends: (1...40).map { $0 * line.count })
    }

    @Test("row 39: once a reader that slept has taken something, lines wait for it again, also within one batch")
    func readerThatWakes() {
        let provider = provider(patience: .seconds(4)), pipe = pipe, isRead = Gate()
        let filled = pipe.fill()
        provider.log(event("lost"))
        _ = pipe.read(8192)
        LogThread.start("reads") {
            _ = becomesTrue { !pipe.hasRoom }
            _ = pipe.read(filled - 8192)
            isRead.open()
        }
        let (bytes, ends) = Self.lines
        LineBatch.lending(bytes, ends: ends, to: provider.write)
        isRead.wait()
        #expect(provider.ledger == LogLedger(submitted: 41, delivered: 40, dropped: [.inputOutputError: 1]))
        #expect(pipe.readAll() == String(decoding: bytes, as: UTF8.self))
    }

    @Test("row 39: a reader that takes a little at a time gets a whole batch, also where that lasts longer than a line may wait")
    func slowReader() {
        let provider = provider(patience: .seconds(4)), pipe = pipe, isRead = Gate()
        let filled = pipe.fill()
        LogThread.start("reads") {
            for _ in 1...10 {
                usleep(450_000)   // longer than a line may wait, taken together
                _ = pipe.read(4096)
            }
            _ = pipe.read(filled - 10 * 4096)
            isRead.open()
        }
        let (bytes, ends) = Self.lines
        LineBatch.lending(bytes, ends: ends, to: provider.write)
        isRead.wait()
        #expect(provider.ledger == LogLedger(submitted: 40, delivered: 40))
        #expect(pipe.readAll() == String(decoding: bytes, as: UTF8.self))
    }

    @Test(
        "row 39: after a line that was cut off, the next one begins on a line of its own, and not in the other's colour",
        arguments: [(ConsoleColour.never, "\nnext\n"), (ConsoleColour.always, "\u{1B}[0m\nnext\n")])
    func cutOff(colour: ConsoleColour, shown: String) {
        let provider = provider(colour: colour)
        let filled = pipe.fill()
        _ = pipe.read(8192)
        provider.log(event(String(repeating: "x", count: 100_000), .error))
        let before = pipe.readAll()
        provider.log(event("next"))
        #expect(pipe.readAll() == shown)
        #expect(before.utf8.count == filled)
        #expect(provider.ledger == LogLedger(submitted: 2, delivered: 1, dropped: [.inputOutputError: 1]))
    }

    #if os(Linux)
        @Test("row 39: a terminal that nobody reads holds up nobody, whatever is left in it")
        func sleepingTerminal() async {
            await #expect(processExitsWith: .success) {
                alarm(60)   // where a write waits, it waits for ever
                let terminal = try #require(Terminal())
                try overfill(terminal)
                #expect(fcntl(terminal.input, F_GETFL) & O_NONBLOCK == 0)   // the host's stays as it was
            }
        }

        @Test(
            "row 39: nor does the process's own terminal hold up anybody where it is another user's",
            .enabled(if: geteuid() == 0, "only root can become somebody else"))
        func sleepingTerminalOfSomebodyElse() async {
            await #expect(processExitsWith: .success) {
                alarm(60)
                signal(SIGHUP, SIG_IGN)
                let terminal = try #require(Terminal())
                try #require(terminal.becomeControlling())
                try #require(setgroups(0, nil) == 0 && setgid(65534) == 0 && setuid(65534) == 0)
                try #require(open("/proc/self/fd/\(terminal.input)", O_WRONLY | O_NOCTTY | O_CLOEXEC) == -1)
                try overfill(terminal)
            }
        }
    #endif

    @Test("row 39: two that write to one pipe which nobody reads any more come back both")
    func sleepingReaderOfTwo() async {
        await #expect(processExitsWith: .success) {
            alarm(60)
            let pipe = Pipe(), left = Monitor(2)
            for _ in 1...2 {
                let provider = ConsoleLogProvider(
                    format: MessageFormat(), descriptor: pipe.input, colour: .never, patience: .milliseconds(20))
                LogThread.start("writes") {
                    for _ in 1...2000 { provider.log(event(String(repeating: "x", count: 700))) }
                    left.withLock { access in
                        access.value -= 1
                        access.broadcast()
                    }
                }
            }
            for _ in 1...10 { _ = pipe.read(4096) }
            left.withLock { access in while access.value > 0 { access.wait() } }
        }
    }

    @Test("row 39: a full device and a closed descriptor are counted", arguments: [true, false])
    func nowhereToWrite(isOpen: Bool) {
        let device = open("/dev/full", O_WRONLY | O_CLOEXEC)
        if !isOpen { close(device) }
        let provider = ConsoleLogProvider(format: MessageFormat(), descriptor: isOpen ? device : -1)
        if isOpen { close(device) }
        for _ in 1...3 { provider.log(event("lost")) }
        #expect(provider.ledger == LogLedger(submitted: 3, dropped: [.inputOutputError: 3]))
    }

    @Test("row 40: what the host opens under the old number never gets our lines")
    func reusedNumber() async {
        await #expect(processExitsWith: .success) {
            let pipe = Pipe()
            dup2(pipe.input, 1)
            let provider = ConsoleLogProvider(format: MessageFormat())
            close(1)
            var path = Array("/tmp/logbook-console-XXXXXX".utf8CString)
            try #require(mkstemp(&path) == 1)  // the lowest number that is free
            defer { unlink(path) }
            provider.log(event("to the pipe"))
            #expect(pipe.readAll() == "to the pipe\n")
            #expect(lseek(1, 0, SEEK_END) == 0)
        }
    }

    @Test func aChildProcessDoesNotInheritTheDescriptor() {
        let provider = provider()
        var found = stat()
        #expect(fstat(pipe.input, &found) == 0)
        #expect(output(of: "ls -l /proc/\(getpid())/fd").contains("pipe:[\(found.st_ino)]"))
        #expect(!output(of: "ls -l /proc/self/fd").contains("pipe:[\(found.st_ino)]"))
        withExtendedLifetime(provider) {}
    }
}
