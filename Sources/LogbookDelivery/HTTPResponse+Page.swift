package import LogbookHTTP

extension HTTPResponse {
    /// Made for a person to look at, such as a hotel's login page: HTML by its type, or by how it begins.
    package var isPage: Bool {
        let first = body.first { ![0x09, 0x0A, 0x0D, 0x20].contains($0) }
        return first == UInt8(ascii: "<") || header("Content-Type")?.lowercased().hasPrefix("text/html") == true
    }
}
