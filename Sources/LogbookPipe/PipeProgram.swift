public import LogbookCore
internal import LogbookFormat

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A pipe from its first line to its exit status: reads, gives the providers their time, tells what became of everything, and
/// saves what no receiver took.
public final class PipeProgram: Sendable {
    /// A provider of the pipe, registered with its service.
    public struct Outlet: Sendable {
        let registration: LogRegistration
        let undelivered: @Sendable () -> [LogEvent]
        let origin: LogOrigin?
        let handOver: (@Sendable (_ save: ([LogEvent]) -> Bool) -> Int)?

        /// - Parameters:
        ///   - origin: Written into events that are saved, so that a receiver can tell which of them it has.
        ///   - undelivered: What the provider still has, after its shutdown. What it lets go of before that is for
        ///     ``PipeProgram/save(_:of:)``.
        ///   - handOver: Lets go of what waits in the provider, once that is saved, and says how many those were. Asked for while the
        ///     provider fails and holds up the reading, which without it waits until the provider is well.
        public init(
            _ registration: LogRegistration, origin: LogOrigin? = nil,
            undelivered: @escaping @Sendable () -> [LogEvent] = { [] },
            handOver: (@Sendable (_ save: ([LogEvent]) -> Bool) -> Int)? = nil
        ) {
            self.registration = registration
            self.origin = origin
            self.handOver = handOver
            self.undelivered = undelivered
        }
    }

    /// What the program's exit status means, after `sysexits.h`.
    public enum Status: Int32, Sendable {
        /// Everything read was delivered.
        case delivered = 0
        /// The input could not be read to its end, or the summary could not be written; what was read was delivered.
        case failed = 74
        /// Something was not delivered, or not read any more; the messages say what, and where it is.
        case undelivered = 75
    }

    private let session: PipeSession
    private let service: LogService
    private let outlets: [Outlet]
    private let patience: Duration
    private let rescue: OutputFile?
    private let summary: OutputFile?
    /// How many events are in the file.
    private let saved = Locked(0)
    /// Whether it was said that nothing can be saved while reading waits, and nothing was since.
    private let isUnsaved = Locked(false)
    private let say: @Sendable (String) -> Void

    /// - Parameters:
    ///   - patience: How long the providers may take after the input's end, and how long reading waits for one that fails, where what it
    ///     has can be saved.
    ///   - undelivered: Path of the file for events that no receiver took, made only when there are any; nil saves none.
    ///   - summary: Path of the file for ``PipeSummary/tabSeparated``, `-` for standard output; nil writes none.
    ///   - say: Takes messages and the table for people, with their newlines.
    /// - Throws: ``PipeError/cannotWrite(path:errno:)`` or ``PipeError/notAFile(path:)``, before anything is read.
    public init(
        _ session: PipeSession, service: LogService, outlets: [Outlet], patience: Duration = .seconds(60),
        undelivered: String? = nil, summary: String? = nil, say: @escaping @Sendable (String) -> Void
    ) throws(PipeError) {
        self.session = session
        self.service = service
        self.outlets = outlets
        self.patience = patience
        self.say = say
        rescue = try undelivered.map { path throws(PipeError) in try OutputFile(whenNeeded: path) }
        self.summary = try summary.map { path throws(PipeError) in try OutputFile(path) }
    }

    /// Ends ``run()`` soon, from any thread: what the pipe holds is still read, as by ``PipeSession/stop()``.
    public func stop() { session.stop() }

