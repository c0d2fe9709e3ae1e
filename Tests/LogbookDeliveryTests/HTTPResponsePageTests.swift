import LogbookDelivery
import LogbookHTTP
import Testing

@Suite struct HTTPResponsePageTests {
    private static let page = "<!DOCTYPE html><title>please log in</title>"

    private static func wide(_ text: String, isBigEndian: Bool = false) -> [UInt8] {
        text.utf16.flatMap { isBigEndian ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    }

    @Test("a page is one whatever stands before its first tag", arguments: [
        Array(page.utf8), Array("\r\n\t \u{C}\(page)".utf8), Array("\u{FEFF}\(page)".utf8), Array("\u{FEFF}\r\n \(page)".utf8),
        wide("\u{FEFF}\(page)"), wide("\u{FEFF}\n\(page)", isBigEndian: true), wide(page, isBigEndian: true),
    ])
    func pages(body: [UInt8]) {
        let response = HTTPResponse(status: 200, headers: [HTTPHeader("Content-Type", "text/plain")], body: body)
        #expect(response.isPage)
        #expect(response.holdsPage)
        let type = "application/xml"
        #expect(!HTTPResponse(status: 200, headers: [HTTPHeader("Content-Type", type)], body: body).holdsPage)
    }

    @Test("an answer without a tag at its beginning holds no page", arguments: ["", "OK", "\u{FEFF}", "\u{FEFF}{\"a\": \"<b>\"}", "\u{FF1C}b>"])
    func answers(body: String) {
        let response = HTTPResponse(status: 200, headers: [HTTPHeader("Content-Type", "text/html")], body: Array(body.utf8))
        #expect(!response.holdsPage)
        #expect(response.isPage)   // by its type
    }
}
