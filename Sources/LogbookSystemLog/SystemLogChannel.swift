internal import CLogbookSystem
internal import LogbookCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The way to a receiver: messages go one after the other, and it is found again when it was away.
///
/// A receiver that is slower than the program is waited for, but not by every message: after one has waited in vain, those behind
/// it do not wait until there is room again. One that cannot be reached is tried again after a second, and so is one that ends every
/// connection as soon as it has it.
final class SystemLogChannel: Sendable {
    enum Framing: Sendable {
        /// Each message is a datagram.
        case datagrams
        /// The same over a network: each of the server's addresses may refuse them.
        case packets
        /// The same, where what is too large goes as a file in memory.
        case datagramsOrMemory
        /// Each message has its length before it.
        case lengths
    }
    private struct State {
        var connection: (any SystemLogConnection)?
        /// On the monotonic clock: when the latest connection was made.
        var since: UInt64 = 0
        /// Connections in a row that the other end has closed within a second.
        var shortLives = 0
        var isPatient = true
        /// On the monotonic clock: nobody is asked before.
        var nextTry: UInt64 = 0
        var latestFailure: String?
        var latest = LatestMessages()
        var refusals = DatagramRefusals()
    }

    let address: String
    private let framing: Framing
    private let patience: Duration
    private let connect: @Sendable (DatagramRefusals) throws -> any SystemLogConnection
    private let clock: LogClock
    /// Whoever has it connects and sends, and both may take a while.
    private let turn = Turn(State())
    /// Until when it is to have let go of its connection; nil while it is open.
    private let end = Locked<LogDeadline?>(nil)

    private static let pauseNanoseconds: UInt64 = 1_000_000_000
    /// A connection that lives less long took in vain what it was sent.
    private static let shortLifeNanoseconds: UInt64 = 1_000_000_000
    /// So many of them are made up for at once; from the next one on, nobody is asked for a while.
    private static let mostShortLives = 1
    /// At the end, whatever deadline there is: a receiver that stands still takes no more than it has.
    private static let longestFinish = Duration.seconds(5)

    /// - Parameters:
    ///   - patience: How long a message waits for room.
    ///   - connect: To an address that has not refused, where there are several.
    init(
        to address: String, _ framing: Framing, patience: Duration, clock: LogClock,
        connect: @escaping @Sendable (DatagramRefusals) throws -> any SystemLogConnection
    ) {
        self.address = address
        self.framing = framing
        self.patience = patience
        self.clock = clock
        self.connect = connect
    }

    /// Connects, so that a wrong address is told at once.
    func open() throws(SystemLogError) {
        try turn.take { state throws(SystemLogError) in _ = try connection(&state) }
    }

    /// Takes nothing more. Where somebody connects or sends until the deadline, it is they who let go of the connection.
    /// - Parameter deadline: For what is still on its way.
    func close(by deadline: LogDeadline) {
        end.withLock { $0 = deadline }
        letGo(by: deadline)
    }

    private var isClosed: Bool { end.withLock { $0 != nil } }

    private func letGo(by deadline: LogDeadline) {
        let doubtful = turn.take(by: deadline) { state -> LatestMessages.Doubt in
            if let connection = state.connection {
                connection.finish(by: min(deadline, .after(Self.longestFinish)))
                letGo(of: connection, &state)
            }
            return state.latest.takeDoubtful()
        }
        tell(doubtful ?? LatestMessages.Doubt())
    }

    /// Returns when the message is in the hands of the kernel, or, over a Unix socket, of the receiver.
    func send(_ message: [UInt8]) throws(SystemLogError) {
        let (failure, doubtful) = turn.take { state -> (SystemLogError?, LatestMessages.Doubt) in
            do throws(SystemLogError) { try pass(message, &state) } catch { return (error, state.latest.takeDoubtful()) }
            return (nil, state.latest.takeDoubtful())
        }
        tell(doubtful)
        if let deadline = end.withLock({ $0 }) { letGo(by: deadline) }   // whoever closed may not have waited for us
        if let failure { throw failure }
    }

