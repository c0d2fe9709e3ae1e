#if Collector
    @testable import LogbookCollector
    import LogbookTransactions
    import Testing

    @Suite struct PageRoomTests {
        private static let most = PageWeight(entries: TransactionPage.maximumEntries, bytes: TransactionPage.maximumBytes)

        private func count(_ found: [PageWeight], limit: Int = 10) -> Int { PageRoom.count(of: found, limit: limit) }

        @Test func aPageEndsWhereItsLimitsAre() {
            #expect(TransactionPage.maximumBytes == 8 << 20)
            let nothing = PageWeight(entries: 0, bytes: 0), half = PageWeight(entries: 1, bytes: Self.most.bytes / 2)
            let more = PageWeight(entries: 1, bytes: Self.most.bytes / 2 + 1), many = PageWeight(entries: Self.most.entries, bytes: 1)
            #expect(count([]) == 0)
            #expect(count([nothing, nothing, nothing], limit: 2) == 2)
            #expect(count([half, half, nothing]) == 3)   // exactly full is not too full
            #expect(count([half, more]) == 1)
            #expect(count([many, nothing, half]) == 2)
        }

        @Test func theFirstTransactionAlwaysHasRoom() {
            let huge = PageWeight(entries: Self.most.entries + 1, bytes: Self.most.bytes + 1)
            #expect(count([huge, huge]) == 1)
        }

        @Test("S19: a transaction that would take more memory than one may is too much for a page of its own")
        func aTransactionThatIsTooMuch() {
            #expect(TransactionPage.maximumBytesOfOne == 256 << 20)
            let entries = TransactionPage.maximumBytesOfOne / 256 - 1
            func isTooMuch(_ weight: PageWeight) -> Bool { weight.isTooMuch(for: TransactionPage.maximumBytesOfOne) }
            #expect(!isTooMuch(PageWeight(entries: entries, bytes: 0)))   // exactly full is not too full
            #expect(isTooMuch(PageWeight(entries: entries, bytes: 1)))
            #expect(isTooMuch(PageWeight(entries: 1, bytes: TransactionPage.maximumBytesOfOne)))
        }

        @Test func everyTextCounts() {
            let record = TransactionRecord(
                id: "\u{E9}", usecase: 1, deviceMake: "a", deviceOS: "b", deviceOSVersion: "c", user: "d", variant: "e", appVersion: "f",
                session: "g", installation: "h")
            var weight = PageWeight(headOf: record)
            #expect(weight == PageWeight(entries: 0, bytes: 10))
            weight.add(EntryRecord(event: 1, errorDescription: "\u{FC}", time: .distantPast))
            weight.add(EntryRecord(event: 2, time: .distantPast))
            #expect(weight == PageWeight(entries: 2, bytes: 12))
            weight.add(EntryRecord(event: 3, time: .distantPast, device: DeviceFacts(make: "\u{E9}", os: "b", osVersion: "c")))
            #expect(weight == PageWeight(entries: 3, bytes: 16))
        }
    }
#endif
