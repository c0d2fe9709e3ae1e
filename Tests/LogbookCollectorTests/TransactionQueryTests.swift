#if Collector
    import LogbookCollector
    import Testing

    @Suite struct TransactionQueryTests {
        @Test(arguments: [(.max, 1000), (1001, 1000), (1000, 1000), (7, 7), (1, 1), (0, 1), (.min, 1)] as [(Int, Int)])
        func aPageIsNeitherEmptyNorEndless(asked: Int, limit: Int) {
            #expect(TransactionQuery(limit: asked).limit == limit)
            var query = TransactionQuery()
            query.limit = asked
            #expect(query.limit == limit)
        }
    }
#endif
