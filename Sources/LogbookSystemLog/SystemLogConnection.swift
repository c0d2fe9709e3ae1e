package import LogbookCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A connection that a ``SystemLogChannel`` has made: a socket, or one over TLS. Ends when it is let go.
package protocol SystemLogConnection: AnyObject, Sendable {
    var descriptor: Int32 { get }
    /// Sends what there is room for at once, and says how many bytes that are. Without any room `EAGAIN`; what was refused is offered
    /// again before anything else, or may arrive all the same.
    func send(_ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int
    /// Whether the other end has closed the connection: what is sent now would be lost.
    var isClosedByPeer: Bool { get }
    /// Waits until what was sent survives the connection's end.
    func finish(by deadline: LogDeadline)
}

extension SystemLogConnection {
    /// - Returns: False when the deadline came first.
    func waitForRoom(by deadline: LogDeadline) -> Bool { wait(for: POLLOUT, by: deadline) }

    /// Whether it broke instead of ending: the other end had not read all of it, or answers no more.
    var isBroken: Bool {
        #if canImport(Darwin)
            return false   // an end looks the same there
        #else
            var entry = pollfd(fd: descriptor, events: 0, revents: 0)
            return poll(&entry, 1, 0) > 0 && entry.revents & Int16(POLLHUP) != 0
        #endif
    }

    func wait(for events: Int32, by deadline: LogDeadline) -> Bool {
        while true {
            var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
            let left = deadline.remaining.map { Int32(clamping: $0.wholeNanoseconds / 1_000_000 + 1) } ?? -1
            let count = poll(&entry, 1, left)
            if count > 0 { return true }
            if deadline.hasPassed { return false }
        }
    }
}
