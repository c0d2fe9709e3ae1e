#if Collector
    @testable import LogbookCollector
    import LogbookCore
    import LogbookTransactions
    import Testing

    @Suite struct EntryDeviceTests {
        private static func device(_ make: String, _ os: String, _ osVersion: String) -> DeviceFacts {
            DeviceFacts(make: make, os: os, osVersion: osVersion)
        }

        @Test("D6: a device is another one where both say a fact, and not the same",
            arguments: [
                (device("a", "b", "c"), false), (device("a", "", ""), false), (device("", "", ""), false), (device("x", "", ""), true),
                (device("a", "x", ""), true), (device("a", "b", "x"), true), (device("A", "b", "c"), true),
            ])
        func anotherDevice(device: DeviceFacts, isOther: Bool) {
            let known = Self.device("a", "b", "c")
            #expect(device.contradicts(known) == isOther)
            #expect(known.contradicts(device) == isOther)
        }

        @Test func whatASetDoesNotSayIsUnknown() {
            #expect(DeviceFacts.named(in: TransactionRecord(id: "T", usecase: 1)) == nil)
            #expect(DeviceFacts.named(in: TransactionRecord(id: "T", usecase: 1, deviceMake: "", deviceOS: "")) == nil)
            let named = DeviceFacts.named(in: TransactionRecord(id: "T", usecase: 1, deviceMake: "", deviceOS: "a\0b"))
            #expect(named == Self.device("", "a\u{2400}b", ""))
        }

        @Test func aLongFactIsCutForAnEntry() {
            let most = String(repeating: "x", count: DeviceFacts.maximumEntryBytes)
            #expect(Self.device(most, "b", "").ofEntry == Self.device(most, "b", ""))
            let cut = Self.device(most + "x", "b", "").ofEntry
            #expect(cut.make.utf8.count == DeviceFacts.maximumEntryBytes && cut.make.hasSuffix("… [cut from 257 bytes]"))
            #expect(cut.os == "b")
        }
    }
#endif
