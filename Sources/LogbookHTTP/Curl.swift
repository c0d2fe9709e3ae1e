internal import CLogbookCurl

/// What requests and other connections ask of libcurl alike.
enum Curl {
    /// False where libcurl cannot be initialised at all.
    static let isReady: Bool = logbook_curl_start() == CURLE_OK

    /// Refuses a proxy that libcurl would go past without a word (7.88 does): one whose user or password stands for a control character.
    static func check(proxy: String) throws(HTTPFailure) {
        let encoded = proxy.utf8.split(separator: 0x25, omittingEmptySubsequences: false).dropFirst().contains { rest in
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            return digits.utf8.count == 2 && digits.allSatisfy(\.isHexDigit) && UInt8(digits, radix: 16).map { $0 < 0x20 } ?? false
        }
        // At a zero, libcurl would take the URL to end.
        if encoded || proxy.utf8.contains(0) {
            throw .invalidRequest("the proxy's URL holds a control character, and without the proxy nothing is sent")
        }
    }
}

extension HTTPTrust {
    /// Has a handle verify as this says.
    func apply(to handle: UnsafeMutableRawPointer) {
        func set(_ option: CURLoption, _ value: Int) { logbook_curl_set_long(handle, option, value) }
        func set(_ option: CURLoption, _ value: String) { logbook_curl_set_string(handle, option, value) }
        set(CURLOPT_SSL_VERIFYPEER, 1)
        set(CURLOPT_SSL_VERIFYHOST, 2)
        set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        if let authorities {
            set(CURLOPT_CAINFO, authorities)
            // The system's folder of authorities would stay in force beside the file.
            logbook_curl_set_pointer(handle, CURLOPT_CAPATH, nil)
            logbook_curl_do_not_keep_authorities(handle)
        }
        if let revocations { set(CURLOPT_CRLFILE, revocations) }
        if let client {
            set(CURLOPT_SSLCERT, client.certificate)
            set(CURLOPT_SSLKEY, client.key)
            // Also where there is none: a key that wants one would be asked for on the terminal, which nobody waits for.
            set(CURLOPT_KEYPASSWD, client.password?.revealed ?? "")
        }
        if !pinnedKeys.isEmpty {
            set(CURLOPT_PINNEDPUBLICKEY, pinnedKeys.map { "sha256//" + $0 }.joined(separator: ";"))
        }
    }
}

extension HTTPFailure {
    /// - Parameters:
    ///   - text: What libcurl wrote into its `CURLOPT_ERRORBUFFER`.
    ///   - proxy: The proxy's URL, which libcurl's text may repeat. There may be a password in it, and none is in the failure.
    init(_ code: CURLcode, _ text: UnsafePointer<CChar>, proxy: String? = nil) {
        var reason = text.pointee == 0 ? String(cString: curl_easy_strerror(code)) : String(cString: text)
        if reason.hasPrefix("Unsupported proxy") {   // its syntax or its scheme; the code is that of a connection
            self = .invalidRequest("the proxy's URL cannot be read; it should look like http://proxy.example.com:3128")
            return
        }
        if let proxy, proxy.contains("@"), reason.contains(proxy) { reason = String(cString: curl_easy_strerror(code)) }
        switch code {
        case CURLE_COULDNT_RESOLVE_PROXY:
            self = .unreachable("the proxy's name does not resolve")
        case CURLE_URL_MALFORMAT:
            self = .invalidRequest(reason)
        case CURLE_OPERATION_TIMEDOUT:
            self = .timedOut(reason)
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_CERTPROBLEM, CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            self = .untrusted(reason)
        case CURLE_SSL_CONNECT_ERROR where ["protocol version", "unsupported protocol"].contains(where: { reason.contains($0) }):
            // Every other end of a handshake may be the network's; only the text of the TLS library tells this one.
            self = .untrusted("\(reason); TLS 1.2 or later is needed")
        case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_UNSUPPORTED_PROTOCOL:
            // The scheme was checked before, so an unsupported protocol is what the server spoke.
            self = .malformedResponse(reason)
        default:
            self = .unreachable(reason)
        }
    }
}

extension Duration {
    /// At least one: libcurl reads zero as no limit.
    var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        let milliseconds = min(max(seconds, 0), 1_000_000) * 1000 + max(attoseconds, 0) / 1_000_000_000_000_000
        return max(1, Int(milliseconds))
    }
}
