#if Transactions
import LogbookTransactions
import Testing

@Suite struct TransactionSetMediaTypeTests {
    @Test("C14: written without a space")
    func writes() {
        let type = TransactionSetMediaType(prefix: "vnd.fp.", version: .v0_0_1, charset: "UTF-8")
        #expect(type.description == "application/vnd.fp.apptxnset-v0.0.1+json;charset=UTF-8")
        #expect(type.essence == "application/vnd.fp.apptxnset-v0.0.1+json")
    }

    @Test("W4: what senders really write is understood", arguments: [
        ("application/vnd.fp.apptxnset-v0.0.1+json;charset=UTF-8", "vnd.fp.", "0.0.1", "UTF-8"),
        ("application/vnd.fp.apptxnset-v0.0.1+json; charset=utf-8", "vnd.fp.", "0.0.1", "utf-8"),
        ("application/vnd.fp.apptxnset-v0.0.10+json", "vnd.fp.", "0.0.10", nil),
        ("application/vnd.my-company.apptxnset-v12.0.1+json ; q=1; charset=\"UTF-8\"", "vnd.my-company.", "12.0.1", "UTF-8"),
        ("Application/VND.FP.ApptxnSet-v0.0.2+JSON", "vnd.fp.", "0.0.2", nil),
        ("application/apptxnset-v0.0.1+json", "", "0.0.1", nil),
    ] as [(String, String, String, String?)])
    func reads(text: String, prefix: String, version: String, charset: String?) throws {
        let type = try #require(TransactionSetMediaType(text))
        #expect(type.prefix == prefix)
        #expect(type.versionText == version)
        #expect(type.format == "json")
        #expect(type.charset == charset)
        #expect(type.version == TransactionSetVersion(rawValue: version))
    }

    @Test("W4: the type of something else is nobody's", arguments: [
        "", ";", "application/json", "text/html", "application/vnd.fp.apptxnset-v0.0+json", "application/vnd.fp.apptxnset-v0.0.x+json",
        "application/vnd.fp.apptxnset-v0.0.1", "application/vnd.fp.apptxnset-v0.0.1+", "application/vnd.fp.logs-v0.0.1+json",
        "application/vnd.fpapptxnset-v0.0.1+json", "application/vnd.fp.apptxnset-v...+json",
    ])
    func refuses(text: String) {
        #expect(TransactionSetMediaType(text) == nil)
    }
}
#endif
