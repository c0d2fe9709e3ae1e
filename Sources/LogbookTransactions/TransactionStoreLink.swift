internal import LogbookFormat

/// Where a client is to deliver its transactions, as a server says it in its answer to a login:
/// `{"_links":{"apptxnset":{"href":"https://…/apptxnset","type":"application/vnd.fp.apptxnset-v0.0.1+json"}}}`.
public struct TransactionStoreLink: Sendable, Hashable {
    /// Under which it stands in `_links`.
    public static let relation = "apptxnset"

    /// Absolute, `https://` or `http://`.
    public let href: String
    /// The media type that is taken there; nil when none was said.
    public let type: String?

    /// A server's link.
    public init(
        href: String,
        type: TransactionSetMediaType = TransactionSetMediaType(prefix: "vnd.logbook.", version: .v0_0_2)
    ) {
        self.href = href
        self.type = type.essence
    }

    /// A JSON object with nothing but the link.
    public var json: String { "{\(jsonMember)}" }

    /// `"_links":{…}`, to stand among others in an answer's object.
    public var jsonMember: String {
        var bytes = Array(#""_links":{"\#(Self.relation)":{"href":"#.utf8)
        bytes.append(jsonString: href)
        if let type {
            bytes += #","type":"#.utf8
            bytes.append(jsonString: type)
        }
        return String(decoding: bytes, as: UTF8.self) + "}}"
    }

    /// Finds the link in an answer.
    /// - Parameters:
    ///   - body: The answer's JSON object.
    ///   - url: Where the answer came from: a link that begins with `/` is taken to lead to the same server.
    /// - Returns: Nil when there is no link, or one that must not be followed: neither `https` nor `http`, or from `https` to `http`.
    public init?(in body: [UInt8], from url: String) {
        guard let document = try? JSONValue.parse(body), case .string(let href)? = document["_links"]?[Self.relation]?["href"],
            !href.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F || $0 == 0x5C })
        else { return nil }
        let from = url.lowercased(), to = href.lowercased()
        if to.hasPrefix("https://") || to.hasPrefix("http://") && !from.hasPrefix("https://") {
            self.href = href
        } else if href.hasPrefix("/"), !href.hasPrefix("//"), let start = url.ranges(of: "://").first?.upperBound {
            let end = url[start...].firstIndex { "/?#".contains($0) } ?? url.endIndex
            self.href = url[..<end] + href
        } else {
            return nil
        }
        if case .string(let type)? = document["_links"]?[Self.relation]?["type"] { self.type = type } else { type = nil }
    }
}
