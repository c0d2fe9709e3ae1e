import Testing

import LogbookHTTP

@Suite("Text in a URL") struct PercentEncodingTests {
    @Test("unreserved characters stay, every other byte becomes % and two capital digits")
    func everyByteThatCouldMeanSomethingIsEncoded() {
        #expect("AZaz09-._~".percentEncoded == "AZaz09-._~")
        #expect("a b/c?d=e&f%+é\u{0}".percentEncoded == "a%20b%2Fc%3Fd%3De%26f%25%2B%C3%A9%00")
        #expect("".percentEncoded == "")
    }
}
