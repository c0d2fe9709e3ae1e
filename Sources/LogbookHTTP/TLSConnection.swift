internal import CLogbookCurl
internal import CLogbookSystem
package import LogbookCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A connection over TLS for a wire that is not HTTP: libcurl connects, shakes hands and verifies, and what is sent is ours.
/// Ends when it is let go.
///
/// `@unchecked`: a connection serves one thread at a time, which is what its owner sees to.
package final class TLSConnection: @unchecked Sendable {
    private let handle: UnsafeMutableRawPointer
    package let descriptor: Int32
    /// What is sent now, or was refused: a record of TLS that was begun must be ended with the same bytes, from the same place.
    private var room = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    /// How many bytes of `room` are to be sent, 0 for none, and how many of them are.
    private var (wanted, sent) = (0, 0)

    /// Connects, and waits for it.
    /// - Parameters:
    ///   - host: A name, which the server's certificate must be for, or an address.
    ///   - timeout: For everything until the server is known: name, connection and handshake.
    package init(host: String, port: Int, trust: HTTPTrust, timeout: Duration) throws(HTTPFailure) {
        trust.check()
        guard Self.isHost(host) else { throw .invalidRequest("'\(host)' is not the name of a host") }
        guard Curl.isReady, let handle = curl_easy_init() else { throw .unreachable("libcurl cannot be initialised") }
        let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        defer { errorText.deallocate() }
        logbook_curl_set_string(handle, CURLOPT_URL, "https://\(host.utf8.contains(0x3A) ? "[\(host)]" : host):\(port)")
        logbook_curl_set_long(handle, CURLOPT_CONNECT_ONLY, 1)
        logbook_curl_set_long(handle, CURLOPT_SSL_ENABLE_ALPN, 0)  // it will not be HTTP
        logbook_curl_set_long(handle, CURLOPT_NOSIGNAL, 1)
        logbook_curl_set_string(handle, CURLOPT_PROXY, "")  // the environment's neither
        logbook_curl_set_long(handle, CURLOPT_CONNECTTIMEOUT_MS, timeout.wholeMilliseconds)
        logbook_curl_do_not_wait_for_resolver(handle)
        logbook_curl_close_on_exec(handle)
        trust.apply(to: handle)
        logbook_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, errorText)
        let code = curl_easy_perform(handle)
        logbook_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, nil)
        let descriptor = logbook_curl_active_socket(handle)
        guard code == CURLE_OK, descriptor >= 0 else {
            curl_easy_cleanup(handle)
            throw code == CURLE_OK ? .unreachable("libcurl has no connection") : HTTPFailure(code, errorText)
        }
        self.handle = handle
        self.descriptor = descriptor
    }

    deinit {
        curl_easy_cleanup(handle)
        room.deallocate()
    }

    /// Whether this can be a name or an address: it becomes part of a URL.
    package static func isHost(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x3A, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true   // 0-9 : A-Z a-z - . _
            default: false
            }
        }
    }

    /// Sends what there is room for at once.
    ///
    /// What is refused with `EAGAIN` may be under way in part all the same. The same bytes go on where they were; before others they are
    /// sent to their end.
    /// - Returns: How many bytes that are.
    package func send(_ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int {
        if wanted > 0, !room[..<wanted].elementsEqual(bytes) { try sendRoom() }
        if wanted == 0 {
            if room.count < bytes.count {
                room.deallocate()
                room = .allocate(byteCount: max(bytes.count, 16 << 10), alignment: 1)
            }
            room.copyMemory(from: bytes)
            (wanted, sent) = (bytes.count, 0)
        }
        try sendRoom()
        return bytes.count
    }

    private func sendRoom() throws(SystemError) {
        while sent < wanted {
            var count = 0
            switch curl_easy_send(handle, room.baseAddress! + sent, wanted - sent, &count) {
            case CURLE_OK: sent += count
            case CURLE_AGAIN: throw SystemError(EAGAIN, in: "send")
            default: throw SystemError(EPIPE, in: "send")  // libcurl does not tell one end of a connection from another
            }
        }
        wanted = 0
    }

    /// How often what has come is read before a message goes: a peer that never stops sending would hold it up for ever.
    private static let mostReads = 64

    /// Whether the other end has closed the connection: what is sent now would be lost. What it has sent is thrown away.
    package var isClosedByPeer: Bool {
        withUnsafeTemporaryAllocation(byteCount: 512, alignment: 1) { room in
            for _ in 0..<Self.mostReads {
                var count = 0
                switch curl_easy_recv(handle, room.baseAddress, room.count, &count) {
                case CURLE_OK where count > 0: continue
                case CURLE_AGAIN: return false
                default: return true
                }
            }
            return false
        }
    }

    /// Waits until the other end's kernel has everything, and takes what has come meanwhile, such as the tickets that a server of
    /// TLS 1.3 sends: a connection that ends with bytes unread is reset, and what is still under way is lost with it.
    package func finish(by deadline: LogDeadline) {
        while !isClosedByPeer, !deadline.hasPassed {
            let isSent = (try? sendRoom()) != nil
            if isSent, logbook_unacknowledged(descriptor) <= 0 { break }
            usleep(1000)   // nothing tells when it is so
        }
        _ = isClosedByPeer
    }
}