    private func pass(_ message: [UInt8], _ state: inout State) throws(SystemLogError) {
        var isFresh = state.connection == nil
        var connection = try connection(&state)
        while true {
            do throws(SystemError) {
                return try transmit(message, over: connection, &state)
            } catch {
                connection = try recovered(from: error, of: connection, message.count, isFresh: isFresh, &state)
                isFresh = true
            }
        }
    }

    private func connection(_ state: inout State) throws(SystemLogError) -> any SystemLogConnection {
        if isClosed { throw .closed(address: address) }
        if let connection = state.connection {
            if framing != .lengths || !connection.isClosedByPeer { return connection }
            try giveUp(connection, &state)
        }
        let now = clock.monotonicNanoseconds()
        if let failure = state.latestFailure, now < state.nextTry {
            throw .unreachable(address: address, reason: failure)
        }
        let connection: any SystemLogConnection
        do { connection = try connect(state.refusals) } catch {
            state.refusals.beginAnew()
            throw pause(after: "\(error)", &state)
        }
        if isClosed { throw .closed(address: address) }   // whoever closed did not wait for it; it ends here
        state.connection = connection
        state.since = clock.monotonicNanoseconds()
        state.latest.beginAnew()
        state.latestFailure = nil
        return connection
    }

    private func transmit(_ message: [UInt8], over connection: any SystemLogConnection, _ state: inout State) throws(SystemError) {
        let deadline = state.isPatient ? LogDeadline.after(patience) : .now
        switch framing {
        case .datagrams: try transmitDatagram(message, over: connection, by: deadline, &state)
        case .packets:
            try transmitDatagram(message, over: connection, by: deadline, &state)
            // That it was refused over a network is heard of later, with another message.
            if state.refusals.inARow > 0, !isShortLived(state) { state.refusals.beginAnew() }
        case .datagramsOrMemory:
            do { try transmitDatagram(message, over: connection, by: deadline, &state) } catch {
                guard error.number == EMSGSIZE || error.number == ENOBUFS else { throw error }
                try transmitMemory(message, over: connection, by: deadline, &state)
            }
        case .lengths: try transmitFrame(Array("\(message.count) ".utf8) + message, over: connection, by: deadline, &state)
        }
    }

    private func transmitDatagram(
        _ message: [UInt8], over connection: any SystemLogConnection, by deadline: LogDeadline, _ state: inout State
    ) throws(SystemError) {
        try waitingForRoom(on: connection, by: deadline, &state) { () throws(SystemError) in
            _ = try message.withUnsafeBufferPointer { bytes throws(SystemError) in try connection.send(UnsafeRawBufferPointer(bytes)) }
        }
    }

    private func transmitMemory(
        _ message: [UInt8], over connection: any SystemLogConnection, by deadline: LogDeadline, _ state: inout State
    ) throws(SystemError) {
        let memory = message.withUnsafeBytes { logbook_sealed_memory("logbook", $0.baseAddress, $0.count) }
        guard memory >= 0 else {
            // None of it is the connection's fault: the machine does not let anybody have such memory, or has none at the moment.
            switch errno {
            case EFBIG, EACCES, EPERM: throw SystemError(EMSGSIZE, in: "memfd_create")
            case EMFILE, ENFILE, ENOMEM: throw SystemError(EAGAIN, in: "memfd_create")
            case let number: throw SystemError(number, in: "memfd_create")
            }
        }
        defer { Self.close(memory) }
        try waitingForRoom(on: connection, by: deadline, &state) { () throws(SystemError) in
            let failure = logbook_send_descriptor(connection.descriptor, memory)
            if failure != 0 { throw SystemError(failure, in: "sendmsg") }
        }
    }

