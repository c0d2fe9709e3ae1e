import BenchSupport
import Foundation
import Synchronization

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
        guard connected == 0 else { throw BenchError("nobody listens on port \(port)") }
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// The bytes of a request with a set.
    static func request(_ number: Int) -> [UInt8] {
        let body = Sets.body(number)
        let head = """
            POST /v1/transactions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(token)\r\n\
            Content-Type: application/vnd.logbook.apptxnset-v0.0.2+json\r\nLogbook-Parcel: parcel-\(number)\r\n\
            Content-Length: \(body.count)\r\n\r\n
            """
        return Array(head.utf8) + body
    }

    /// Sends a request, and returns once it was acknowledged.
    /// - Returns: How many seconds that took.
    func send(_ bytes: [UInt8]) throws -> Double {
        let start = now()
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress! + sent, bytes.count - sent) }
            guard count > 0 else { throw BenchError("the collector has closed the connection") }
            sent += count
        }
        // An acknowledgement has no body.
        var answer: [UInt8] = [], piece = [UInt8](repeating: 0, count: 4096)
        while !answer.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            let count = read(descriptor, &piece, piece.count)
            guard count > 0 else { throw BenchError("no answer: \(String(decoding: answer, as: UTF8.self))") }
            answer += piece[..<count]
        }
        let seconds = now() - start
        guard answer.starts(with: "HTTP/1.1 202 ".utf8) else {
            throw BenchError("not acknowledged: \(String(decoding: answer, as: UTF8.self))")
        }
        return seconds
    }
}

/// Sends sets over several connections at once, each as soon as the one before was acknowledged. Their bytes are made beforehand.
/// - Returns: How long all of it took, and each.
func send(_ numbers: Range<Int>, to port: Int, connections: Int) throws -> (seconds: Double, each: [Double]) {
    let results = Mutex<[Result<[Double], any Error>]>([]), threads = DispatchGroup()
    let requests = (0..<connections).map { share in numbers.filter { $0 % connections == share }.map(Client.request) }
    let start = now()
    for requests in requests {
        threads.enter()
        Thread.detachNewThread {
            let result = Result {
                let client = try Client(port: port)
                return try requests.map(client.send)
            }
            results.withLock { $0.append(result) }
            threads.leave()
        }
    }
    threads.wait()
    let seconds = now() - start
    return (seconds, try results.withLock { $0 }.flatMap { try $0.get() })
}
