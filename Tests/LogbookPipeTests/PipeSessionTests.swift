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

@Suite struct PipeSessionTests {
    /// A pipe whose ends a test uses as it likes.
    private struct Ends {
        let read: Int32, write: Int32
        init() {
            let ends = Unshared.pipe()
            (read, write) = (ends[0], ends[1])
        }
        func send(_ text: String) { #expect(writeAll(write, Array(text.utf8)) == text.utf8.count) }
    }

    private let service = LogService()
    private let heard = RecordingProvider()
    private let folder = TemporaryFolder()
    init() { service.register(heard) }

    @Test func everyLineBecomesAnEventUntilTheInputEnds() throws {
        let ends = Ends()
        ends.send("one\nERROR two\n\nlast")
        close(ends.write)
        let session = try PipeSession(reading: ends.read, into: service)
        #expect(session.run() == .endOfInput)
        #expect(heard.messages == ["one", "ERROR two", "", "last"])
        #expect(heard.events.map(\.level) == [.info, .error, .info, .info])
        #expect(session.counts == PipeCounts(bytes: 19, lines: 4, events: 4))
        close(ends.read)
    }

    @Test func whatALineOfOursSaysIsPassedOn() throws {
        let ends = Ends()
        let place = LogSource(fileNamed: "A/B.swift", functionNamed: "f()", line: 1)
        let said = LogEvent(
            sequence: 7, time: LogTime(nanoseconds: 1_795_257_322_000_000_000), level: .error, message: "boom", metadata: ["a": 1],
            source: place, error: LogErrorDetails(type: "T", description: "m"))
        ends.send(JSONLineFormat().string(for: said) + "\n")
        close(ends.write)
        _ = try PipeSession(reading: ends.read, into: service).run()
        let event = try #require(heard.events.first)
        #expect(event.time == said.time && event.level == .error && event.message == "boom")
        #expect(event.metadata == ["a": 1, "sequence": 7])
        #expect(event.source == place && event.error == said.error)
        close(ends.read)
    }

    @Test func aVeryLongLineBecomesSeveralEvents() throws {
        let ends = Ends()
        ends.send(String(repeating: "x", count: 50) + "\nnext\n")
        close(ends.write)
        let session = try PipeSession(reading: ends.read, into: service, maximumLineBytes: 20)
        _ = session.run()
        #expect(heard.messages.prefix(3).joined() == String(repeating: "x", count: 50))
        #expect(heard.events.map { $0.metadata["continued"] } == [nil, true, true, nil])
        #expect(session.counts == PipeCounts(bytes: 56, lines: 2, events: 4))
        close(ends.read)
    }

    @Test func thePiecesOfAVeryLongLineHaveItsLevelAndTimeAndNoColours() throws {
        let ends = Ends()
        // The first piece ends within the first colour.
        ends.send("2026-11-21T10:35:22Z ERROR red: \u{1B}[31m" + String(repeating: "x", count: 50) + "\u{1B}[0m\u{1B}[1m.\nnext\n")
        close(ends.write)
        _ = try PipeSession(reading: ends.read, into: service, maximumLineBytes: 34).run()
        #expect(heard.messages.dropLast().joined() == "ERROR red: " + String(repeating: "x", count: 50) + ".")
        #expect(heard.events.map(\.level) == [.error, .error, .error, .info])
        #expect(heard.events.dropLast().allSatisfy { $0.time == ISO8601.time("2026-11-21T10:35:22Z") })
        #expect(heard.events.map { $0.metadata["continued"] } == [nil, true, true, nil])
        close(ends.read)
    }

    @Test("a line of nothing but an endless colour takes no more memory than another one")
    func anEndlessColour() throws {
        let ends = Ends()
        ends.send("\u{1B}[" + String(repeating: "1", count: 200) + "\n")
        close(ends.write)
        _ = try PipeSession(reading: ends.read, into: service, maximumLineBytes: 40).run()
        #expect(heard.messages.joined() == "\u{1B}[" + String(repeating: "1", count: 200))
        #expect(heard.messages.allSatisfy { $0.utf8.count <= 40 })
        close(ends.read)
    }

