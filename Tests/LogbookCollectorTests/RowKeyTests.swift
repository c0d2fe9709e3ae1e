#if Collector
    @testable import LogbookCollector
    import LogbookCore
    import Testing

    @Suite struct RowKeyTests {
        private func key(_ text: String, _ tenant: String = "default") -> RowKey {
            var digests = RowKey.Digests()
            return RowKey(text, tenant: tenant, &digests)
        }

        /// They are in archives: another number would store again what is there.
        @Test func isWhatArchivesHold() {
            #expect(key("I:3:17") == RowKey(origin: 1_047_172_804_513_444_413, epoch: 3, sequence: 17))
            #expect(
                key("entry 0 1:T 3 10 -")
                    == RowKey(origin: 8_653_188_469_963_586_766, epoch: 4_976_363_019_927_886_999, sequence: -1))
            var digests = RowKey.Digests()
            #expect(digests.origin("I", tenant: "default") == 1_047_172_804_513_444_413)
        }

        @Test func tellsInstallationsAndTenantsApart() {
            let texts = ["I:1:1", "J:1:1", "I:1:2", "I:2:1", "I:1:-1", "I:1", "i:1:1", "\u{E9}:1:1", "e\u{301}:1:1"]
            let keys = texts.flatMap { text in ["default", "other"].map { key(text, $0) } }
            #expect(Set(keys).count == 18)
            var digests = RowKey.Digests()
            #expect(texts.flatMap { text in ["default", "other"].map { RowKey(text, tenant: $0, &digests) } } == keys)
        }
    }
#endif
