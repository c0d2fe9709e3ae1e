internal import LogbookHTTP

extension HTTPRequest {
    /// What a receiver could repeat of this request that nobody should read: the values of its headers, but for those that are about the
    /// body, the sender's name or the time, or name the parcel, and what of its address may be a token. Of `Authorization: Bearer <token>`
    /// that is the token alone as well.
    var secrets: [String] {
        let values = headers.filter { !Self.isPlain($0.name.lowercased()) }.map(\.value)
        let tokens = headers.filter { $0.name.lowercased().hasSuffix("authorization") }.flatMap { header in
            header.value.split { $0 == " " || $0 == "\"" }.dropFirst().map { String($0) }
        }
        let session = signature?.sessionToken.map { [$0.revealed] } ?? []
        return values + tokens + session + tokensInAddress
    }

    /// Who and with what password, of `https://user:password@host/`, and each part of the path and the query that is long enough for a
    /// token, holds a digit or letters of both cases, and does not name the parcel. As they stand there, and as they read.
    private var tokensInAddress: [String] {
        let address = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
        let authority = address.prefix { !"/?#".contains($0) }
        let credentials = authority.lastIndex(of: "@").map { authority[..<$0].split(separator: ":") } ?? []
        let named = Set(headers.filter { Self.isPlain($0.name.lowercased()) }.map(\.value))
        let parts = address.dropFirst(authority.count).split { "/?&=#".contains($0) }.filter { part in
            part.utf8.count >= Self.leastOfToken && !named.contains(String(part))
                && (part.contains(where: \.isNumber) || part.contains(where: \.isUppercase) && part.contains(where: \.isLowercase))
        }
        return (credentials + parts).flatMap { [String($0), $0.percentDecoded() ?? ""] }
    }

    private static var leastOfToken: Int { 16 }

    private static func isPlain(_ name: String) -> Bool {
        ["content-", "accept", "logbook-"].contains { name.hasPrefix($0) }
            || ["user-agent", "host", "date", "x-amz-date", "x-amz-content-sha256", "x-amz-target"].contains(name)
    }
}
