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
/// it do not wait until there is room again. One that cannot be reached is tried again after a second.
final class SystemLogChannel: Sendable {
    enum Framing: Sendable {
        /// Each message is a datagram.
        case datagrams
        /// The same, where what is too large goes as a file in memory.
        case datagramsOrMemory
        /// Each message has its length before it.
        case lengths
    }
    private struct State {
        var socket: SystemSocket?
        var isClosed = false
        var isPatient = true
        /// On the monotonic clock: nobody is asked before.
        var nextTry: UInt64 = 0
        var latestFailure: SystemError?
    }

    let address: String
    private let framing: Framing
    private let patience: Duration
    private let connect: @Sendable () throws(SystemError) -> SystemSocket
    private let clock: LogClock
    private let state = Locked(State())

    private static let pauseNanoseconds: UInt64 = 1_000_000_000

    /// - Parameter patience: How long a message waits for room.
    init(
        to address: String, _ framing: Framing, patience: Duration, clock: LogClock,
        connect: @escaping @Sendable () throws(SystemError) -> SystemSocket
    ) {
        self.address = address
        self.framing = framing
        self.patience = patience
        self.clock = clock
        self.connect = connect
    }

    /// Connects, so that a wrong address is told at once.
    func open() throws(SystemLogError) {
        try state.withLock { state throws(SystemLogError) in _ = try socket(&state) }
    }

    func close() {
        state.withLock { state in
            state.isClosed = true
            state.socket = nil
        }
    }

    /// Returns when the message is in the hands of the kernel, or, over a Unix socket, of the receiver.
    func send(_ message: [UInt8]) throws(SystemLogError) {
        try state.withLock { state throws(SystemLogError) in
            let isFresh = state.socket == nil
            let socket = try socket(&state)
            do throws(SystemError) {
                try transmit(message, over: socket, &state)
            } catch {
                guard let again = try recovered(from: error, message.count, isFresh: isFresh, &state) else { return }
                do throws(SystemError) { try transmit(message, over: again, &state) } catch {
                    _ = try recovered(from: error, message.count, isFresh: true, &state)
                }
            }
        }
    }

    private func socket(_ state: inout State) throws(SystemLogError) -> SystemSocket {
        if state.isClosed { throw .closed(address: address) }
        if let socket = state.socket {
            if framing != .lengths || !socket.isClosedByPeer { return socket }
            state.socket = nil
        }
        let now = clock.monotonicNanoseconds()
        if let failure = state.latestFailure, now < state.nextTry {
            throw .unreachable(address: address, reason: failure.description)
        }
        do throws(SystemError) {
            let socket = try connect()
            state.socket = socket
            state.latestFailure = nil
            return socket
        } catch {
            state.latestFailure = error
            state.nextTry = now + Self.pauseNanoseconds
            throw .unreachable(address: address, reason: error.description)
        }
    }

    private func transmit(_ message: [UInt8], over socket: SystemSocket, _ state: inout State) throws(SystemError) {
        switch framing {
        case .datagrams: try transmitDatagram(message, over: socket, &state)
        case .datagramsOrMemory:
            do { try transmitDatagram(message, over: socket, &state) } catch {
                guard error.number == EMSGSIZE || error.number == ENOBUFS else { throw error }
                try transmitMemory(message, over: socket)
            }
        case .lengths: try transmitFrame(Array("\(message.count) ".utf8) + message, over: socket, &state)
        }
    }

    private func transmitDatagram(_ message: [UInt8], over socket: SystemSocket, _ state: inout State) throws(SystemError) {
        let deadline = state.isPatient ? LogDeadline.after(patience) : .now
        while true {
            do throws(SystemError) {
                _ = try message.withUnsafeBufferPointer { bytes throws(SystemError) in try socket.send(UnsafeRawBufferPointer(bytes)) }
                state.isPatient = true
                return
            } catch {
                guard error.number == EAGAIN, !deadline.hasPassed, socket.waitForRoom(by: deadline) else { throw error }
            }
        }
    }

    private func transmitMemory(_ message: [UInt8], over socket: SystemSocket) throws(SystemError) {
        let memory = message.withUnsafeBytes { logbook_sealed_memory("logbook", $0.baseAddress, $0.count) }
        guard memory >= 0 else { throw SystemError(errno, in: "memfd_create") }
        defer { Self.close(memory) }
        let failure = logbook_send_descriptor(socket.descriptor, memory)
        if failure != 0 { throw SystemError(failure, in: "sendmsg") }
    }

    /// All of it, or the connection is of no further use: the receiver would take the rest for the next length.
    private func transmitFrame(_ frame: [UInt8], over socket: SystemSocket, _ state: inout State) throws(SystemError) {
        let deadline = state.isPatient ? LogDeadline.after(patience) : .now
        var done = 0
        do throws(SystemError) {
            while done < frame.count {
                do throws(SystemError) {
                    done += try frame.withUnsafeBufferPointer { bytes throws(SystemError) in
                        try socket.send(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[done...])))
                    }
                } catch {
                    guard error.number == EAGAIN, !deadline.hasPassed, socket.waitForRoom(by: deadline) else { throw error }
                }
            }
            state.isPatient = true
        } catch {
            if done > 0 { state.socket = nil }
            throw error
        }
    }

    /// Finds out what a failure means for the channel.
    /// - Parameter isFresh: The connection was made for this very message, so another would help no more.
    /// - Returns: A new connection to try again with.
    private func recovered(
        from failure: SystemError, _ bytes: Int, isFresh: Bool, _ state: inout State
    ) throws(SystemLogError) -> SystemSocket? {
        switch failure.number {
        case EAGAIN, ENOBUFS:
            state.isPatient = false
            throw .busy(address: address)
        case EMSGSIZE: throw .tooLarge(address: address, bytes: bytes)
        default:
            state.socket = nil
            if !isFresh { return try socket(&state) }
            state.latestFailure = failure
            state.nextTry = clock.monotonicNanoseconds() + Self.pauseNanoseconds
            throw .unreachable(address: address, reason: failure.description)
        }
    }

    private static func close(_ descriptor: Int32) { _ = closeDescriptor(descriptor) }
}

/// close(2), which the type's own function hides.
private func closeDescriptor(_ descriptor: Int32) -> Int32 { close(descriptor) }
