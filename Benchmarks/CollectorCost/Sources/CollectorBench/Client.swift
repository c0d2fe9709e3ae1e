#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A connection to a collector that stays open: as little as a client can be, so that the collector is what is measured.
final class Client {
    static let token = "a=b"
    private let descriptor: Int32

    init(port: Int) throws {
        #if canImport(Glibc)
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
        guard connected == 0 else { throw BenchError(description: "nobody listens on port \(port)") }
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// Sends a set, and returns once it was acknowledged.
    /// - Returns: How many seconds that took.
    func send(_ number: Int) throws -> Double {
        let body = Sets.body(number)
        let head = """
            POST /v1/transactions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(Self.token)\r\n\
            Content-Type: application/vnd.logbook.apptxnset-v0.0.2+json\r\nLogbook-Parcel: parcel-\(number)\r\n\
            Content-Length: \(body.count)\r\n\r\n
            """
        let bytes = Array(head.utf8) + body
        let start = now()
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress! + sent, bytes.count - sent) }
            guard count > 0 else { throw BenchError(description: "the collector has closed the connection") }
            sent += count
        }
        // An acknowledgement has no body.
        var answer: [UInt8] = [], piece = [UInt8](repeating: 0, count: 4096)
        while !answer.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            let count = read(descriptor, &piece, piece.count)
            guard count > 0 else { throw BenchError(description: "no answer: \(String(decoding: answer, as: UTF8.self))") }
            answer += piece[..<count]
        }
        let seconds = now() - start
        guard answer.starts(with: "HTTP/1.1 202 ".utf8) else {
            throw BenchError(description: "not acknowledged: \(String(decoding: answer, as: UTF8.self))")
        }
        return seconds
    }
}

/// Sends sets over several connections at once, each as soon as the one before was acknowledged.
/// - Returns: How long all of it took, and each.
func send(_ numbers: Range<Int>, to port: Int, connections: Int) throws -> (seconds: Double, each: [Double]) {
    final class Work: @unchecked Sendable {   // each thread has a slot of its own, and is joined before it is read
        let numbers: Range<Int>, port: Int, share: Int, connections: Int
        var each: [Double] = []
        var failure: (any Error)?
        init(_ numbers: Range<Int>, _ port: Int, _ share: Int, _ connections: Int) {
            (self.numbers, self.port, self.share, self.connections) = (numbers, port, share, connections)
        }
        func run() {
            do {
                let client = try Client(port: port)
                for number in numbers where number % connections == share { each.append(try client.send(number)) }
            } catch {
                failure = error
            }
        }
    }
    let works = (0..<connections).map { Work(numbers, port, $0, connections) }
    let start = now()
    var threads: [pthread_t] = []
    for work in works {
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let context = Unmanaged.passRetained(work).toOpaque()
        #if canImport(Darwin)
            pthread_create(&thread, nil, { Unmanaged<Work>.fromOpaque($0).takeRetainedValue().run(); return nil }, context)
            threads.append(thread!)
        #else
            pthread_create(&thread, nil, { Unmanaged<Work>.fromOpaque($0!).takeRetainedValue().run(); return nil }, context)
            threads.append(thread)
        #endif
    }
    for thread in threads { pthread_join(thread, nil) }
    let seconds = now() - start
    if let failure = works.lazy.compactMap(\.failure).first { throw failure }
    return (seconds, works.flatMap(\.each))
}
