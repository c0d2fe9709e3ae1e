#if Collector
    @testable import LogbookCollector
    import LogbookCore
    import LogbookTransactions
    import Testing

    @Suite struct EntryIdentityTests {
        private func keys(_ texts: String...) -> [[UInt8]] {
            let entries = texts.map { EntryRecord(event: 1, errorDescription: $0, time: LogTime(seconds: 10)) }
            let parcel = Golden.parcel(TransactionRecord(id: "T", usecase: 1, entries: entries))
            return EntryIdentity.keys(for: parcel).map { Array($0.utf8) }
        }

        /// Nor does its key depend on whether the other one is still sent with it.
        @Test func whatOnlyLooksAlikeIsNoRepetition() {
            #expect(keys("e\u{301}", "\u{E9}") == keys("e\u{301}") + keys("\u{E9}"))
            #expect(keys("a", "a")[0] == keys("a")[0])
            #expect(keys("a", "a")[1] != keys("a")[0])
        }
    }
#endif
