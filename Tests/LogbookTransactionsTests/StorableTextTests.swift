#if Transactions
import LogbookCore
import LogbookTestKit
import Testing

@testable import LogbookTransactions

@Suite struct StorableTextTests {
    private static let long = String(repeating: "x", count: 300)

    @Test(
        "an id that receivers take stays as it is",
        arguments: ["T", " ", "line\n\u{1}\u{7F}", "\u{FEFF}bom", String(repeating: "\u{E9}", count: 128)])
    func anIDStays(id: String) { #expect(id.deliverableID == id) }

    @Test("an id that is too long is cut, to the same in every process and on every machine")
    func aLongIDIsCut() {
        let cut = Self.long.deliverableID
        let digest = "0d4e2ca9e9cbced7a7a5380eb29e1a3783b9b6d0db72de36a1051038e1c1fbc7"
        #expect(cut == String(repeating: "x", count: 184) + "~sha256-" + digest)
        #expect(cut.utf8.count == 256)
        #expect(cut.deliverableID == cut)
        // Whole characters of Unicode: 184 bytes may end in the middle of one.
        let accents = "a" + String(repeating: "\u{E9}", count: 200)
        #expect(accents.deliverableID.hasPrefix("a" + String(repeating: "\u{E9}", count: 91) + "~sha256-"))
        #expect(accents.deliverableID.utf8.count == 255)
    }

    @Test("ids that are too long and differ behind the cut stay different")
    func longIDsStayDifferent() {
        let ids = [Self.long, Self.long + "y", Self.long + "\u{E9}", Self.long + "e\u{301}", String(repeating: "\0", count: 100)]
        #expect(Set(ids.map { Array($0.deliverableID.utf8) }).count == ids.count)
        #expect(ids.allSatisfy { (1...256).contains($0.deliverableID.utf8.count) && !$0.deliverableID.utf8.contains(0) })
    }

    @Test("texts that only look alike are two")
    func textsThatLookAlike() {
        #expect("\u{E9}" == "e\u{301}" && !"\u{E9}".isSameText(as: "e\u{301}"))
        #expect("T".isSameText(as: "T") && !"T".isSameText(as: "U"))
    }

    @Test("an id that receivers would refuse is stored as one that they take, and every one apart from the others")
    func everyIDIsStored() throws {
        let bench = try Bench(), ids = [Self.long, Self.long + "y", "a\0b", "", "\u{E9}", "e\u{301}"]
        for (number, id) in ids.enumerated() {
            let transaction = bench.service.transaction(continuing: id, usecase: 1, device: phone)
            transaction.log(number)
            transaction.log(number)
        }
        let expected = ids.map { $0.isEmpty ? "TXN1-\(bench.provider.session)" : $0.deliverableID }
        for version in TransactionSetVersion.allCases {
            let stored = TransactionSet(transactions: try bench.provider.allTransactions())
            let taken = try TransactionSet.decode(stored.encode(version), version).transactions
            #expect(taken.map { Array($0.id.utf8) } == expected.map { Array($0.utf8) })
            #expect(taken.map { $0.entries.map(\.event) } == ids.indices.map { [$0, $0] })
        }
        try bench.provider.delete([Self.long, "a\0b"])
        #expect(try bench.provider.counts().transactions == ids.count - 2)
    }

    @Test("ids that only look alike are two in one batch as well")
    func lookAlikesInABatch() throws {
        let service = LogService(), heard = RecordingProvider()
        service.register(heard)
        for id in ["\u{E9}", "e\u{301}", Self.long, Self.long + "y"] {
            service.transaction(continuing: id, usecase: 1, device: phone).log(1)
        }
        let folder = TemporaryFolder(), store = try TransactionStore(path: folder.store)
        try store.append(heard.events)
        #expect(try store.allTransactions().map(\.entries.count) == [1, 1, 1, 1])
    }

    @Test("without an id, what a batch says of two use cases goes into two transactions")
    func emptyIDsInABatch() throws {
        let service = LogService(), heard = RecordingProvider()
        service.register(heard)
        for usecase in [1, 2, 1] { service.transaction(continuing: "", usecase: usecase, device: phone).log(usecase) }
        let folder = TemporaryFolder(), store = try TransactionStore(path: folder.store)
        try store.append(heard.events)
        let stored = try store.allTransactions()
        #expect(stored.map(\.usecase) == [1, 2])
        #expect(stored.map { $0.entries.map(\.event) } == [[1, 1], [2]])
    }

    @Test("that an id is kept in another form is said, and said once")
    func itIsSaidOnce() async {
        await #expect(processExitsWith: .success) {
            let said = Locked<[String]>([])
            LogDiagnostics.setHandler { remark in said.withLock { $0.append(remark.origin) } }
            let bench = try Bench()
            bench.service.transaction(usecase: 1).log(1)
            #expect(said.withLock { $0.isEmpty })
            for id in ["", String(repeating: "x", count: 257), "a\0b"] {
                bench.service.transaction(continuing: id, usecase: 1, device: phone).log(1)
            }
            #expect(said.withLock { $0 } == ["transaction ids"])
        }
    }
}
#endif
