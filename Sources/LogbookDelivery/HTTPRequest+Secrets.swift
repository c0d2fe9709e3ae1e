internal import LogbookHTTP

extension HTTPRequest {
    /// What a receiver could repeat of this request that nobody should read: the values of its headers, but for those that are about the
    /// body, the sender's name or the time, or name the parcel. Of `Authorization: Bearer <token>` that is the token alone as well.
    var secrets: [String] {
        let values = headers.filter { !Self.isPlain($0.name.lowercased()) }.map(\.value)
        let tokens = headers.filter { $0.name.lowercased().hasSuffix("authorization") }.flatMap { header in
            header.value.split { $0 == " " || $0 == "\"" }.dropFirst().map { String($0) }
        }
        let session = signature?.sessionToken.map { [$0.revealed] } ?? []
        return values + tokens + session
    }

    private static func isPlain(_ name: String) -> Bool {
        ["content-", "accept", "logbook-"].contains { name.hasPrefix($0) }
            || ["user-agent", "host", "date", "x-amz-date", "x-amz-content-sha256", "x-amz-target"].contains(name)
    }
}
