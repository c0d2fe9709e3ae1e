internal import LogbookCore
internal import LogbookDelivery
internal import LogbookFormat

/// Lines of an input as parcels: read when the receiver has what was read before.
final class LineParcels: ParcelSource {
    private struct Piece {
        let parcel: Parcel
        let events: [KeyedEvent]
    }
    private struct State {
        var pieces: [Piece] = []
        var splitter = LineSplitter(maximumLineBytes: LineSender.maximumLineBytes)
        /// Lines that were read, the empty ones too.
        var lineCount = 0
        /// Lines that came in pieces.
        var cutCount = 0
        /// Lines are taken from what was read, and are no events yet.
        var isReading = false
        /// Events that are in no parcel yet.
        var events: [KeyedEvent] = []
        var isAtEnd = false
        /// Why the input could not be read to its end.
        var failure: (any Error)?
        /// The number of the latest event: with the origin it is a key.
        var latest: UInt64 = 0
        var bytes = 0
        /// Of ``bytes``, those whose lines were all settled when the input was read again.
        var settledBytes = 0
        /// Events that were settled since then.
        var settledEvents = 0
        var ledger = LogLedger()
        /// On the clock: since when the receiver has settled nothing of what it could have; nil while the input is waited for.
        var waitingSince: UInt64?
    }

    private static let chunkBytes = 1 << 20

    private let maker: ParcelMaker
    private let origin: LogOrigin
    private let clock: LogClock
    private let onCut: (@Sendable (UInt64) -> Void)?
    private let input: @Sendable (Int) throws -> [UInt8]
    private let reader = LogLineReader()
    private let state = Locked(State())

    init(
        to destination: any LogDestination, origin: LogOrigin, clock: LogClock, onCut: (@Sendable (UInt64) -> Void)?,
        reading input: @escaping @Sendable (Int) throws -> [UInt8]
    ) {
        maker = ParcelMaker(destination, maximumEvents: 1000, maximumBytes: 1 << 20, compressionLevel: 1)
        self.origin = origin
        self.clock = clock
        self.onCut = onCut
        self.input = input
    }

    var isDone: Bool { state.withLock { $0.isAtEnd && !$0.isReading && $0.events.isEmpty && $0.pieces.isEmpty } }
    var ledger: LogLedger { state.withLock { $0.ledger } }
    var bytes: Int { state.withLock { $0.bytes } }
    var settledBytes: Int {
        state.withLock { state in
            let (settled, pending) = (state.settledEvents, Int(state.ledger.pending))
            if settled + pending == 0 { return state.settledBytes }
            return state.settledBytes + (state.bytes - state.settledBytes) * settled / (settled + pending)
        }
    }
    var lineCount: Int { state.withLock { $0.lineCount } }
    var cutCount: Int { state.withLock { $0.cutCount } }
    var isAtEnd: Bool { state.withLock { $0.isAtEnd } }
    var failure: (any Error)? { state.withLock { $0.failure } }
    /// What is not read yet counts as one.
    var pendingCount: Int { state.withLock { Int($0.ledger.pending) + ($0.isAtEnd && !$0.isReading ? 0 : 1) } }

    /// What is left of so much time in which the receiver settles nothing; nil while the input is waited for.
    func rest(of patience: Duration) -> Duration? {
        guard let since = state.withLock({ $0.waitingSince }) else { return nil }
        let now = clock.monotonicNanoseconds()
        return max(.zero, patience - .nanoseconds(Int64(clamping: now - min(now, since))))
    }

    func nextParcel() throws -> Parcel? {
        while true {
            if let parcel = state.withLock({ $0.pieces.first?.parcel }) { return parcel }
            if state.withLock({ $0.events.isEmpty }) { readEvents() }
            let events = state.withLock { $0.events }
            if events.isEmpty { return nil }
            let pieces = try self.pieces(events)   // when that fails the events are still there
            state.withLock { state in
                state.pieces = pieces
                state.events = []
            }
        }
    }

    private func readEvents() {
        let events = nextLines().map { event(of: $0) }
        state.withLock { state in
            state.ledger.submit(events.count)
            state.events = events
            state.isReading = false
        }
    }

    private func pieces(_ events: [KeyedEvent]) throws -> [Piece] {
        try maker.parcels(events, sealed: clock.now()) { UniqueID.make() }.map { Piece(parcel: $0.parcel, events: $0.events) }
    }

    /// Whole lines of what the input gives at once, without the empty ones; none at its end.
    private func nextLines() -> [LineSplitter.Line] {
        while !state.withLock({ $0.isAtEnd }) {
            let chunk: [UInt8]
            state.withLock { state in
                state.waitingSince = nil
                state.settledBytes = state.bytes
                state.settledEvents = 0
            }
            do {
                chunk = try input(Self.chunkBytes)
            } catch {
                chunk = []
                state.withLock { $0.failure = error }
            }
            var lines: [LineSplitter.Line] = [], latest: UInt64 = 0
            func keep(_ line: LineSplitter.Line) {
                latest = line.number
                if !line.bytes.isEmpty { lines.append(line) }
            }
            let now = clock.monotonicNanoseconds()
            let tooLong = state.withLock { state -> [UInt64] in
                state.waitingSince = now
                state.bytes += chunk.count
                state.isAtEnd = chunk.isEmpty
                state.isReading = true
                state.splitter.take(chunk[...], keep)
                if chunk.isEmpty { state.splitter.finish(droppingReturn: true, keep) }
                state.lineCount = max(state.lineCount, Int(latest))
                let tooLong = lines.filter { $0.goesOn && !$0.isContinued }.map(\.number)
                state.cutCount += tooLong.count
                return tooLong
            }
            for place in tooLong { onCut?(place) }
            if !lines.isEmpty { return lines }
        }
        return []
    }