    @Test func stopReadsWhatThePipeHolds() throws {
        let ends = Ends()
        ends.send(String(repeating: "line\n", count: 5000) + "torn")
        let session = try PipeSession(reading: ends.read, into: service)
        session.stop()
        session.stop()
        #expect(session.run() == .stopped)
        #expect(heard.events.count == 5001)
        #expect(heard.messages.last == "torn")
        close(ends.read)
        close(ends.write)
    }

    /// A file of so many bytes, in lines of 1000 each with its ending.
    private func input(bytes count: Int) -> Int32 {
        let input = open(folder("input"), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        let line = String(repeating: "x", count: 999) + "\n"
        #expect(writeAll(input, Array(String(repeating: line, count: count / 1000 + 1).utf8.prefix(count))) == count)
        lseek(input, 0, SEEK_SET)
        return input
    }

    @Test func stopTearsNoLineOfAnInputThatGoesOn() throws {
        let input = input(bytes: 2 << 20)
        defer { close(input) }
        let session = try PipeSession(reading: input, into: service)
        session.stop()
        #expect(session.run() == .cutOff)
        #expect(heard.events.count == (1 << 20) / 1000)
        #expect(heard.messages.allSatisfy { $0.utf8.count == 999 })
    }

    @Test func anInputThatEndsWhereAStopWouldCutItIsReadToItsEnd() throws {
        let input = input(bytes: 1 << 20)
        defer { close(input) }
        let session = try PipeSession(reading: input, into: service)
        session.stop()
        #expect(session.run() == .endOfInput)
        #expect(heard.messages.map(\.utf8.count).reduce(0) { $0 + $1 + 1 } == (1 << 20) + 1)   // the last line has no ending
    }

    @Test func stopWakesAReaderThatWaits() throws {
        let ends = Ends()
        let gate = Gate()
        let session = try PipeSession(reading: ends.read, into: service)
        LogThread.start("reader") {
            #expect(session.run() == .stopped)
            gate.wait()
        }
        session.stop()
        #expect(gate.waitForArrivals(1))
        gate.open()
        close(ends.write)
    }

    @Test func aDescriptorThatCannotBeReadIsSaid() throws {
        let folder = open("/", O_RDONLY | O_CLOEXEC)
        #expect(try PipeSession(reading: folder, into: service).run() == .failed(errno: EISDIR))
        close(folder)
    }

    @Test func whatWakesASessionTakesTheNumberOfNoStreamThatIsClosed() async {
        await #expect(processExitsWith: .success) {
            for stream: Int32 in 0...2 { close(stream) }
            let wakeup = try SelfPipe()
            #expect(wakeup.readEnd > 2)
        }
    }

    @Test func linesInAreEventsOut() throws {
        let randomness = LogRandomness.seeded(3)
        for _ in 0..<20 {
            let ends = Ends()
            let service = LogService()
            let heard = RecordingProvider()
            service.register(heard)
            let bytes = (0..<Int(randomness.next() % 30000)).map { _ in
                randomness.next() % 40 == 0 ? 0x0A : UInt8(truncatingIfNeeded: randomness.next())
            }
            let lines =
                bytes.split(separator: 0x0A, omittingEmptySubsequences: false).count
                - (bytes.last == 0x0A || bytes.isEmpty ? 1 : 0)
            let write = ends.write
            LogThread.start("writer") {
                _ = writeAll(write, bytes)
                close(write)
            }
            let session = try PipeSession(reading: ends.read, into: service)
            #expect(session.run() == .endOfInput)
            #expect(heard.events.count == lines)
            #expect(
                session.counts == PipeCounts(bytes: UInt64(bytes.count), lines: UInt64(lines), events: UInt64(lines)))
            close(ends.read)
        }
    }
}

/// write(2) until everything is written.
private func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) -> Int {
    var done = 0
    while done < bytes.count {
        let count = bytes[done...].withUnsafeBytes { write(descriptor, $0.baseAddress!, $0.count) }
        if count <= 0 { return done }
        done += count
    }
    return done
}
