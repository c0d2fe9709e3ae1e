public import LogbookCore
public import LogbookHTTP
#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// A small HTTP/1.1 server on 127.0.0.1 that records what it receives and answers as a test says, politely or not. One thread
/// per connection; a request's body has a length or comes in chunks.
public final class LoopbackServer: Sendable {
    public struct Request: Sendable, Hashable {
        public let method: String
        /// Path and query, as received.
        public let target: String
        public let headers: [HTTPHeader]
        /// Empty for a body that was too long to keep.
        public let body: [UInt8]
        /// How many bytes were received.
        public let bodyBytes: Int

        /// The value of the first field of that name.
        public func header(_ name: String) -> String? {
            let name = name.lowercased()
            return headers.first { $0.name.lowercased() == name }?.value
        }
    }

    public enum Answer: Sendable {
        /// A proper answer; the connection stays open.
        case response(HTTPResponse)
        /// These bytes and nothing else; then the connection is closed.
        case raw([UInt8])
        /// Whatever the closure writes, until it returns or its writer says false because the client has gone; then the
        /// connection is closed.
        case stream(@Sendable (_ write: ([UInt8]) -> Bool) -> Void)
        /// The connection is reset without an answer.
        case reset
        /// The server's side of the connection is closed without an answer; what still comes is read and thrown away.
        case goodbye
        /// The answer waits until the gate opens.
        indirect case after(Gate, Answer)

        public static func status(_ status: Int, headers: [HTTPHeader] = [], body: String = "") -> Answer {
            .response(HTTPResponse(status: status, headers: headers, body: Array(body.utf8)))
        }
    }

    /// The machine gave no socket; the number is `errno`.
    public struct Failure: Error { public let errno: Int32 }

    private struct State {
        var requests: [Request] = []
        var connections = 0
        var closedConnections = 0
        var open: Set<Int32> = []
        var isStopped = false
        var isClosed = false
    }
    private let state: Monitor<State>
    public let port: UInt16
    /// `http://127.0.0.1:<port>`
    public var url: String { "http://127.0.0.1:\(port)" }

    /// - Parameters:
    ///   - port: 0 for a free one.
    ///   - maximumKeptBytes: A longer body is received and counted, and not kept.
    ///   - maximumKeptRequests: Further ones are answered and forgotten.
    ///   - head: Asked when the header has come and the body has not been read; nil goes on and reads it.
    ///   - answer: Asked for each complete request, on its connection's thread.
    public init(
        port: UInt16 = 0, maximumKeptBytes: Int = .max, maximumKeptRequests: Int = .max, atHead head: (@Sendable (Request) -> Answer?)? = nil,
        _ answer: @escaping @Sendable (Request) -> Answer
    ) throws {
        let state = Monitor(State())
        let (listener, port) = try Self.listen(on: port)
        self.state = state
        self.port = port
        LogThread.start("loopback") {
            defer {
                // Also for a child that was forked meanwhile: it has the descriptor, and the port would not be free before it ends.
                shutdown(listener, Int32(SHUT_RDWR))
                close(listener)
                state.withLock { access in
                    access.value.isClosed = true
                    access.broadcast()
                }
            }
            while true {
                let descriptor = Unshared.accept(listener)
                if descriptor < 0 && (errno == EINTR || errno == ECONNABORTED) { continue }
                guard descriptor >= 0 else { return }
                let isWelcome = state.withLock { access in
                    if access.value.isStopped { return false }
                    access.value.connections += 1
                    access.value.open.insert(descriptor)
                    return true
                }
                guard isWelcome else {
                    close(descriptor)
                    return
                }
                LogThread.start("loopback") { Self.serve(descriptor, maximumKeptBytes, maximumKeptRequests, state, head, answer) }
            }
        }
    }

    deinit { stop() }

