#if Transactions
import LogbookCore
import LogbookTransactions
import Testing

@Suite struct TransactionHeadersTests {
    @Test("A3: a request carries the transaction's id and the device, and the server reads the same")
    func aServerReadsWhatAClientSends() throws {
        let service = LogService(device: phone)
        let transaction = service.transaction(usecase: 17)
        let fields = transaction.headers(prefix: "fp-")
        #expect(fields.map(\.0) == [
            "fp-apptxn-id", "fp-useragent-device-make", "fp-useragent-device-os", "fp-useragent-device-os-version",
        ])
        let received = Dictionary(uniqueKeysWithValues: fields)
        let headers = try #require(TransactionHeaders(prefix: "fp-") { received[$0] })
        #expect(headers.transactionID == transaction.id)
        #expect(headers.device == phone)
    }

    @Test func aRequestWithoutTheIdNamesNoTransaction() {
        #expect(TransactionHeaders { _ in nil } == nil)
        #expect(TransactionHeaders { _ in "" } == nil)
        #expect(TransactionHeaders { _ in String(repeating: "x", count: 257) } == nil)
    }

    @Test func aValueCannotBeginAnotherField() {
        let headers = TransactionHeaders(transactionID: "a", deviceMake: "x\r\nSet-Cookie: y")
        #expect(headers.fields()[1].1 == "x  Set-Cookie: y")
    }
}
#endif
