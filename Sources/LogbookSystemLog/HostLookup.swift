internal import LogbookCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Finds a host's addresses on a thread of its own: `getaddrinfo` knows no deadline, and a name server that says nothing holds it up for
/// half a minute and more.
///
/// One thread asks at a time. An answer that comes when nobody waits for it any more is for the next who asks. One caller at a time.
final class HostLookup: Sendable {
    struct Address: Sendable, Equatable {
        let family: Int32
        let kind: Int32
        let number: Int32
        /// As connect(2) takes it.
        let bytes: [UInt8]
    }

    /// Nobody knows the name, or nobody can say so now.
    struct Unresolved: Error, Equatable, CustomStringConvertible {
        /// In the system's words: `Name or service not known`.
        let reason: String
        var description: String { "the name cannot be resolved: \(reason)" }
    }

    private enum State {
        case idle
        /// Of the process whose thread asks: a forked child does not have it.
        case asking(ProcessLineage)
        /// - Parameter at: On the monotonic clock.
        case answered(Result<[Address], any Error>, at: UInt64)
    }

    /// An answer that nobody waited for is of use for so long.
    private static let longestKeptNanoseconds: UInt64 = 60_000_000_000

    private let clock: LogClock
    /// Of a host that was given as an address.
    private let numeric: [Address]?
    private let resolve: @Sendable () throws -> [Address]
    private let state = Monitor(State.idle)

    init(_ host: String, _ port: Int, isStream: Bool, clock: LogClock) {
        self.clock = clock
        numeric = try? HostLookup.find(host, port, isStream: isStream, AI_NUMERICHOST)
        resolve = { try HostLookup.find(host, port, isStream: isStream, 0) }
    }

    /// Asks somebody else than the system.
    init(clock: LogClock, resolving resolve: @escaping @Sendable () throws -> [Address]) {
        self.clock = clock
        numeric = nil
        self.resolve = resolve
    }

    /// Whether a thread waits for an answer.
    var isAsking: Bool {
        state.withLock { access in
            if case .asking(let lineage) = access.value { lineage.isCurrent } else { false }
        }
    }

    /// - Throws: ``Unresolved``; `ETIMEDOUT` at the deadline: the search goes on.
    func addresses(by deadline: LogDeadline) throws -> [Address] {
        if let numeric { return numeric }
        let outcome = state.withLock { access -> Result<[Address], any Error> in
            switch access.value {
            case .answered(.success(let addresses), let moment) where isFresh(moment):
                access.value = .idle
                return .success(addresses)
            case .asking(let lineage) where lineage.isCurrent: break
            case .idle, .asking, .answered:
                guard ask() else { return .failure(SystemError(EAGAIN, in: "pthread_create")) }
                access.value = .asking(ProcessLineage.current)
            }
            while true {
                if case .answered(let outcome, _) = access.value {
                    access.value = .idle
                    return outcome
                }
                if deadline.hasPassed { return .failure(SystemError(ETIMEDOUT, in: "getaddrinfo")) }
                access.wait(until: deadline)
            }
        }
        return try outcome.get()
    }

    private func isFresh(_ moment: UInt64) -> Bool {
        let now = clock.monotonicNanoseconds()
        return now - min(now, moment) <= Self.longestKeptNanoseconds
    }

    private func ask() -> Bool {
        LogThread.start("logbook-lookup") {
            let outcome = Result<[Address], any Error> { try self.resolve() }
            self.state.withLock { access in
                access.value = .answered(outcome, at: self.clock.monotonicNanoseconds())
                access.broadcast()
            }
        }
    }

    /// Asks the system.
    static func find(_ host: String, _ port: Int, isStream: Bool, _ flags: Int32) throws -> [Address] {
        var hints = addrinfo()
        hints.ai_flags = flags
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = isStream ? SystemSocket.stream : SystemSocket.datagram
        var found: UnsafeMutablePointer<addrinfo>?
        let failure = getaddrinfo(host, String(port), &hints, &found)
        if failure == EAI_SYSTEM { throw SystemError(errno, in: "getaddrinfo") }
        guard failure == 0 else { throw Unresolved(reason: String(cString: gai_strerror(failure))) }
        defer { freeaddrinfo(found) }
        var addresses: [Address] = []
        var next = found
        while let candidate = next?.pointee {
            next = candidate.ai_next
            let bytes = UnsafeRawBufferPointer(start: UnsafeRawPointer(candidate.ai_addr), count: Int(candidate.ai_addrlen))
            addresses.append(
                Address(family: candidate.ai_family, kind: candidate.ai_socktype, number: candidate.ai_protocol, bytes: Array(bytes)))
        }
        return addresses
    }
}