    public func run() -> Status {
        if let rescue, outlets.contains(where: { $0.handOver != nil }) {
            session.relieve(after: patience, into: rescue.path) { [weak self] in self?.relieve($0) ?? false }
        }
        let end = session.run()
        let report = service.shutdown(by: .after(patience))
        let result = PipeSummary(
            counts: session.counts,
            providers: outlets.map { .init(name: $0.registration.name, ledger: $0.registration.ledger) })
        say(result.table)
        var isWhole = true
        for outlet in outlets {
            let ledger = outlet.registration.ledger
            if ledger.delivered == ledger.submitted { continue }
            isWhole = false
            let reason = report.unfinished.first { $0.name == outlet.registration.name }?.reason
            say(Self.message(outlet.registration.name, ledger, reason))
            save(outlet.undelivered(), of: outlet.origin)
        }
        tellOfSaved()
        // Everything is said; the exit hook has nothing to add.
        for outlet in outlets { service.unregister(outlet.registration, by: .now) }
        let isSummed = write(result.tabSeparated, to: summary)
        if end == .nobodyReads {
            say("logbook pipe: nobody reads what is written any more, so the rest of the input was not read\n")
            isWhole = false
        }
        if end == .cutOff {
            say("logbook pipe: stopped; the rest of the input was not read, from the end of the last whole line on\n")
            isWhole = false
        }
        if case .failed(let errno) = end {
            say("logbook pipe: reading failed: \(SystemError.text(of: errno)); what was read before is accounted for above\n")
            return isWhole ? .failed : .undelivered
        }
        if isWhole { return isSummed ? .delivered : .failed }
        return .undelivered
    }

    private static func message(_ name: String, _ ledger: LogLedger, _ reason: String?) -> String {
        let reasons = ledger.dropped.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.value) \($0.key)" }
        var text =
            "logbook pipe: \(name) did not deliver \(ledger.submitted - ledger.delivered) of \(ledger.submitted) events"
        if !reasons.isEmpty { text += ", dropped: \(reasons.joined(separator: ", "))" }
        if let reason { text += ": \(reason)" }
        return text + "\n"
    }

    /// Appends events to the file for those that no receiver took: at once those that one will never take. From any thread, while
    /// ``run()`` runs.
    public func save(_ events: [LogEvent], of origin: LogOrigin?) {
        guard !events.isEmpty, let rescue else { return }
        if let failure = write(events, of: origin, to: rescue) {
            say("logbook pipe: \(events.count) events are lost: \(failure)\n")
        }
    }

    /// - Returns: Why they could not be written; nil when they were.
    private func write(_ events: [LogEvent], of origin: LogOrigin?, to rescue: OutputFile) -> PipeError? {
        let format = JSONLineFormat(origin: origin, limits: .highest)
        var lines: [UInt8] = []
        for event in events { format.append(event, to: &lines) }
        do throws(PipeError) {
            try saved.withLock { saved throws(PipeError) in
                try rescue.write(lines)
                saved += events.count
            }
            return nil
        } catch {
            return error
        }
    }

    /// Saves what waits in a provider that holds up the reading.
    /// - Returns: Whether reading may go on; where nothing can be written the provider keeps all of it, and reading waits.
    private func relieve(_ registration: LogRegistration) -> Bool {
        guard let rescue, let outlet = outlets.first(where: { $0.registration === registration }), let handOver = outlet.handOver else {
            return false
        }
        var failure: PipeError?
        _ = handOver { events in
            failure = write(events, of: outlet.origin, to: rescue)
            return failure == nil
        }
        let wasUnsaved = isUnsaved.withLock { isUnsaved -> Bool in
            defer { isUnsaved = failure != nil }
            return isUnsaved
        }
        guard let failure else { return true }
        if !wasUnsaved {
            say("logbook pipe: what \(registration.name) does not take cannot be saved either, so reading waits: \(failure)\n")
        }
        return false
    }

    private func tellOfSaved() {
        guard let rescue, case let count = saved.withLock({ $0 }), count > 0 else { return }
        say("logbook pipe: \(count) events are saved in \(rescue.path), one JSON object per line\n")
    }

    /// - Returns: Whether whoever wants the text has it; nobody does who has stopped reading standard output.
    private func write(_ text: String, to file: OutputFile?) -> Bool {
        do throws(PipeError) {
            try file?.write(Array(text.utf8))
            return true
        } catch .cannotWrite(path: "-", errno: EPIPE) {
            return true
        } catch {
            say("logbook pipe: \(error)\n")
            return false
        }
    }
}
