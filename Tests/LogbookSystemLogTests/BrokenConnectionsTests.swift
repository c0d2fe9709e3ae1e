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

/// Apart from each other: there is one listener for remarks.
@Suite(.serialized) struct BrokenConnectionsTests {
    private let clock = ManualClock(now: LogTime(nanoseconds: 0))

    private func provider(_ port: Int) throws -> SyslogLogProvider {
        try SyslogLogProvider(
            to: .tcp(host: "127.0.0.1", port: port), facility: .user, host: "h", application: "a", process: "1", enterprise: 32473,
            maximumBytes: 8192, patience: .seconds(30), clock: .manual(clock))
    }

    private func event(_ message: String) -> LogEvent {
        LogEvent(sequence: 7, time: LogTime(nanoseconds: 0), level: .notice, message: message)
    }

    /// What is said about this server meanwhile.
    private func remarks(about port: Int, while body: (_ soFar: () -> [String]) throws -> Void) rethrows -> [String] {
        let heard = Locked<[String]>([]), origin = "syslog tcp://127.0.0.1:\(port)"
        LogDiagnostics.setHandler { remark in if remark.origin == origin { heard.withLock { $0.append(remark.message) } } }
        defer { LogDiagnostics.setHandler(nil) }
        try body { heard.withLock { $0 } }
        return heard.withLock { $0 }
    }

    @Test("a server that ends each connection at once does not go unnoticed by a program that says little")
    func aLineNowAndThen() throws {
        let server = FrameServer(endsAtOnce: true), provider = try provider(server.port)
        let remarks = try remarks(about: server.port) { soFar in
            let deadline = LogDeadline.seconds(60)
            while soFar().isEmpty, !deadline.hasPassed {
                try provider.write([event("in the hands of the kernel")])
                #expect(server.waitForConnections(1))
                clock.advance(by: .seconds(10))
            }
        }
        #expect(remarks.first == "the connection broke: of the messages that were sent last, 1 may be lost")
    }

    @Test func theShutdownTellsOfTheLastLine() throws {
        let server = FrameServer()
        server.pause(true)
        let provider = try provider(server.port)
        let remarks = try remarks(about: server.port) { _ in
            for number in 1...3 { try provider.write([event("unread \(number)")]) }
            #expect(server.waitForConnections(1))
            server.closeConnections()
            provider.shutdown(by: .seconds(30))
        }
        #expect(remarks == ["the connection broke: of the messages that were sent last, 3 may be lost"])
    }

    /// A connection that takes some messages, the beginning of one, and nothing more.
    private final class Stalling: SystemLogConnection {
        let descriptor: Int32 = -1
        private let calls = Locked(0)
        private let whole: Int
        init(after whole: Int) { self.whole = whole }
        func send(_ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int {
            let call = calls.withLock { calls in
                calls += 1
                return calls
            }
            if call > whole + 1 { throw SystemError(EAGAIN, in: "send") }
            return call > whole ? 10 : bytes.count
        }
        var isClosedByPeer: Bool { false }
        func finish(by deadline: LogDeadline) {}
    }

    @Test("of a connection that is given up in the middle of a message it is said what it may not have delivered", arguments: [false, true])
    func aConnectionThatIsGivenUp(isOld: Bool) throws {
        let port = isOld ? 1 : 2   // one remark a second and address
        let provider = try SyslogLogProvider(
            to: "tcp://127.0.0.1:\(port)", facility: .user, application: "a", enterprise: 32473, maximumBytes: 8192,
            patience: .milliseconds(1), clock: .manual(clock)
        ) { Stalling(after: 3) }
        let remarks = try remarks(about: port) { _ in
            try provider.write([event("first")])
            if isOld { clock.advance(by: .seconds(10)) }
            try provider.write([event("second"), event("third")])
            #expect(throws: BatchWriteError.self) { try provider.write([event("in part")]) }
        }
        #expect(remarks == ["the connection broke: of the messages that were sent last, \(isOld ? "at least 2" : "3") may be lost"])
    }

    @Test func ofAServerThatStartsAgainAfterAnIdleHourNothingIsSaid() throws {
        let server = FrameServer(), provider = try provider(server.port)
        let remarks = try remarks(about: server.port) { _ in
            for round in 1...3 {
                try provider.write([event("round \(round)")])
                #expect(server.wait { String(decoding: $0, as: UTF8.self).hasSuffix("round \(round)") })
                clock.advance(by: .seconds(3600))
                server.closeConnections()
            }
            provider.shutdown(by: .seconds(30))
        }
        #expect(remarks == [])
        #expect(server.connections == 3)
    }
}
