#if Transactions
import LogbookCore
import LogbookTransactions
import Testing

/// The sets that Plugins-Docs/TransactionWireFormat.md shows are read as they stand there.
@Suite struct WireFormatGuideTests {
    private static func blocks() -> [String] {
        let folders = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let page = String(decoding: bytes(of: "/\(folders)/Plugins-Docs/TransactionWireFormat.md"), as: UTF8.self)
        return page.split(separator: "```json\n").dropFirst().map { String($0.split(separator: "```")[0]) }
    }

    @Test func theSetsOfTheGuideAreReadAndWritten() throws {
        let blocks = Self.blocks()
        try #require(blocks.count == 2)
        let first = try TransactionSet.decode(Array(blocks[0].utf8), .v0_0_1)
        let second = try TransactionSet.decode(Array(blocks[1].utf8), .v0_0_2)
        #expect(try meaning(first.encode(.v0_0_1)) == meaning(blocks[0]))
        #expect(try meaning(second.encode(.v0_0_2)) == meaning(blocks[1]))
        #expect(try meaning(second.encode(.v0_0_1)) == meaning(blocks[0]))
    }

    @Test("A3: the fields of the guide name the transaction")
    func theFieldsOfTheGuide() throws {
        let service = LogService(device: phone)
        let login = service.transaction(continuing: goldenID, usecase: 17, device: phone)
        #expect(login.headerFields() == [
            "logbook-apptxn-id": goldenID, "logbook-useragent-device-make": "iPhone7,2",
            "logbook-useragent-device-os": "iPhone OS", "logbook-useragent-device-os-version": "8.1.2",
        ])
        var request: [String: String] = [:]
        login.applyHeaders(prefix: "fp-") { request[$0] = $1 }
        #expect(request["fp-apptxn-id"] == goldenID && request.count == 4)
    }
}
#endif
