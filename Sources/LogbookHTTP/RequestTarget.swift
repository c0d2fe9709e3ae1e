internal import CLogbookCurl
#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Where a request goes, as libcurl itself reads the URL: a parser of our own could be talked into another host than the one
/// that is connected to.
struct RequestTarget: Equatable {
    let url: String
    /// `http` or `https`.
    let scheme: String
    /// In lower case; an IPv6 address in brackets.
    let host: String
    /// `localhost`, 127.0.0.0/8 or `[::1]`: what is sent there does not leave the machine.
    let isLoopback: Bool

    init(_ url: String) throws(HTTPFailure) {
        guard !url.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else {
            throw .invalidRequest("the URL holds a space or a control character")
        }
        let handle = curl_url()
        defer { curl_url_cleanup(handle) }
        guard curl_url_set(handle, CURLUPART_URL, url, 0) == CURLUE_OK else {
            throw .invalidRequest("the URL cannot be read; it should look like https://logs.example.com/v1/logs")
        }
        let scheme = Self.part(CURLUPART_SCHEME, of: handle)
        guard scheme == "https" || scheme == "http" else {
            throw .invalidRequest("only https and http are spoken, not \(scheme ?? "none")")
        }
        guard Self.part(CURLUPART_USER, of: handle) == nil, Self.part(CURLUPART_PASSWORD, of: handle) == nil else {
            throw .invalidRequest("the URL holds a user or a password; put them into an Authorization header")
        }
        guard let host = Self.part(CURLUPART_HOST, of: handle)?.lowercased(), !host.isEmpty else {
            throw .invalidRequest("the URL names no host")
        }
        self.url = url
        self.scheme = scheme!
        self.host = host
        isLoopback = Self.isLoopback(host)
    }

    private static func part(_ part: CURLUPart, of handle: OpaquePointer?) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(handle, part, &text, 0) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }

    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "[::1]" { return true }
        var address = in_addr()
        guard inet_pton(AF_INET, host, &address) == 1 else { return false }
        return UInt32(bigEndian: address.s_addr) >> 24 == 127
    }
}
