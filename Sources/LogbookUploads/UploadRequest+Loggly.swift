public import LogbookHTTP

extension UploadRequest {
    /// Loggly's bulk endpoint: files in requests of less than 5 MB, lines of less than 1 MB, and `{"response":"ok"}` for an answer.
    /// Write the files with ``LogglyFormat``.
    ///
    /// - Parameters:
    ///   - token: The customer token. It stands in the URL, which no event, error or diagnostic of this library shows.
    ///   - tags: Each of letters, digits, `-`, `.` and `_`.
    ///   - host: Where Loggly is.
    /// - Throws: ``UploadRequestError``.
    public static func loggly(
        token: Secret, tags: [String] = [], host: String = "https://logs-01.loggly.com"
    ) throws(UploadRequestError) -> UploadRequest {
        guard isPlain(token.revealed) else { throw .invalidToken }
        for tag in tags where !isPlain(tag) { throw .invalidTag(tag) }
        let path = tags.isEmpty ? "" : "tag/\(tags.joined(separator: ","))/"
        var request = UploadRequest(
            url: "\(host)/bulk/\(token.revealed)/\(path)", contentType: "application/json",
            acknowledgement: .field("response", equals: "ok"), maximumBytes: 4_900_000, maximumLineBytes: 990_000)
        request.secrets = [token]
        return request
    }

    private static func isPlain(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
                default: false
                }
            }
    }
}
