import LogbookCore
import LogbookFormat
import LogbookTestKit
import Testing

@testable import LogbookPipe

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite struct PipeProgramTests {
    /// A provider that takes everything and delivers nothing, as a remote does whose receiver is away.
    private final class Hoarder: LogProvider {
        private let kept = Locked<[LogEvent]>([])
        func log(_ event: LogEvent) { kept.withLock { $0.append(event) } }
        func flush(by deadline: LogDeadline) throws { throw ScriptedFailure("nobody is there") }
        var ledger: LogLedger? { LogLedger(submitted: UInt64(events.count)) }
        var events: [LogEvent] { kept.withLock { $0 } }
    }

    /// The same, but it lets go of what somebody else keeps.
    private final class Yielder: LogProvider {
        private let state = Locked<(kept: [LogEvent], ledger: LogLedger)>(([], LogLedger()))
        func log(_ event: LogEvent) {
            state.withLock { state in
                state.kept.append(event)
                state.ledger.submit()
            }
        }
        func handOver(_ save: ([LogEvent]) -> Bool) -> Int {
            let events = events
            guard !events.isEmpty, save(events) else { return 0 }
            state.withLock { state in
                state.kept.removeFirst(events.count)
                state.ledger.drop(events.count, .keptElsewhere)
            }
            return events.count
        }
        func flush(by deadline: LogDeadline) throws { throw ScriptedFailure("nobody is there") }
        var ledger: LogLedger? { state.withLock { $0.ledger } }
        var latestFailure: String? { "nobody is there" }
        var events: [LogEvent] { state.withLock { $0.kept } }
    }

    /// A program that waits for its provider after each line, and for one that fails not at all if that lets go of what it has.
    private func program(_ text: String, of yielder: Yielder, undelivered: String) throws -> PipeProgram {
        let ends = Unshared.pipe()
        #expect(write(ends[1], text, text.utf8.count) == text.utf8.count)
        close(ends[1])
        let outlet = PipeProgram.Outlet(
            service.register(yielder, name: "remote"), undelivered: { yielder.events }, handOver: { yielder.handOver($0) })
        return try PipeProgram(
            PipeSession(reading: ends[0], into: service, windowEvents: 1), service: service, outlets: [outlet], patience: .zero,
            undelivered: undelivered, say: { [said] text in said.withLock { $0 += text } })
    }

    private let said = Locked("")
    private let service = LogService()
    private let folder = TemporaryFolder()

    /// A session that reads the text from a pipe of its own.
    private func session(_ text: String) throws -> PipeSession {
        let ends = Unshared.pipe()
        #expect(write(ends[1], text, text.utf8.count) == text.utf8.count)
        close(ends[1])
        return try PipeSession(reading: ends[0], into: service)
    }

    private func content(_ path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        return String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
    }

    private func program(
        _ text: String, _ outlets: [PipeProgram.Outlet], undelivered: String? = nil, summary: String? = nil
    ) throws -> PipeProgram {
        try PipeProgram(
            session(text), service: service, outlets: outlets, undelivered: undelivered, summary: summary,
            say: { [said] text in said.withLock { $0 += text } })
    }

    @Test func whatWasDeliveredIsToldInATableAndInTabs() throws {
        let outlets = [
            PipeProgram.Outlet(service.register(RecordingProvider())),
            .init(service.register(RecordingProvider(), from: .error, name: "errors")),
        ]
        let status = try program("one\nERROR two\n", outlets, summary: folder("summary.tsv")).run()
        #expect(status == .delivered)
        #expect(
            said.withLock { $0 } == """
                read 2 lines, 14 bytes: 2 events
                provider           submitted  delivered  pending  dropped
                RecordingProvider          2          2        0        0
                errors                     1          1        0        0

                """)
        #expect(
            content(folder("summary.tsv"))
                == "provider\tpipe RecordingProvider\t2\t2\t0\t0\nprovider\tpipe errors\t1\t1\t0\t0\nfact\tpipe lines\t2\nfact\tpipe bytes\t14\nfact\tpipe events\t2\n"
        )
    }

    @Test func whatNobodyTookIsSavedAndCanBeReadBack() throws {
        let hoarder = Hoarder()
        let origin = LogOrigin(installation: "I", epoch: 7)
        let outlets = [PipeProgram.Outlet(service.register(hoarder), origin: origin) { hoarder.events }]
        let path = folder("undelivered.jsonl")
        #expect(try program("one\ntwo\n", outlets, undelivered: path).run() == .undelivered)
        let lines = try #require(content(path)).split(separator: "\n")
        let saved = try lines.map { try JSONLineFormat.parse(Array($0.utf8)) }
        #expect(saved.map(\.event.message) == ["one", "two"])
        #expect(saved.map(\.origin) == [origin, origin])
        #expect(said.withLock { $0 }.contains("Hoarder did not deliver 2 of 2 events: nobody is there"))
        #expect(said.withLock { $0 }.contains("2 events are saved in \(path)"))
        var facts = stat()
        #expect(stat(path, &facts) == 0 && facts.st_mode & 0o777 == 0o600)
    }

    @Test func whatAReceiverWillNeverTakeIsSavedAtOnce() throws {
        let sink = FailingSink { _ in BatchWriteError.refused(.rejectedByServer, because: ScriptedFailure()) }
        let origin = LogOrigin(installation: "I", epoch: 7), path = folder("undelivered.jsonl")
        let program = try program("one\n", [.init(service.register(sink: sink, name: "remote"))], undelivered: path)
        program.save([LogEvent(sequence: 1, time: LogTime(nanoseconds: 0), level: .info, message: "one")], of: origin)
        let saved = try JSONLineFormat.parse(Array(try #require(content(path)).utf8))
        #expect(saved.event.message == "one" && saved.origin == origin)
        #expect(program.run() == .undelivered)
        #expect(said.withLock { $0 }.contains("1 events are saved in \(path)"))
    }

    @Test func readingGoesOnIntoTheFileWhileTheReceiverIsAway() throws {
        let yielder = Yielder(), path = folder("undelivered.jsonl")
        let program = try program("one\ntwo\nthree\nfour\n", of: yielder, undelivered: path)
        let status = Locked<PipeProgram.Status?>(nil)
        LogThread.start("pipe") {
            let end = program.run()
            status.withLock { $0 = end }
        }
        #expect(becomesTrue { status.withLock { $0 } == .undelivered })
        program.stop()   // where it has not ended by itself
        let lines = try #require(content(path)).split(separator: "\n")
        #expect(try lines.map { try JSONLineFormat.parse(Array($0.utf8)).event.message } == ["one", "two", "three", "four"])
        let text = said.withLock { $0 }
        #expect(text.contains("kept_elsewhere") && text.contains("4 events are saved in \(path)"), "\(text)")
    }

    #if os(Linux)
        @Test func whereNothingCanBeSavedReadingWaitsAndNothingIsLetGoOf() throws {
            let yielder = Yielder()
            let program = try program("one\ntwo\nthree\nfour\n", of: yielder, undelivered: "/dev/full")
            let status = Locked<PipeProgram.Status?>(nil)
            LogThread.start("pipe") {
                let end = program.run()
                status.withLock { $0 = end }
            }
            #expect(becomesTrue { said.withLock { $0.contains("remote does not take cannot be saved either, so reading waits") } })
            #expect(status.withLock { $0 } == nil && yielder.events.count == 2)
            program.stop()
            #expect(becomesTrue { status.withLock { $0 } == .undelivered })
            #expect(yielder.ledger == LogLedger(submitted: 4))
        }
    #endif

    @Test func whatASignalLeavesUnreadIsSaidAndIsNoSuccess() throws {
        folder.write(String(repeating: String(repeating: "x", count: 999) + "\n", count: 2000), to: "input")
        let input = open(folder("input"), O_RDONLY | O_CLOEXEC)
        defer { close(input) }
        let program = try PipeProgram(
            PipeSession(reading: input, into: service), service: service, outlets: [.init(service.register(RecordingProvider()))],
            say: { [said] text in said.withLock { $0 += text } })
        program.stop()
        #expect(program.run() == .undelivered)
        #expect(said.withLock { $0 }.contains("stopped; the rest of the input was not read"))
    }

    @Test func noFileIsMadeWhenNothingIsToBeSaved() throws {
        let outlets = [PipeProgram.Outlet(service.register(RecordingProvider()))]
        let path = folder("undelivered.jsonl")
        #expect(try program("one\n", outlets, undelivered: path).run() == .delivered)
        #expect(access(path, F_OK) != 0)
    }

    @Test func whatCannotBeWrittenIsSaidBeforeAnythingIsRead() throws {
        let missing = folder("missing/file")
        #expect(throws: PipeError.cannotWrite(path: missing, errno: ENOENT)) {
            try program("one\n", [], undelivered: missing)
        }
        #expect(throws: PipeError.cannotWrite(path: missing, errno: ENOENT)) {
            try program("one\n", [], summary: missing)
        }
    }

    @Test func whatIsNoFileIsSaidBeforeAnythingIsRead() throws {
        #expect(mkfifo(folder("fifo"), 0o600) == 0)
        for path in ["", ".", folder.path, folder("new/"), folder("fifo")] {
            #expect(throws: PipeError.notAFile(path: path)) { try program("one\n", [], undelivered: path) }
        }
        #expect(throws: Never.self) { try program("one\n", [], undelivered: "/dev/null") }
        #expect(access(folder("new"), F_OK) != 0)
    }

    #if os(Linux)
        @Test func aSummaryThatCannotBeWrittenIsSaidAndIsNoSuccess() throws {
            let outlets = [PipeProgram.Outlet(service.register(RecordingProvider()))]
            let status = try program("one\n", outlets, summary: "/dev/full").run()
            #expect(status == .failed && status.rawValue == 74)
            #expect(said.withLock { $0 }.contains("cannot write /dev/full: No space left on device (errno \(ENOSPC))"))
        }

        @Test func whatWasNotDeliveredIsWorseThanASummaryThatCannotBeWritten() throws {
            let outlets = [PipeProgram.Outlet(service.register(Hoarder()))]
            #expect(try program("one\n", outlets, summary: "/dev/full").run() == .undelivered)
        }
    #endif

    @Test func aProviderThatLostEventsIsNamedWithItsReasons() throws {
        let sink = FailingSink { _ in BatchWriteError.refused(.oversize, because: ScriptedFailure()) }
        let outlets = [PipeProgram.Outlet(service.register(sink: sink, name: "narrow"))]
        #expect(try program("one\ntwo\n", outlets).run() == .undelivered)
        #expect(said.withLock { $0 }.contains("narrow did not deliver 2 of 2 events, dropped: 2 oversize"))
    }
}
