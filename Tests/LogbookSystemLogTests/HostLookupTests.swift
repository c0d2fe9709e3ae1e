import LogbookCore
import LogbookTestKit
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@testable import LogbookSystemLog

@Suite("52: names that are not answered") struct HostLookupTests {
    private static let late = SystemError(ETIMEDOUT, in: "getaddrinfo")

    private let silence = Gate()
    private let questions = Locked(0)

    private static func address(_ number: Int) -> HostLookup.Address {
        HostLookup.Address(family: AF_INET, kind: 0, number: 0, bytes: [UInt8(number)])
    }

    /// Asks a name server that says nothing until the gate opens. The answer to the second question is another one.
    private func lookup(_ clock: LogClock = .system, failsFirst: Bool = false) -> HostLookup {
        let silence = silence, questions = questions
        return HostLookup(clock: clock) { () throws(SystemError) in
            let number = questions.withLock { questions in
                questions += 1
                return questions
            }
            silence.wait()
            if failsFirst, number == 1 { throw SystemError(EHOSTUNREACH, in: "getaddrinfo") }
            return [Self.address(number)]
        }
    }

    @Test func anAddressIsNotLookedUp() throws {
        for host in ["127.0.0.1", "::1"] {
            let addresses = try HostLookup(host, 514, isStream: false, clock: .system).addresses(by: .now)
            #expect(addresses.map(\.family) == [host == "::1" ? AF_INET6 : AF_INET])
        }
    }

    @Test func aNameOfThisMachineIsFound() throws {
        #expect(try !HostLookup("localhost", 601, isStream: true, clock: .system).addresses(by: .seconds(60)).isEmpty)
    }

    @Test("nobody waits beyond the deadline, one thread asks, and the late answer is for the next attempt, once")
    func aLateAnswer() throws {
        defer { silence.open() }
        let lookup = lookup()
        for _ in 1...3 { #expect(throws: Self.late) { try lookup.addresses(by: .milliseconds(10)) } }
        #expect(silence.waitForArrivals(1))
        #expect(questions.withLock { $0 } == 1)

        silence.open()
        #expect(becomesTrue { !lookup.isAsking })
        #expect(try lookup.addresses(by: .now) == [Self.address(1)])
        #expect(try lookup.addresses(by: .seconds(60)) == [Self.address(2)])
    }

    @Test("a late answer that says no, or that is more than a minute old, is none", arguments: [true, false])
    func aUselessAnswer(isFailure: Bool) throws {
        defer { silence.open() }
        let clock = ManualClock(now: LogTime(nanoseconds: 0)), lookup = lookup(.manual(clock), failsFirst: isFailure)
        #expect(throws: Self.late) { try lookup.addresses(by: .milliseconds(10)) }
        silence.open()
        #expect(becomesTrue { !lookup.isAsking })
        if !isFailure { clock.advance(by: .seconds(61)) }
        #expect(try lookup.addresses(by: .seconds(60)) == [Self.address(2)])
    }

    @Test func aNameThatCannotBeResolvedIsNoHostThatCannotBeReached() {
        // A name is no address, which needs no name server to say so.
        let lookup = HostLookup(clock: .system) { try HostLookup.find("localhost", 601, isStream: true, AI_NUMERICHOST) }
        let refusal = HostLookup.Unresolved(reason: String(cString: gai_strerror(EAI_NONAME)))
        #expect(throws: refusal) { try lookup.addresses(by: .seconds(60)) }
        #expect("\(refusal)".hasPrefix("the name cannot be resolved: "))
    }

    @Test func whatCannotBeFoundIsSaidToWhoWaits() {
        silence.open()
        let lookup = lookup(failsFirst: true)
        #expect(throws: SystemError(EHOSTUNREACH, in: "getaddrinfo")) { try lookup.addresses(by: .seconds(60)) }
    }
}