    /// Tries until there was room for all of what is sent, which goes in one piece.
    private func waitingForRoom(
        on connection: any SystemLogConnection, by deadline: LogDeadline, _ state: inout State, send: () throws(SystemError) -> Void
    ) throws(SystemError) {
        while true {
            do throws(SystemError) {
                try send()
                state.isPatient = true
                return
            } catch {
                guard error.number == EAGAIN, !deadline.hasPassed, connection.waitForRoom(by: deadline) else { throw error }
            }
        }
    }

    /// All of it, or the connection is of no further use: the receiver would take the rest for the next length.
    private func transmitFrame(
        _ frame: [UInt8], over connection: any SystemLogConnection, by deadline: LogDeadline, _ state: inout State
    ) throws(SystemError) {
        var done = 0
        do throws(SystemError) {
            while done < frame.count {
                do throws(SystemError) {
                    done += try frame.withUnsafeBufferPointer { bytes throws(SystemError) in
                        try connection.send(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[done...])))
                    }
                } catch {
                    guard error.number == EAGAIN, !deadline.hasPassed, connection.waitForRoom(by: deadline) else { throw error }
                }
            }
            state.isPatient = true
            state.latest.add(at: clock.monotonicNanoseconds())
        } catch {
            if done > 0 {
                state.latest.doubt()   // it may stand still with all that it was given before
                state.connection = nil
            }
            throw error
        }
    }

    /// Finds out what a failure means for the channel.
    /// - Parameter isFresh: The connection was made for this very message, so another would help no more.
    /// - Returns: A new connection to try again with.
    private func recovered(
        from failure: SystemError, of connection: any SystemLogConnection, _ bytes: Int, isFresh: Bool, _ state: inout State
    ) throws(SystemLogError) -> any SystemLogConnection {
        switch failure.number {
        case EAGAIN, ENOBUFS:
            state.isPatient = false
            throw .busy(address: address)
        case EMSGSIZE: throw .tooLarge(address: address, bytes: bytes)
        case ECONNREFUSED where framing == .packets:   // ends where each of the addresses has refused
            state.connection = nil
            state.refusals.note()
            return try self.connection(&state)
        default:
            if !isFresh {
                try giveUp(connection, &state)
                return try self.connection(&state)
            }
            state.connection = nil
            throw pause(after: failure.description, &state)
        }
    }

    /// The other end has closed the connection. One that does so at once, again and again, wants none of what it is sent.
    private func giveUp(_ connection: any SystemLogConnection, _ state: inout State) throws(SystemLogError) {
        letGo(of: connection, &state)
        state.shortLives = framing == .lengths && isShortLived(state) ? state.shortLives + 1 : 0
        if state.shortLives > Self.mostShortLives {
            throw pause(after: "it ends connections at once, as one does that asks for another certificate", &state)
        }
    }

    private func isShortLived(_ state: State) -> Bool {
        let now = clock.monotonicNanoseconds()
        return now - min(now, state.since) < Self.shortLifeNanoseconds
    }

    /// A receiver that has read everything ends a connection, also when it goes away itself: only of one that broke is there doubt.
    private func letGo(of connection: any SystemLogConnection, _ state: inout State) {
        if framing == .lengths, connection.isBroken { state.latest.doubt() }
        state.connection = nil
    }

    /// Not while the turn is ours: whoever listens may log.
    private func tell(_ doubtful: LatestMessages.Doubt) {
        if doubtful.count == 0 { return }
        let count = "\(doubtful.isLeast ? "at least " : "")\(doubtful.count)"
        LogDiagnostics.report("syslog \(address)", "the connection broke: of the messages that were sent last, \(count) may be lost")
    }

    /// Nobody is asked for a while.
    private func pause(after failure: String, _ state: inout State) -> SystemLogError {
        state.latestFailure = failure
        state.nextTry = clock.monotonicNanoseconds() + Self.pauseNanoseconds
        return .unreachable(address: address, reason: failure)
    }

    private static func close(_ descriptor: Int32) { _ = closeDescriptor(descriptor) }
}

/// close(2), which the type's own function hides.
private func closeDescriptor(_ descriptor: Int32) -> Int32 { close(descriptor) }
