#if Transactions
import LogbookTransactions
import Testing

@Suite struct TransactionStoreLinkTests {
    private func found(_ json: String, from url: String = "https://api.example.org/login?x=1") -> TransactionStoreLink? {
        TransactionStoreLink(in: Array(json.utf8), from: url)
    }

    @Test("W8: a login's answer carries the link, and the client picks it up")
    func whatAServerSaysAClientFinds() {
        let type = TransactionSetMediaType(prefix: "vnd.fp.", version: .v0_0_1)
        let link = TransactionStoreLink(href: "https://t.example.org/fp/users/7/apptxnset", type: type)
        #expect(
            link.json
                == #"{"_links":{"apptxnset":{"href":"https://t.example.org/fp/users/7/apptxnset","type":"application/vnd.fp.apptxnset-v0.0.1+json"}}}"#
        )
        #expect(found(link.json) == link)
        #expect(found(#"{"name":"Eve",\#(link.jsonMember),"more":[1,{"_links":null}]}"#) == link)
    }

    @Test("W8: the original's links are understood, and those that begin with a slash lead to the same server")
    func originalLinks() {
        let original = #"{"_links":{"apptxnset":{"href":"%","type":"application/vnd.fp.apptxnset-v0.0.1"}}}"#
        func href(_ text: String, from url: String) -> String? { found(original.replacing("%", with: text), from: url)?.href }
        #expect(href("/fp/x", from: "https://api.example.org:8443/login?x=/y") == "https://api.example.org:8443/fp/x")
        #expect(href("/fp/x", from: "http://127.0.0.1:80") == "http://127.0.0.1:80/fp/x")
        #expect(href("http://b/x", from: "http://a/") == "http://b/x")
        #expect(found(original)?.type == nil)
        #expect(found(original.replacing("%", with: "/x"))?.type == "application/vnd.fp.apptxnset-v0.0.1")
    }

    @Test(
        "W8: no link is none, and neither is one that must not be followed",
        arguments: [
            "", "[]", "{}", "null", #"{"_links":7}"#, #"{"_links":{"self":{"href":"/x"}}}"#, #"{"_links":{"apptxnset":{}}}"#,
            #"{"_links":{"apptxnset":{"href":7}}}"#, #"{"_links":{"apptxnset":{"href":"http://plain.example.org/x"}}}"#,
            #"{"_links":{"apptxnset":{"href":"//other.example.org/x"}}}"#, #"{"_links":{"apptxnset":{"href":"file:///etc/passwd"}}}"#,
            #"{"_links":{"apptxnset":{"href":"https://a/x\r\nHost: b"}}}"#, #"{"_links":{"apptxnset":{"href":"relative"}}}"#,
            #"{"_links":{"apptxnset":{"href":"/\\other.example.org"}}}"#,
        ])
    func whatIsNoLink(json: String) { #expect(found(json) == nil) }
}
#endif
