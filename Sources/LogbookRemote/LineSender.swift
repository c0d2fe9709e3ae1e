public import LogbookCore
public import LogbookDelivery
public import LogbookHTTP

/// Sends the lines of a file or a stream to a receiver, and ends when it has them all.
///
/// A line of any format that Logbook writes becomes its event; JSON lines with a key keep it, so that a receiver which has the event
/// already stores it once; what others have added to a JSON line is metadata, as is what Logbook has no place for of a line of another
/// ecs-logging library, and a line of logfmt or text of which an event would not say everything (a key twice, `version=1.10`, a backslash
/// that is none of our escapes) is its message, with its time and level. Any other line is an event of level info with the line as its
/// message, said now, where a byte that is no UTF-8 reads `\xE9`. Empty lines are none. A line of more than ``maximumLineBytes`` comes in
/// pieces, each an event of its own: no input takes more memory than that.
public final class LineSender: Sendable {
    private let lines: LineParcels
    private let courier: Courier

    /// Of a line: 1 MiB. Pieces of a longer one end between characters.
    public static let maximumLineBytes = 1 << 20

    /// - Parameters:
    ///   - origin: For lines that have no key of their own: with the line's number it makes one.
    ///   - deadLetters: Keeps what the receiver will never take.
    ///   - onCut: Told of each line that comes in pieces, by its place in the input, from 1; on a thread of the sender's own.
    ///   - input: Gives at most so many of the next bytes, and none at the end; called on a thread of the sender's own, where it may
    ///     block. What it gives at once is sent without waiting for more.
    public init(
        to destination: some LogDestination, origin: LogOrigin = .ephemeral(), delivery: DeliveryPolicy = DeliveryPolicy(),
        transport: any HTTPTransport = CurlTransport.shared, deadLetters: DeadLetterFolder? = nil, name: String = "send",
        clock: LogClock = .system, randomness: LogRandomness = .system, onEvent: (@Sendable (CourierEvent) -> Void)? = nil,
        onCut: (@Sendable (_ line: UInt64) -> Void)? = nil, reading input: @escaping @Sendable (_ maximumBytes: Int) throws -> [UInt8]
    ) {
        lines = LineParcels(to: destination, origin: origin, clock: clock, onCut: onCut, reading: input)
        courier = Courier(
            name: name, source: lines, destination: destination, transport: transport, policy: delivery,
            deadLetters: deadLetters, clock: clock, randomness: randomness, onEvent: onEvent)
    }

    /// Returns once the input has ended and the fate of each of its lines is known; see ``ledger``.
    /// - Throws: ``CourierError`` when the deadline passes or the receiver refuses us, and what the input threw, after everything
    ///   before it has been sent.
    public func send(by deadline: LogDeadline) throws {
        defer { courier.shutdown(by: .seconds(1)) }
        while !lines.isDone { try deliver(by: deadline) }
        if let failure = lines.failure { throw failure }
    }

    /// The same without a deadline, for an input that may be long or have no end: gives up when the receiver has taken or refused nothing
    /// for so long of what was read. Input that is still to come is waited for, however long that takes.
    /// - Throws: ``CourierError``; ``isAtEnd`` says whether something of the input was not read. What the input threw, after everything
    ///   before it has been sent.
    public func send(patience: Duration) throws {
        defer { courier.shutdown(by: .seconds(1)) }
        while !lines.isDone {
            let rest = lines.rest(of: patience) ?? max(patience, Self.shortestLook)
            do throws(CourierError) { try deliver(by: .after(rest)) } catch {
                guard case .deadlinePassed = error, lines.rest(of: patience) != .zero else { throw error }
            }
        }
        if let failure = lines.failure { throw failure }
    }

    /// For the courier what is not read yet is an entry; nobody else is told of it as one.
    private func deliver(by deadline: LogDeadline) throws(CourierError) {
        do throws(CourierError) { try courier.deliver(by: deadline) } catch {
            let pending = Int(lines.ledger.pending)
            switch error {
            case .deadlinePassed(_, let reason): throw .deadlinePassed(pending: pending, reason: reason)
            case .misconfigured(_, let reason): throw .misconfigured(pending: pending, reason: reason)
            case .heldBack(_, let reason): throw .heldBack(pending: pending, reason: reason)
            case .stopped: throw .stopped(pending: pending)
            case .sourceUnreadable, .calledFromOwnThread: throw error
            }
        }
    }

    /// How often a patience that is shorter is looked at while the input is waited for.
    private static let shortestLook = Duration.milliseconds(100)

    /// What became of the lines read so far.
    public var ledger: LogLedger { lines.ledger }
    /// Bytes read so far.
    public var bytes: Int { lines.bytes }
    /// Of them, those whose lines the receiver has taken or refused for good; of what was read at once, at most 1 MiB, by the number of its
    /// lines.
    public var settledBytes: Int { lines.settledBytes }
    /// Lines read so far, the empty ones too.
    public var lineCount: Int { lines.lineCount }
    /// Whether the input was read to its end.
    public var isAtEnd: Bool { lines.isAtEnd }
    /// How many of the lines read so far came in pieces.
    public var cutCount: Int { lines.cutCount }
    public var status: CourierStatus { courier.status }
}