    /// A line of ours with the key it has; a line of another format that is known; or text, as are the pieces that go on with a line.
    private func event(of piece: LineSplitter.Line) -> KeyedEvent {
        let number = state.withLock { state in
            state.latest += 1
            return state.latest
        }
        let line = piece.bytes
        func text() -> LogEvent {
            LogEvent(sequence: number, time: clock.now(), level: .info, message: LineText.decoded(line))
        }
        if piece.isContinued { return KeyedEvent(text(), origin: origin) }
        if let (event, own) = try? JSONLineFormat.parse(line), let own, let whole = whole(event, of: line, own) {
            return KeyedEvent(whole, origin: own)
        }
        let event = known(line) ?? text()
        return KeyedEvent(
            LogEvent(
                sequence: number, time: event.time, level: event.level, message: event.message, metadata: event.metadata,
                thread: event.thread, source: event.source, transaction: event.transaction, error: event.error),
            origin: origin)
    }

    /// The event of a line of a format that is known, if it says all that the line does; otherwise the line is its message. Nil for any
    /// other line.
    private func known(_ line: [UInt8]) -> LogEvent? {
        // What would be cut of an event stands in its line.
        guard let event = try? reader.event(from: line), event.isWithin(.highest) else { return nil }
        let isSaid: Bool
        switch LogLineReader.kind(of: line) {
        case .jsonLines: return whole(event, of: line, nil)
        case .logfmt: isSaid = LogfmtFormat.says(event, allOf: line)
        case .text, nil: isSaid = TextFormat.wrote(line, of: event) || Self.isPlain(line, event) && TextFormat.says(event, allOf: line)
        case .article, .ecs: isSaid = true
        }
        return isSaid ? event : LogEvent(sequence: 0, time: event.time, level: event.level, message: LineText.decoded(line))
    }

    /// Whether a line reads the same whoever wrote it. What another's level has behind it in brackets, `info [main] started`, is most often
    /// no file, and a backslash, `C:\new`, none of our escapes.
    private static func isPlain(_ line: [UInt8], _ event: LogEvent) -> Bool { event.source.isUnknown && !line.contains(0x5C) }

    /// The event of a JSON line of ours, and as metadata what others have added to the line on its way. Nil where that is more than an
    /// event holds.
    private func whole(_ event: LogEvent, of line: [UInt8], _ origin: LogOrigin?) -> LogEvent? {
        var written: [UInt8] = []
        JSONLineFormat(origin: origin, limits: .highest).append(event, to: &written)
        if written.dropLast().elementsEqual(line) { return event }   // as most are: nobody has touched it
        var limits = JSONLimits()
        limits.keepsLongNumbers = true
        guard case .object(let members)? = try? JSONValue.parse(line, limits: limits), let own = try? JSONValue.parse(written) else {
            return event
        }
        var metadata = event.metadata, keys = NumberedKeys(taken: metadata.map(\.key))
        for member in members where !Self.isSaid(member, by: own) { metadata[keys.take(member.key)] = member.value.logValue }
        let whole = event.replacingMetadata(metadata)
        return whole.isWithin(.highest) ? whole : nil
    }

    private static func isSaid(_ member: JSONMember, by own: JSONValue) -> Bool {
        switch member.key {
        case "time", "level", "message", "metadata": true   // as they were read, however they were written
        case "error", "transaction": own[member.key] == member.value
        default: member.value == .null || own[member.key] != nil
        }
    }

    // MARK: Fates

    func settle(_ parcel: Parcel, as fate: ParcelFate) throws {
        finish(parcel, rejected: fate == .delivered ? 0 : parcel.count, again: [])
    }

    func settle(_ parcel: Parcel, rejecting rejected: Int, because reason: String) throws {
        finish(parcel, rejected: rejected, again: [])
    }

    func settle(_ parcel: Parcel, entries: EntryFates) throws -> Bool {
        guard let events = piece(parcel)?.events else { return true }
        let again = try pieces(entries.again.sorted().map { events[$0] })
        finish(parcel, rejected: entries.rejected.count, again: again)
        return true
    }

    private func finish(_ parcel: Parcel, rejected: Int, again: [Piece]) {
        let now = clock.monotonicNanoseconds()
        state.withLock { state in
            guard state.pieces.first?.parcel.id == parcel.id else { return }
            state.waitingSince = now
            state.pieces.replaceSubrange(0..<1, with: again)
            let left = again.reduce(0) { $0 + $1.events.count }
            state.settledEvents += parcel.count - left
            state.ledger.deliver(parcel.count - rejected - left)
            state.ledger.drop(rejected, .rejectedByServer)
        }
    }

    func split(_ parcel: Parcel) throws -> Bool {
        guard let events = piece(parcel)?.events, events.count > 1 else { return false }
        let half = events.count / 2
        let halves = try pieces(Array(events[..<half])) + pieces(Array(events[half...]))
        state.withLock { $0.pieces.replaceSubrange(0..<1, with: halves) }
        return true
    }

    func excerpt(of parcel: Parcel, entries: Set<Int>) -> Parcel? {
        guard let events = piece(parcel)?.events else { return nil }
        return Parcel(
            id: parcel.id, body: JSONLines.encode(entries.sorted().map { events[$0] }), contentType: "application/x-ndjson",
            count: entries.count, sealed: parcel.sealed)
    }

    private func piece(_ parcel: Parcel) -> Piece? {
        state.withLock { state in state.pieces.first.flatMap { $0.parcel.id == parcel.id ? $0 : nil } }
    }
}
