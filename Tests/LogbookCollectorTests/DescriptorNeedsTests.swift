#if Collector
    @testable import LogbookCollector
    import Testing

    @Suite struct DescriptorNeedsTests {
        private let needs = DescriptorNeeds(connections: 1024, closing: 64, files: 0, others: 200)

        @Test func whatIsEnoughChangesNothing() {
            #expect(needs.all == 1288)
            for limit in [1288, 20_000, .max] { #expect(needs.fitting(in: limit) == needs) }
        }

        @Test(
            "with fewer descriptors there are fewer connections, and all together are never more than there may be",
            arguments: [
                (1287, 0, 1023), (1024, 0, 760), (128, 0, 48), (20, 0, 8),
                (2000, 256, 968),    // 256 of them with a file
                (1024, 256, 190),    // all of them with one
            ])
        func fewerConnections(limit: Int, files: Int, connections: Int) {
            var needs = needs
            needs.files = files
            let fitting = needs.fitting(in: limit)
            #expect(fitting.connections == connections)
            #expect(fitting.all <= limit && fitting.closing > 0)
        }

        @Test func nobodyGetsMoreConnectionsThanWereAskedFor() {
            let needs = DescriptorNeeds(connections: 10)
            #expect(needs.fitting(in: 250).connections == 10)
            #expect(needs.fitting(in: 1).connections == 1)
        }

        @Test func filesThatArriveCountWhereTheyAreTaken() {
            var configuration = CollectorConfiguration()
            let without = DescriptorNeeds(of: configuration)
            #expect(without.connections == 1024 && without.files == 0 && without.others > 200)
            configuration.filesFolder = "received"
            #expect(DescriptorNeeds(of: configuration).files == 256)
        }
    }
#endif
