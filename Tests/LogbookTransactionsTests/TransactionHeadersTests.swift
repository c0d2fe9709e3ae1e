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
        let received = fields.map { ($0.0.uppercased(), $0.1) } + [("Host", "example.org")]
        let headers = try #require(TransactionHeaders(from: received, prefix: "fp-"))
        #expect(headers.transactionID == transaction.id)
        #expect(headers.device == phone)
    }

    @Test func aRequestWithoutTheIdNamesNoTransaction() {
        #expect(TransactionHeaders(from: []) == nil)
        #expect(TransactionHeaders(from: [("logbook-apptxn-id", "")]) == nil)
        #expect(TransactionHeaders(from: [("logbook-apptxn-id", String(repeating: "x", count: 257))]) == nil)
    }

    @Test("a request names a transaction as the client's store does, however long its id is")
    func aLongIDIsNamed() throws {
        let bench = try Bench(), id = String(repeating: "x", count: 300)
        let transaction = bench.service.transaction(continuing: id, usecase: 1, device: phone)
        transaction.log(1)
        let headers = try #require(TransactionHeaders(from: transaction.headers()))
        #expect(try bench.provider.allTransactions().map(\.id) == [headers.transactionID])
    }

    @Test("W6: what nobody knows of the device is left out; servers of the original framework, behind another prefix, get it empty")
    func whatNobodyKnowsIsLeftOut() throws {
        let device = DeviceFacts(make: "", os: "Debian", osVersion: ""), transaction = LogService(device: device).transaction(usecase: 1)
        let fields = transaction.headers()
        #expect(fields.map(\.0) == ["logbook-apptxn-id", "logbook-useragent-device-os"])
        #expect(TransactionHeaders(from: fields)?.device == device)
        #expect(transaction.headers(prefix: "fp-").map(\.1) == [transaction.id, "", "Debian", ""])
    }

    @Test func aValueCannotBeginAnotherField() {
        let headers = TransactionHeaders(transactionID: "a", deviceMake: "x\r\nSet-Cookie: y")
        #expect(headers.fields()[1].1 == "x  Set-Cookie: y")
    }
}
#endif
