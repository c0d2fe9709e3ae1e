#if Collector
    import LogbookCollector
    import LogbookCore
    import Testing

    @Suite struct TransactionCursorTests {
        @Test(arguments: ["T", "", "TXN1-3BB0", "a.b/c?d=é", "\u{0}\u{10FFFF}"])
        func whatItWritesItReads(id: String) {
            for nanoseconds in [Int64.min / 1000 * 1000, -1000, 0, 1_423_202_367_987_654_000] {
                let cursor = TransactionCursor(received: LogTime(nanoseconds: nanoseconds), id: id)
                #expect(TransactionCursor(cursor.description) == cursor)
                #expect(cursor.description.utf8.allSatisfy { $0 > 0x2C && $0 < 0x7B })
            }
        }

        @Test(arguments: ["", ".", "1", "1.2", "1.zz", "x.41", "1.41.42", "9223372036854775807.41", "1.ff", "1.+1", "1.é"])
        func anythingElseIsNone(text: String) { #expect(TransactionCursor(text) == nil) }
    }
#endif
