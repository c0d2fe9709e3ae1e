public import LogbookCore
public import LogbookFormat

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Writes events to the process's standard output or standard error, one line each.
///
/// ```swift
/// LogService.register(provider: ConsoleLogProvider())
/// LogService.register(provider: ConsoleLogProvider(format: .article, splitsErrors: true))
/// ```
/// **Durability.** When `log` returns, the line is in the hands of the kernel, or was counted as
/// ``DropReason/inputOutputError``; `flush` has nothing left to do.
///
/// A closed pipe, a full disk behind a redirection or a reader that sleeps never ends and never hangs the program: a line waits
/// up to 250 ms for room, and the lines after it do not wait until there is some again. Only in a terminal that the user may not open
/// and that is not the process's own, as after `su -c`, may a line wait for as long as nobody reads. The provider keeps a descriptor of
/// its own, so make it after redirecting the streams; closing the stream later does not close the provider's.
public final class ConsoleLogProvider: LogProvider, LineSink {
    private struct Lane: Sendable {
        let stream: ConsoleStream
        let isColoured: Bool
    }
    private let format: any LogFormat
    private let lane: Lane
    /// Where errors go, when that is somewhere else.
    private let errorLane: Lane?
    private struct State {
        var ledger = LogLedger()
        /// Why the latest lines are lost; nil when they are not.
        var failure: SystemError?
    }
    private let state = Locked(State())

    /// - Parameters:
    ///   - format: One line per event.
    ///   - splitsErrors: Errors and critical events go to standard error, whatever `output` is.
    public convenience init(
        format: some LogFormat = .text, output: ConsoleOutput = .standardOutput, colour: ConsoleColour = .automatic,
        splitsErrors: Bool = false
    ) {
        self.init(
            format: format, descriptor: output == .standardOutput ? 1 : 2,
            errorDescriptor: splitsErrors && output != .standardError ? 2 : nil, colour: colour)
    }

    /// - Parameter patience: How long a line waits for room, for a program that would rather wait than lose it.
    package convenience init(format: some LogFormat, output: ConsoleOutput = .standardOutput, patience: Duration) {
        self.init(format: format, descriptor: output == .standardOutput ? 1 : 2, colour: .automatic, patience: patience)
    }

    init(
        format: some LogFormat = .text, descriptor: Int32, errorDescriptor: Int32? = nil,
        colour: ConsoleColour = .automatic,
        patience: Duration = .milliseconds(250),
        environment: (String) -> String? = { name in getenv(name).map { String(cString: $0) } }
    ) {
        func lane(_ descriptor: Int32) -> Lane {
            let stream = ConsoleStream(duplicating: descriptor, patience: patience)
            return Lane(
                stream: stream, isColoured: colour.applies(isTerminal: stream.isTerminal, environment: environment))
        }
        self.format = format
        self.lane = lane(descriptor)
        errorLane = errorDescriptor.map(lane)
    }

    public var ledger: LogLedger? { state.withLock { $0.ledger } }

    /// Why the latest line is lost; nil when it is not.
    public var latestFailure: String? { state.withLock { $0.failure?.description } }

    public func log(_ event: LogEvent) {
        let lane = event.level >= .error ? errorLane ?? self.lane : self.lane
        var line: [UInt8] = []
        line.reserveCapacity(512)
        if lane.isColoured { appendColoured(event, to: &line) } else { format.append(event, to: &line) }
        var failure: SystemError?
        do { try lane.stream.write(line, isColoured: lane.isColoured) } catch { failure = error }
        state.withLock { state in
            state.ledger.submit()
            if failure == nil { state.ledger.deliver(1) } else { state.ledger.drop(1, .inputOutputError) }
            state.failure = failure
        }
        if let failure { LogDiagnostics.report("console", "a line is lost: \(failure)") }
    }

    /// Its queue holds lines when all of them look alike and go to one stream.
    package var lineLayout: (any LineLayout)? {
        lane.isColoured || errorLane != nil ? nil : format as? any LineLayout
    }

    /// Lines that the stream does not take are lost, as they are one by one: the console is never tried again.
    package func write(_ lines: LineBatch) {
        var failure: SystemError?, taken = 0
        do { try lane.stream.write(lines.bytes, taken: &taken) } catch { failure = error }
        let written = failure == nil ? lines.count : lines.ends.prefix { $0 <= taken }.count
        state.withLock { state in
            state.ledger.submit(lines.count)
            state.ledger.deliver(written)
            state.ledger.drop(lines.count - written, .inputOutputError)
            state.failure = failure
        }
        if let failure { LogDiagnostics.report("console", "\(lines.count - written) lines are lost: \(failure)") }
    }

    /// The colour ends before the newline, so that it never reaches what others print next.
    private func appendColoured(_ event: LogEvent, to line: inout [UInt8]) {
        let start = ConsoleColour.start(event.level)
        guard start.utf8CodeUnitCount > 0 else { return format.append(event, to: &line) }
        line.append(start)
        format.append(event, to: &line)
        if line.last == 0x0A { line.removeLast() }
        line.append(ConsoleColour.end)
        line.append(0x0A)
    }

    public func flush(by deadline: LogDeadline) throws {}
}