    /// Closes the port and every connection. When it returns, nobody listens any more.
    public func stop() {
        let wasStopped = state.withLock { access in
            defer { access.value.isStopped = true }
            if access.value.isStopped { return true }
            for descriptor in access.value.open { shutdown(descriptor, Int32(SHUT_RDWR)) }
            return false
        }
        guard !wasStopped else { return }
        // Wakes the thread that accepts, on every system.
        let descriptor = Unshared.socket(AF_INET)
        var address = Self.address(port)
        _ = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        close(descriptor)
        let deadline = LogDeadline.seconds(30)
        state.withLock { access in while !access.value.isClosed && access.wait(until: deadline) {} }
    }

    /// In the order in which they were complete.
    public var requests: [Request] { state.withLock { $0.value.requests } }
    /// Connections accepted so far.
    public var connections: Int { state.withLock { $0.value.connections } }

    /// Returns once `count` requests have been received.
    /// - Returns: False when the deadline passed first.
    public func waitForRequests(_ count: Int, by deadline: LogDeadline = .seconds(30)) -> Bool {
        state.withLock { access in
            while access.value.requests.count < count {
                if !access.wait(until: deadline) { return access.value.requests.count >= count }
            }
            return true
        }
    }

    /// Returns once `count` connections are closed on the server's side, or reset.
    /// - Returns: False when the deadline passed first.
    public func waitForClosedConnections(_ count: Int, by deadline: LogDeadline = .seconds(30)) -> Bool {
        state.withLock { access in
            while access.value.closedConnections < count {
                if !access.wait(until: deadline) { return access.value.closedConnections >= count }
            }
            return true
        }
    }

