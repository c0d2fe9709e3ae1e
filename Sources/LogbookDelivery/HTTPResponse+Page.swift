package import LogbookHTTP

extension HTTPResponse {
    /// Made for a person to look at, such as a hotel's login page: HTML by its type, or by how it begins.
    package var isPage: Bool { beginsAsMarkup || contentType.hasPrefix("text/html") }

    /// The same by how it begins alone, and not where it says that it is XML: an empty answer, or an `OK`, is often called HTML.
    package var holdsPage: Bool { beginsAsMarkup && (!contentType.contains("xml") || contentType.contains("xhtml")) }

    private var beginsAsMarkup: Bool { body.first { ![0x09, 0x0A, 0x0D, 0x20].contains($0) } == UInt8(ascii: "<") }
    private var contentType: String { header("Content-Type")?.lowercased() ?? "" }
}
