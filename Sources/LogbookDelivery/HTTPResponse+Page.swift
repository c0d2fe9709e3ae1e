package import LogbookHTTP

extension HTTPResponse {
    /// Made for a person to look at, such as a hotel's login page: HTML by its type, or by how it begins.
    package var isPage: Bool { beginsAsMarkup || contentType.hasPrefix("text/html") }

    /// The same by how it begins alone, and not where it says that it is XML: an empty answer, or an `OK`, is often called HTML.
    package var holdsPage: Bool { beginsAsMarkup && (!contentType.contains("xml") || contentType.contains("xhtml")) }

    private var beginsAsMarkup: Bool {
        let mark = Self.byteOrderMarks.first { body.starts(with: $0) } ?? []
        return body.dropFirst(mark.count).first { !Self.blanks.contains($0) } == UInt8(ascii: "<")
    }
    private static var byteOrderMarks: [[UInt8]] { [[0xEF, 0xBB, 0xBF], [0xFF, 0xFE], [0xFE, 0xFF]] }
    /// With NUL, the other half of each of them in UTF-16.
    private static var blanks: [UInt8] { [0x00, 0x09, 0x0A, 0x0C, 0x0D, 0x20] }
    private var contentType: String { header("Content-Type")?.lowercased() ?? "" }
}
