internal import CLogbookSystem

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// What a run that crashed has left: one line, written by the signal's handler.
public struct CrashRecord: Sendable, Hashable, CustomStringConvertible {
    /// The signal that ended the program: `SIGSEGV`, `SIGILL` or `SIGTRAP` for a trap such as `fatalError`, `SIGABRT` …
    public let signal: Int32
    /// The system's `si_code`: above 0 the program did it itself, otherwise the signal was sent.
    public let code: Int32
    /// The address that could not be read, written or executed; 0 when there is none.
    public let address: UInt64
    /// The kernel's numbers of the process and of the thread that crashed.
    public let process: Int32
    public let thread: UInt64
    public let time: LogTime
    /// The sequence of the latest event. What a provider does not have up to here was in a queue.
    public let latestSequence: UInt64

    /// Reads a line as the handler writes it; nil for every other text.
    init?(line: some StringProtocol) {
        var words = Substring(line).split(separator: " ")[...]
        func take(_ key: String) -> Substring? {
            guard let word = words.popFirst(), word.hasPrefix(key + "=") else { return nil }
            return word.dropFirst(key.utf8.count + 1)
        }
        guard words.popFirst() == "crashed",
            let signal = take("signal").flatMap({ Int32($0) }), let code = take("code").flatMap({ Int32($0) }),
            let address = take("address"), address.hasPrefix("0x"), let number = UInt64(address.dropFirst(2), radix: 16),
            let process = take("process").flatMap({ Int32($0) }), let thread = take("thread").flatMap({ UInt64($0) }),
            let time = take("time").flatMap({ Int64($0) }), let sequence = take("sequence").flatMap({ UInt64($0) }), words.isEmpty
        else { return nil }
        self.signal = signal
        self.code = code
        self.address = number
        self.process = process
        self.thread = thread
        self.time = LogTime(nanoseconds: time)
        latestSequence = sequence
    }

    /// `SIGSEGV at address 0x10 in thread 4712 of process 4711, after event 7`
    public var description: String {
        let place = address == 0 ? "" : " at address 0x" + String(address, radix: 16)
        return "\(Self.name(of: signal))\(place) in thread \(thread) of process \(process), after event \(latestSequence)"
    }

    private static func name(of signal: Int32) -> String {
        switch signal {
        case SIGSEGV: "SIGSEGV"
        case SIGBUS: "SIGBUS"
        case SIGILL: "SIGILL"
        case SIGFPE: "SIGFPE"
        case SIGTRAP: "SIGTRAP"
        case SIGABRT: "SIGABRT"
        case SIGSYS: "SIGSYS"
        default: "signal \(signal)"
        }
    }
}

/// Why crashes cannot be recorded.
public enum CrashRecordError: Error, Equatable, CustomStringConvertible {
    case cannotOpen(path: String, errno: Int32)
    /// The file holds something else, and stays as it is.
    case notACrashRecord(path: String)
    case cannotWatch(errno: Int32)

    public var description: String {
        switch self {
        case .cannotOpen(let path, let errno):
            "cannot open \(path) for the record of a crash (\(SystemError.text(of: errno))); check that its folder exists and this user may write there"
        case .notACrashRecord(let path): "\(path) holds something else than the record of a crash; name another file"
        case .cannotWatch(let errno): "the system does not let crashes be watched (\(SystemError.text(of: errno)))"
        }
    }
}

extension LogService {
    /// Lets a crash leave a record for the next run, and returns what the last one left.
    ///
    /// ```swift
    /// if let crash = try LogService.shared.recordCrashes(in: "/var/lib/shop/crash") {
    ///     LogService.critical("the last run crashed: \(crash)")
    /// }
    /// ```
    /// Nothing of this is installed unless it is asked for. When `SIGSEGV`, `SIGBUS`, `SIGILL`, `SIGFPE`, `SIGTRAP`, `SIGABRT` or
    /// `SIGSYS` comes, the handler writes one line into the file, which is open from now on, and does nothing else; then what was
    /// installed before takes its course, Swift's backtrace included, and the program ends by the signal. A stack that has overflown
    /// leaves no record unless the thread has an alternate one (`sigaltstack`). Events that lie in queues are lost, as with `kill -9`:
    /// what must survive is logged immediately, or to a flight recorder.
    /// - Parameter path: Made, for this user alone, when it does not exist; emptied after it was read. Two programs need two.
    /// - Throws: When the file cannot be had; what it holds is then untouched.
    public func recordCrashes(in path: String) throws(CrashRecordError) -> CrashRecord? {
        let opened = logbook_openat(AT_FDCWD, path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard opened >= 0 else { throw .cannotOpen(path: path, errno: errno) }
        defer { close(opened) }
        var status = stat()
        guard fstat(opened, &status) == 0 else { throw .cannotOpen(path: path, errno: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notACrashRecord(path: path) }

        func bytes(from offset: off_t, count: Int) throws(CrashRecordError) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: count)
            let count = pread(opened, &bytes, bytes.count, offset)
            guard count >= 0 else { throw .cannotOpen(path: path, errno: errno) }
            return Array(bytes[..<count])
        }
        let word = Array("crashed ".utf8)
        let beginning = try bytes(from: 0, count: word.count)
        // A machine that went down may have left less of a record than its first word, or as many zeros.
        let isBlank = try bytes(from: 0, count: 4096).allSatisfy { $0 == 0 } && status.st_size <= 4096
        guard word.starts(with: beginning) || isBlank else { throw .notACrashRecord(path: path) }
        // Several when children of a fork have crashed: the last is the latest. One that was cut off by a full disk is none, nor is one whose
        // beginning lies before what is read.
        let start = max(0, status.st_size - 4096)
        let end = try bytes(from: start, count: 4096)
        let lines = String(decoding: end, as: UTF8.self).split(separator: "\n")
        let records = lines.dropFirst(start == 0 ? 0 : 1).compactMap { CrashRecord(line: $0) }

        // Never one of the first three, which a program may close and open anew.
        let descriptor = fcntl(opened, F_DUPFD_CLOEXEC, 3)
        guard descriptor >= 0 else { throw .cannotOpen(path: path, errno: errno) }
        let failure = counts.lendForEver { logbook_crash_take(descriptor, $0) }
        guard failure == 0 else { throw .cannotWatch(errno: failure) }
        guard ftruncate(opened, 0) == 0 else { throw .cannotOpen(path: path, errno: errno) }
        return records.last
    }
}
