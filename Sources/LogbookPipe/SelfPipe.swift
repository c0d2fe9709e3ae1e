internal import CLogbookSystem

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A pipe to oneself: wakes a thread that waits in poll(2).
final class SelfPipe: Sendable {
    let readEnd: Int32
    private let writeEnd: Int32

    init() throws(PipeError) {
        var ends: [Int32] = [-1, -1]
        guard logbook_pipe(&ends) == 0 else { throw .noDescriptors(errno: errno) }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    /// One byte is enough for ever, since nobody reads it.
    func wake() {
        var byte: UInt8 = 1
        var isReady = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
        if poll(&isReady, 1, 0) == 0 { _ = write(writeEnd, &byte, 1) }
    }
}
