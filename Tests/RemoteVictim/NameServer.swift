import LogbookCore
import LogbookDelivery
import LogbookHTTP
import LogbookRemote
import LogbookTestKit

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A name server that says nothing about names that begin with `silent`, nothing good about `no` and `broken`, and another address
/// each time it is told to for `moves`; and a program that sends to those names.
final class NameServer: Sendable {
    /// The last byte of 127.0.0.x.
    private let address = Locked<UInt8>(1)

    init() throws {
        let descriptor = Unshared.socket(AF_INET, isStream: false)
        var own = sockaddr_in()
        own.sin_family = sa_family_t(AF_INET)
        own.sin_port = UInt16(53).bigEndian
        own.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let bound = withUnsafePointer(to: &own) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
        guard descriptor >= 0, bound == 0 else { throw ScriptedFailure("no port 53 (errno \(errno))") }
        LogThread.start("names") { while true { self.answerOne(descriptor) } }
    }

    private func answerOne(_ descriptor: Int32) {
        var question = [UInt8](repeating: 0, count: 512), peer = sockaddr_in(), size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &peer) { peer in
            peer.withMemoryRebound(to: sockaddr.self, capacity: 1) { peer in
                let count = recvfrom(descriptor, &question, question.count, 0, peer, &size)
                guard count > 16, let reply = reply(to: Array(question[..<count])) else { return }
                _ = sendto(descriptor, reply, reply.count, 0, peer, size)
            }
        }
    }

    private func reply(to question: [UInt8]) -> [UInt8]? {
        let label = String(decoding: question[13...].prefix(Int(question[12])), as: UTF8.self)
        if label.hasPrefix("silent") { return nil }
        guard let root = question[12...].firstIndex(of: 0), question.count >= root + 5 else { return nil }
        let asksForAddress = question[root + 2] == 1   // and not for one of IPv6
        let hasAddress = label == "moves" && asksForAddress
        let code: UInt8 = label == "moves" ? 0 : label == "broken" ? 2 : 3
        var reply = question[..<2] + [0x81, 0x80 | code, 0, 1, 0, hasAddress ? 1 : 0, 0, 0, 0, 0] + question[12...(root + 4)]
        if hasAddress { reply += [0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, address.withLock { $0 }] }
        return Array(reply)
    }

    /// Sends to those names, and says what went as it should.
    static func run(port: UInt16, _ say: (String) -> Void) throws {
        let names = try NameServer()
        let server = try LoopbackServer(port: port) { _ in .status(204) }
        let transport = Locked<CurlTransport?>(CurlTransport(allowsPlainHTTP: true))
        func request(_ host: String) -> HTTPRequest {
            var request = HTTPRequest(url: "http://\(host):\(port)/", body: [1])
            request.limits.connect = .seconds(250)
            request.limits.total = .seconds(250)
            return request
        }
        func send(_ host: String) -> Result<Int, HTTPFailure> {
            guard let transport = transport.withLock({ $0 }) else { return .failure(.cancelled) }
            return Result { () throws(HTTPFailure) in try transport.sendAndWait(request(host), by: .seconds(60)).status }
        }
        /// Sends to a name that is not answered for.
        func begin(_ name: String, _ ended: Monitor<Int>) -> HTTPCancellation? {
            transport.withLock { $0 }?.send(request(name)) { result in
                guard case .failure(.cancelled) = result else { return }
                ended.withLock { access in
                    access.value += 1
                    access.broadcast()
                }
            }
        }
        func wait(_ ended: Monitor<Int>, for count: Int) -> Bool {
            let deadline = LogDeadline.seconds(20)
            return ended.withLock { access in
                while access.value < count && access.wait(until: deadline) {}
                return access.value >= count
            }
        }

        let one = Monitor(0), first = begin("silent.test", one)
        if (1...50).allSatisfy({ _ in send("127.0.0.1") == .success(204) }) { say("others are served") }
        first?.cancel()
        if wait(one, for: 1) { say("cancelled") }
        for name in ["no", "broken"] { if case .failure(.unreachable) = send(name + ".test") { say(name) } }

        if send("moves.test") == .success(204) { say("found") }
        names.address.withLock { $0 = 2 }
        sleep(2)   // longer than an address is remembered; the connection is gone with the server
        server.stop()
        if case .failure(.unreachable) = send("moves.test") { say("moved away") }
        names.address.withLock { $0 = 1 }
        let back = try LoopbackServer(port: port) { _ in .status(204) }
        sleep(2)
        if send("moves.test") == .success(204) { say("moved back") }
        back.stop()

        // A provider whose receiver's name is not answered for: neither who logs nor the shutdown waits for the name server.
        struct Silent: LogDestination {
            let request: HTTPRequest
            func request(for parcel: Parcel) -> HTTPRequest { request }
            func verdict(on response: HTTPResponse, for parcel: Parcel) -> DeliveryVerdict { .delivered }
        }
        let provider = RemoteLogProvider(
            to: Silent(request: request("silent.test")), transport: CurlTransport(allowsPlainHTTP: true))
        let start = LogClock.system.now()
        provider.log(LogEvent(sequence: 1, time: start, level: .error, message: "m"))
        try? provider.shutdown(by: .seconds(1))
        if LogClock.system.now().nanoseconds - start.nanoseconds < 15_000_000_000, provider.deliveries.pending == 1 { say("shut down") }

        let many = Monitor(0)
        for number in 1...20 { _ = begin("silent\(number).test", many) }
        transport.withLock { $0 = nil }
        if wait(many, for: 20) { say("stopped") }
    }
}