    // MARK: Sockets

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private static func listen(on port: UInt16) throws -> (descriptor: Int32, port: UInt16) {
        let descriptor = Unshared.socket(AF_INET)
        guard descriptor >= 0 else { throw Failure(errno: errno) }
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = address(port)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                if bind(descriptor, generic, size) != 0 { return errno }
                if getsockname(descriptor, generic, &size) != 0 { return errno }
                return 0
            }
        }
        guard result == 0, startListening(descriptor, 64) == 0 else {
            let failure = result == 0 ? errno : result
            close(descriptor)
            throw Failure(errno: failure)
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    private static func serve(
        _ descriptor: Int32, _ maximumKeptBytes: Int, _ maximumKeptRequests: Int, _ state: Monitor<State>,
        _ head: (@Sendable (Request) -> Answer?)?, _ answer: @Sendable (Request) -> Answer
    ) {
        var input: [UInt8] = []
        while let (request, bodyBytes) = readHead(descriptor, &input) {
            if let early = head?(request) {
                if !give(early, to: descriptor) { break }
                continue
            }
            let isChunked = request.header("transfer-encoding")?.lowercased() == "chunked"
            let body =
                isChunked
                ? readChunks(descriptor, &input, maximumKeptBytes) : readBody(descriptor, &input, bodyBytes, maximumKeptBytes)
            guard let body else { break }
            let complete = Request(
                method: request.method, target: request.target, headers: request.headers, body: body.kept, bodyBytes: body.bytes)
            state.withLock { access in
                if access.value.requests.count < maximumKeptRequests { access.value.requests.append(complete) }
                access.broadcast()
            }
            if !give(answer(complete), to: descriptor) { break }
        }
        state.withLock { access in
            access.value.open.remove(descriptor)
            close(descriptor)
            access.value.closedConnections += 1
            access.broadcast()
        }
    }

    /// - Returns: Nil when the client has gone.
    private static func readBody(
        _ descriptor: Int32, _ input: inout [UInt8], _ bytes: Int, _ maximumKeptBytes: Int
    ) -> (kept: [UInt8], bytes: Int)? {
        var thrownAway = 0
        while thrownAway + input.count < bytes, receive(descriptor, &input) {
            guard bytes > maximumKeptBytes else { continue }
            let count = min(input.count, bytes - thrownAway)
            input.removeFirst(count)
            thrownAway += count
        }
        let kept = bytes - thrownAway
        guard input.count >= kept else { return nil }
        defer { input.removeFirst(kept) }
        return (Array(input[..<kept]), bytes)
    }

    /// - Returns: Nil when the client has gone or sends what is no chunk.
    private static func readChunks(
        _ descriptor: Int32, _ input: inout [UInt8], _ maximumKeptBytes: Int
    ) -> (kept: [UInt8], bytes: Int)? {
        var kept: [UInt8] = [], bytes = 0
        while true {
            while input.firstIndex(of: 10) == nil { if !receive(descriptor, &input) { return nil } }
            let line = input.firstIndex(of: 10)!
            let digits = String(decoding: input[..<line].prefix { $0 != 13 && $0 != 0x3B }, as: UTF8.self)
            guard let size = Int(digits, radix: 16), size >= 0 else { return nil }
            input.removeFirst(line + 1)
            while input.count < size + 2 { if !receive(descriptor, &input) { return nil } }
            bytes += size
            if bytes <= maximumKeptBytes { kept += input[..<size] } else { kept = [] }
            input.removeFirst(size + 2)   // and the end of the line; behind the last chunk no fields are expected
            if size == 0 { return (kept, bytes) }
        }
    }

    /// - Returns: Nil when the client has gone or speaks no HTTP.
    private static func readHead(_ descriptor: Int32, _ input: inout [UInt8]) -> (Request, bodyBytes: Int)? {
        while true {
            if let end = endOfHead(input) {
                let lines = String(decoding: input[..<end], as: UTF8.self).split(separator: "\r\n")
                input.removeFirst(end + 4)
                let words = (lines.first ?? "").split(separator: " ")
                guard words.count == 3 else { return nil }
                let headers = lines.dropFirst().map { line in
                    let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                    return HTTPHeader(String(parts[0]), String((parts.count > 1 ? parts[1] : "").drop { $0 == " " }))
                }
                let request = Request(method: String(words[0]), target: String(words[1]), headers: headers, body: [], bodyBytes: 0)
                return (request, request.header("content-length").flatMap { Int($0) } ?? 0)
            }
            if !receive(descriptor, &input) { return nil }
        }
    }

    private static func endOfHead(_ input: [UInt8]) -> Int? {
        guard input.count >= 4 else { return nil }
        return (0...(input.count - 4)).first {
            input[$0] == 13 && input[$0 + 1] == 10 && input[$0 + 2] == 13 && input[$0 + 3] == 10
        }
    }

    private static func receive(_ descriptor: Int32, _ input: inout [UInt8]) -> Bool {
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        guard count > 0 else { return false }
        input.append(contentsOf: chunk[..<count])
        return true
    }

    /// - Returns: False when the connection is not to be used again.
    private static func give(_ answer: Answer, to descriptor: Int32) -> Bool {
        switch answer {
        case .response(let response):
            var bytes = Array("HTTP/1.1 \(response.status) Scripted\r\n".utf8)
            for header in response.headers { bytes.append(contentsOf: "\(header.name): \(header.value)\r\n".utf8) }
            let hasBody = response.status >= 200 && response.status != 204 && response.status != 304
            if hasBody { bytes.append(contentsOf: "Content-Length: \(response.body.count)\r\n".utf8) }
            bytes.append(contentsOf: "\r\n".utf8)
            if hasBody { bytes.append(contentsOf: response.body) }
            return write(bytes, to: descriptor)
        case .raw(let bytes):
            _ = write(bytes, to: descriptor)
            return false
        case .stream(let body):
            body { write($0, to: descriptor) }
            return false
        case .reset:
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
            return false
        case .goodbye:
            shutdown(descriptor, Int32(SHUT_WR))
            var rest: [UInt8] = []
            while receive(descriptor, &rest) { rest = [] }
            return false
        case .after(let gate, let answer):
            gate.wait()
            return give(answer, to: descriptor)
        }
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        #if canImport(Darwin)
            var yes: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
            let flags: Int32 = 0
        #else
            let flags = Int32(MSG_NOSIGNAL)
        #endif
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress! + sent, bytes.count - sent, flags) }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}

/// listen(2), which the type's own function hides.
private func startListening(_ descriptor: Int32, _ backlog: Int32) -> Int32 { listen(descriptor, backlog) }
