public import LogbookHTTP

extension UploadRequest {
    /// A Logbook collector that keeps files: `PUT <url>/v1/files/<id>`, whose answer names the file.
    /// - Parameters:
    ///   - url: Where the collector is, without the path: `https://logs.example.com`.
    ///   - token: Sent as bearer token; nil for a collector that asks for none.
    public static func collector(at url: String, token: Secret? = nil) -> UploadRequest {
        var url = url
        while url.hasSuffix("/") { url.removeLast() }
        return UploadRequest(
            url: url + "/v1/files/{id}", method: .put,
            headers: token.map { [HTTPHeader("Authorization", "Bearer " + $0.revealed)] } ?? [],
            acknowledgement: .fieldNamingParcel("file"))
    }
}
