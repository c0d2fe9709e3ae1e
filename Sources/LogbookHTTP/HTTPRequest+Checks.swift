extension HTTPRequest {
    /// Why nothing can ever be sent to this URL, where plain HTTP goes to this machine only; nil where something can.
    package static func refusal(of url: String) -> String? {
        do throws(HTTPFailure) {
            try HTTPRequest(url: url).check(allowsPlainHTTP: false)
            return nil
        } catch .invalidRequest(let reason) {
            return reason
        } catch {
            return error.description
        }
    }

    /// Refuses what could smuggle a second header or request onto the connection, and what must not travel in the clear.
    /// - Parameter known: The target of an earlier request, which most go to as well.
    /// - Returns: Where the request goes.
    @discardableResult
    func check(allowsPlainHTTP: Bool, known: RequestTarget? = nil) throws(HTTPFailure) -> RequestTarget {
        guard !method.isEmpty, method.utf8.allSatisfy(\.isTokenByte) else {
            throw .invalidRequest("the method is not a word")
        }
        let target = if let known, known.url == url { known } else { try RequestTarget(url) }
        guard target.scheme == "https" || allowsPlainHTTP || target.isLoopback else {
            throw .invalidRequest(
                """
                plain http to \(target.host) would send everything in the clear; use https, or, on a network that you trust, a program may \
                allow it: CurlTransport(allowsPlainHTTP: true)
                """)
        }
        if let signature {
            let words = [signature.accessKey, signature.region, signature.service]
            let isPlain = words.allSatisfy { word in
                !word.isEmpty && word.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
            }
            let secrets = [signature.secretKey, signature.sessionToken].compactMap(\.self)
            guard isPlain, secrets.allSatisfy({ $0.revealed.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } }) else {
                throw .invalidRequest("a part of the signature is empty, or holds a space, a colon or a control character")
            }
        }
        for header in headers {
            guard !header.name.isEmpty, header.name.utf8.allSatisfy(\.isTokenByte) else {
                throw .invalidRequest("a header's name is not a word")
            }
            guard !header.value.utf8.contains(where: { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }) else {
                throw .invalidRequest("the value of \(header.name) holds a control character")
            }
            let count = header.name.utf8.count
            guard count != 14 && count != 17 || !["content-length", "transfer-encoding"].contains(header.name.lowercased()) else {
                throw .invalidRequest("\(header.name) is set by the transport")
            }
        }
        return target
    }
}

extension UInt8 {
    /// A byte of a token (RFC 9110, 5.6.2): header names and methods.
    fileprivate var isTokenByte: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(self)
        }
    }
}
