#if Collector
    internal import ArgumentParser
    internal import LogbookCore
#endif
internal import CLogbookSystem
#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The process's two streams, unbuffered, also when their reader has gone.
enum Terminal {
    /// What became of bytes.
    enum Ending {
        case written
        /// Whoever read has gone, and wants no more.
        case nobodyReads
        case failed(errno: Int32)
    }

    @discardableResult
    static func print(_ text: String) -> Ending { write(Array(text.utf8), to: 1) }
    static func say(_ text: String) { write(Array(text.utf8), to: 2) }

    /// Takes the places of streams that were closed when the program began, before a file of ours has one of them. As before, nothing can
    /// be read there, nor written.
    static func holdClosedStreams() {
        for (descriptor, way) in [(0, O_WRONLY), (1, O_RDONLY), (2, O_RDONLY)] where fcntl(Int32(descriptor), F_GETFD) < 0 {
            _ = open("/dev/null", way)   // the lowest number that is free
        }
    }

    /// Waits so long, or until nobody reads any more what is written there.
    /// - Returns: False where nobody does.
    static func isRead(_ descriptor: Int32, after milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&entry, 1, milliseconds) <= 0
    }

    @discardableResult
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Ending {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { logbook_write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
                continue
            }
            let failure = count < 0 ? errno : EIO   // nothing at all is written, and nobody says why
            switch failure {
            case EINTR: continue
            case EAGAIN:
                // Whoever started us has made the stream one that does not wait.
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&entry, 1, -1)
            case EPIPE: return .nobodyReads
            default: return .failed(errno: failure)
            }
        }
        return .written
    }
}

#if Collector
    extension Terminal {
        /// How a command ends that was asked for something and has written it. Whoever reads no more has what he wanted.
        /// - Throws: The status 74 where it could not be written, such as to a full disk; that has been said then.
        static func seeEnd(_ ending: Ending, of command: String, as what: String) throws(ExitCode) {
            guard case .failed(let number) = ending else { return }
            say("logbook \(command): \(what) cannot be written: \(SystemError.text(of: number))\n")
            throw ExitCode(74)
        }
    }
#endif
