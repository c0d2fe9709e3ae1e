internal import CLogbookSystem
internal import LogbookCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// One stream, through a descriptor of its own: a program that closes its standard output and opens something else under the
/// same number never finds our lines in it.
final class ConsoleStream: Sendable {
    private struct State {
        /// The latest line was cut off; the next one starts on a line of its own.
        var isMidLine = false
        /// A write waited in vain; nobody waits again until the stream has taken something.
        var isStuck = false
    }
    private let state = Locked(State())
    /// Negative when the stream was closed before we came, or cannot be had.
    private let number: Int32
    private let openFailure: Int32
    private let isFile: Bool
    let isTerminal: Bool
    /// How long a write may wait for a reader.
    private let patience: Duration

    /// Bytes that a pipe takes without waiting once it says that it is ready, and never among those of another writer: 4096 on Linux, 512
    /// on Darwin.
    private static let readyBytes = Int(PIPE_BUF)

    init(duplicating original: Int32, patience: Duration) {
        let copy = fcntl(original, F_DUPFD_CLOEXEC, 3)  // never 0...2: those are the host's to reuse
        openFailure = copy < 0 ? errno : 0
        // That there is some room does not mean that there is room for a line: in a terminal, or where others write as well.
        let own = copy < 0 ? -1 : logbook_reopen_without_waiting(copy)
        if own >= 0 { _ = close(copy) }
        number = own >= 0 ? own : copy
        var found = stat()
        isFile = number >= 0 && fstat(number, &found) == 0 && found.st_mode & S_IFMT == S_IFREG
        isTerminal = number >= 0 && isatty(number) == 1
        self.patience = patience
    }

    deinit { if number >= 0 { _ = close(number) } }

    /// Writes one line, in one system call when it is short and the stream takes it.
    /// - Parameter isColoured: Whether the end of a line that was cut off may be missing a colour's.
    func write(_ line: [UInt8], isColoured: Bool) throws(SystemError) {
        var taken = 0
        try line.withUnsafeBufferPointer { line throws(SystemError) in try write(line, isColoured: isColoured, taken: &taken) }
    }

    /// Writes whole lines. No write ends within one that a pipe takes at once: another writer's lines may come behind it.
    /// - Parameter taken: How many bytes of them the stream has, also when not all could be written.
    func write(_ lines: UnsafeBufferPointer<UInt8>, isColoured: Bool = false, taken: inout Int) throws(SystemError) {
        taken = 0
        guard number >= 0 else { throw SystemError(openFailure, in: "fcntl") }
        try state.withLock { state throws(SystemError) in
            if state.isMidLine {
                var ending: [UInt8] = [], ended = 0
                if isColoured { ending.append(ConsoleColour.end) }
                ending.append(0x0A)
                try ending.withUnsafeBufferPointer { ending throws(SystemError) in try push(ending, taken: &ended, &state) }
                state.isMidLine = false
            }
            try push(lines, taken: &taken, &state)
        }
    }

    private func push(_ bytes: UnsafeBufferPointer<UInt8>, taken: inout Int, _ state: inout State) throws(SystemError) {
        var deadline = LogDeadline.after(state.isStuck ? .zero : patience)
        while taken < bytes.count {
            // Asking first bounds the wait also where writing itself would block: a pipe nobody reads that could not be opened anew.
            // In a terminal that could not be, it does so only while nothing is left: neither this user's to open nor the process's own.
            if !isFile { try awaitRoom(until: deadline, &state) }
            let chunk = isFile ? bytes.count - taken : Self.chunk(of: bytes, from: taken)
            let count = logbook_write(number, bytes.baseAddress! + taken, chunk)
            let failure = errno
            if count > 0 {
                let start = taken
                taken += count
                // Each line may wait as long as the first, and so may the one that finds room where others had waited in vain.
                if taken < bytes.count, state.isStuck || bytes[taken - 1] == 0x0A || bytes[start..<taken].contains(0x0A) {
                    deadline = .after(patience)
                }
                state.isStuck = false
                state.isMidLine = bytes[taken - 1] != 0x0A
            } else if count < 0, failure == EINTR || failure == EAGAIN {
                if deadline.hasPassed {
                    state.isStuck = true
                    throw SystemError(failure, in: "write")
                }
                if failure == EAGAIN { usleep(1000) }   // a terminal may say that it is ready, and take nothing
            } else {
                throw SystemError(count < 0 ? failure : ENOSPC, in: "write")
            }
        }
    }

    /// How much the next write has: of whole lines as many as a pipe takes at once, otherwise the beginning of a longer one.
    private static func chunk(of bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        guard bytes.count - start > readyBytes else { return bytes.count - start }
        guard let newline = bytes[start..<(start + readyBytes)].lastIndex(of: 0x0A) else { return readyBytes }
        return newline + 1 - start
    }

    private func awaitRoom(until deadline: LogDeadline, _ state: inout State) throws(SystemError) {
        while true {
            var request = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
            let left = deadline.remaining?.wholeNanoseconds ?? 0
            let ready = poll(&request, 1, Int32(clamping: (left + 999_999) / 1_000_000))
            if ready > 0 { return }  // room, or a failure that the write will name
            if ready < 0, errno != EINTR { throw SystemError(errno, in: "poll") }
            if deadline.hasPassed {
                state.isStuck = true
                throw SystemError(EAGAIN, in: "poll")
            }
        }
    }
}
