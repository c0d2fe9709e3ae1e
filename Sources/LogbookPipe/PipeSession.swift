public import LogbookCore
internal import LogbookFormat

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Reads lines from a descriptor and relays each as an event, until the input ends or somebody says stop.
///
/// What is read is relayed: nothing is skipped, and nothing kept back but the beginning of a line that a stop has cut off. While a
/// provider has many events before it (two windows), reading waits, and the program at the other end of the pipe with it; a provider
/// whose queue has room for more drops nothing. For a provider that fails a ``PipeProgram`` that can save events waits for so long only.
public final class PipeSession: Sendable {
    private let descriptor: Int32
    private let output: Int32?
    private let service: LogService
    private let recognizer: LineRecognizer
    private let maximumLineBytes: Int
    private let wakeup: SelfPipe
    private let pace: PipePace
    private let progress = Locked(PipeCounts())

    /// Bytes asked for at once.
    private static let chunkBytes = 64 << 10
    /// What a pipe of the kernel holds at most (`fs.pipe-max-size`): read after a stop at most, so that a writer who never
    /// pauses cannot hold it up.
    private static let maximumBytesAfterStop = 1 << 20

    /// - Parameters:
    ///   - descriptor: Read until its end; stays open.
    ///   - output: Where all events go, if that is one place: once nobody reads there any more, nothing more is read here.
    ///   - maximumLineBytes: A longer line becomes several events with its level and time, all but the first with the metadata
    ///     `continued`.
    ///   - windowEvents: Events of one window.
    ///   - windowBytes: Bytes of the lines of one window.
    ///   - say: Told, with a newline, which provider reading has been waiting for when that has lasted ten seconds, and that it goes on;
    ///     where events of a provider that fails are saved, and that it takes events again.
    /// - Throws: ``PipeError/noDescriptors(errno:)``.
    public init(
        reading descriptor: Int32 = 0, whileReadAt output: Int32? = nil, into service: LogService,
        recognizer: LineRecognizer = LineRecognizer(), maximumLineBytes: Int = 64 << 10, windowEvents: Int = 10_000,
        windowBytes: Int = 8 << 20, say: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(PipeError) {
        self.descriptor = descriptor
        self.output = output
        self.service = service
        self.recognizer = recognizer
        self.maximumLineBytes = maximumLineBytes
        wakeup = try SelfPipe()
        pace = PipePace(service, windowEvents: windowEvents, windowBytes: windowBytes, say: say)
    }

    /// Ends ``run()`` soon: what the pipe holds at this moment is still read, and no provider is waited for any more. Of an input that
    /// goes on and on, such as a large file, the rest is not read (``PipeEnd/cutOff``). From any thread, any number of times.
    public func stop() {
        wakeup.wake()
        pace.release()
    }

    /// From now on reading waits for a provider that fails for so long only, and then what it has is taken from it.
    func relieve(after patience: Duration, into place: String, with relieve: @escaping @Sendable (LogRegistration) -> Bool) {
        pace.relieve(after: patience, into: place, with: relieve)
    }

    /// What has been read so far.
    public var counts: PipeCounts { progress.withLock { $0 } }

    /// Reads on the calling thread until the end.
    public func run() -> PipeEnd {
        var splitter = LineSplitter(maximumLineBytes: maximumLineBytes)
        var beginning = Beginning(level: recognizer.unknownLevel)
        func relay(_ piece: LineSplitter.Line) { self.relay(piece, of: &beginning) }
        var bytesAfterStop: Int?
        var buffer = [UInt8](repeating: 0, count: Self.chunkBytes)
        var end = PipeEnd.endOfInput
        reading: while true {
            switch wait(forever: bytesAfterStop == nil) {
            case .nothing:
                end = .stopped
                break reading
            case .stop:
                bytesAfterStop = 0
                continue
            case .nobodyReads:
                end = .nobodyReads
                break reading
            case .input: break
            }
            let count = read(descriptor, &buffer, buffer.count)
            if count == 0 { break }
            if count < 0 {
                if errno == EINTR || errno == EAGAIN { continue }
                end = .failed(errno: errno)
                break
            }
            if let already = bytesAfterStop {
                // What is pending is the beginning of a line whose end nobody will read, and no line.
                if already >= Self.maximumBytesAfterStop { return .cutOff }
                bytesAfterStop = already + count
            }
            progress.withLock { $0.bytes += UInt64(count) }
            splitter.take(buffer[..<count], relay)
        }
        splitter.finish(relay)
        return end
    }

    private enum Readiness { case input, stop, nobodyReads, nothing }

    private func wait(forever: Bool) -> Readiness {
        var watched = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: forever ? wakeup.readEnd : -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: output ?? -1, events: 0, revents: 0),
        ]
        while true {
            let ready = poll(&watched, nfds_t(watched.count), forever ? -1 : 0)
            if ready < 0 && errno == EINTR { continue }
            if watched[1].revents != 0 { return .stop }
            if watched[2].revents != 0 { return .nobodyReads }
            // A failed poll leaves it to read(2) to say what is wrong.
            return ready == 0 ? .nothing : .input
        }
    }

    /// What the later pieces of a line have of its earlier ones.
    private struct Beginning {
        var level: LogLevel
        var time: LogTime?
        /// The beginning of a terminal sequence.
        var sequence: [UInt8] = []
    }

    private func relay(_ piece: LineSplitter.Line, of line: inout Beginning) {
        pace.wait(for: piece.bytes.count)
        progress.withLock { counts in
            counts.events += 1
            if !piece.isContinued { counts.lines += 1 }
        }
        var bytes = line.sequence + piece.bytes
        line.sequence = piece.goesOn ? Array(LineText.unfinishedTerminalSequence(of: bytes)) : []
        bytes.removeLast(line.sequence.count)
        if piece.isContinued {
            service.relay(
                line.level, LogMessage(text: LineText.decoded(LineText.withoutTerminalSequences(bytes))),
                metadata: ["continued": true], at: line.time)
        } else {
            let recognized = recognizer.recognize(bytes)
            (line.level, line.time) = (recognized.level, recognized.time)
            service.relay(
                recognized.level, LogMessage(text: recognized.message), metadata: recognized.metadata, error: recognized.error,
                at: recognized.time, source: recognized.source)
        }
    }
}
