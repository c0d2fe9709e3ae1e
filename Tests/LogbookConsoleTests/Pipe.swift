import LogbookTestKit

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A pipe whose other end a test reads, or does not read.
final class Pipe: @unchecked Sendable {
    private(set) var input: Int32 = -1
    private(set) var output: Int32 = -1

    init() {
        let ends = Unshared.pipe()
        (output, input) = (ends[0], ends[1])
    }

    deinit {
        closeInput()
        closeOutput()
    }

    func closeInput() {
        if input >= 0 { close(input) }
        input = -1
    }

    func closeOutput() {
        if output >= 0 { close(output) }
        output = -1
    }

    func setNonBlocking() { precondition(fcntl(input, F_SETFL, fcntl(input, F_GETFL) | O_NONBLOCK) == 0) }

    /// Puts bytes in until there is no room.
    /// - Returns: How many.
    func fill() -> Int {
        let flags = fcntl(input, F_GETFL)
        _ = fcntl(input, F_SETFL, flags | O_NONBLOCK)
        defer { _ = fcntl(input, F_SETFL, flags) }
        let block = [UInt8](repeating: 0x2E, count: 4096)
        var total = 0
        while true {
            let count = write(input, block, block.count)
            if count <= 0 { return total }
            total += count
        }
    }

    /// Whether a write would not have to wait.
    var hasRoom: Bool {
        var request = pollfd(fd: input, events: Int16(POLLOUT), revents: 0)
        return poll(&request, 1, 0) > 0
    }

    /// Takes exactly this many bytes out.
    func read(_ count: Int) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < count {
            let got = readNumber(output, &buffer, min(buffer.count, count - bytes.count))
            if got <= 0 { break }
            bytes.append(contentsOf: buffer[..<got])
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// What is in the pipe, without waiting for more.
    func readAll() -> String {
        let flags = fcntl(output, F_GETFL)
        _ = fcntl(output, F_SETFL, flags | O_NONBLOCK)
        defer { _ = fcntl(output, F_SETFL, flags) }
        return read(.max)
    }
}

private func readNumber(_ number: Int32, _ buffer: inout [UInt8], _ count: Int) -> Int { read(number, &buffer, count) }
