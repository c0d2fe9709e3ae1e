public import LogbookHTTP

/// How a program shows a receiver who it is.
public enum Authorization: Sendable, Hashable {
    case none
    /// `Authorization: Bearer <token>`
    case bearer(Secret)
    /// `Authorization: Basic <user:password>`; the user's name has no colon.
    case basic(user: String, password: Secret)
    /// `Authorization: ApiKey <key>`, as Elasticsearch has it.
    case apiKey(Secret)
    /// A header of its own: `X-Auth-Token: <token>`.
    case header(String, Secret)

    var headers: [HTTPHeader] {
        switch self {
        case .none: []
        case .bearer(let token): [HTTPHeader("Authorization", "Bearer " + token.revealed)]
        case .basic(let user, let password):
            [HTTPHeader("Authorization", "Basic " + Base64.encode(Array((user + ":" + password.revealed).utf8)))]
        case .apiKey(let key): [HTTPHeader("Authorization", "ApiKey " + key.revealed)]
        case .header(let name, let value): [HTTPHeader(name, value.revealed)]
        }
    }
}

/// RFC 4648, section 4.
enum Base64 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            for place in 0..<4 {
                text.append(place <= group.count ? digits[Int(bits >> UInt32(18 - 6 * place) & 63)] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
