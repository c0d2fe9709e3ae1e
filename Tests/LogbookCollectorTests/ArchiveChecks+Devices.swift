#if Collector
    import LogbookCollector
    import LogbookCore
    import LogbookTransactions
    import Testing

    /// Transactions in which more than one device has a part.
    extension ArchiveChecks {
        private static let phone = DeviceFacts(make: "iPhone7,2", os: "iPhone OS", osVersion: "8.1.2")
        private static let server = DeviceFacts(make: "KVM", os: "Debian GNU/Linux", osVersion: "12")

        /// A part of the transaction `T`, of which a device, or somebody who names none, has these entries.
        private static func part(_ device: DeviceFacts?, _ entries: [EntryRecord], user: String? = nil) -> TransactionRecord {
            TransactionRecord(
                id: "T", usecase: 1, deviceMake: device?.make, deviceOS: device?.os, deviceOSVersion: device?.osVersion, user: user,
                entries: entries)
        }

        private static func device(_ make: String, _ os: String = "", _ osVersion: String = "") -> DeviceFacts {
            DeviceFacts(make: make, os: os, osVersion: osVersion)
        }

        private static func entry(_ event: Int, of device: DeviceFacts? = nil) -> EntryRecord {
            var entry = Golden.entry(event, at: Double(event), key: EntryKey(installation: "I", epoch: 1, sequence: Int64(event)))
            entry.device = device
            return entry
        }

        private static func devices(_ archive: any Archive) async throws -> [DeviceFacts?]? {
            try await archive.transaction("T", tenant: Tenant.standard)?.entries.map(\.device)
        }

        /// The first device is the transaction's, and entries of another one say so.
        static func anotherDeviceIsSaid(_ archive: any Archive) async throws {
            let own = part(phone, [entry(0), entry(7)], user: "u")
            let others = part(server, [entry(3), entry(5)])
            #expect(try await archive.store(Golden.parcel(own)) == ArchiveReceipt(accepted: 2, duplicates: 0))
            #expect(try await archive.store(Golden.parcel(others)) == ArchiveReceipt(accepted: 2, duplicates: 0))
            let whole = part(phone, [entry(0), entry(3, of: server), entry(5, of: server), entry(7)], user: "u")
            #expect(try await archive.transaction("T", tenant: Tenant.standard) == whole)
            #expect(try await archive.transactions(TransactionQuery()).transactions == [whole])
            // What comes again changes nothing, whatever device has it then.
            for again in [own, others, part(server, own.entries), part(phone, others.entries)] {
                #expect(try await archive.store(Golden.parcel(again)) == ArchiveReceipt(accepted: 0, duplicates: 2))
            }
            #expect(try await archive.transaction("T", tenant: Tenant.standard) == whole)
            // It goes with the entry.
            #expect(try await archive.erase(user: "u", tenant: Tenant.standard, at: LogTime(seconds: 1000)) == 1)
            #expect(try await archive.transaction("T", tenant: Tenant.standard) == nil)
        }

        /// Who says more, or less, says nothing else.
        static func onlyAContradictionIsAnotherDevice(_ archive: any Archive) async throws {
            let said: [(device: DeviceFacts?, own: DeviceFacts?)] = [
                (nil, nil), (device("KVM"), nil), (device("", "Debian"), nil), (device("KVM", "Debian", "12"), nil), (nil, nil),
                (device("", "", "12"), nil), (device("", "", "13"), device("", "", "13")),
                (device("KVM", "debian"), device("KVM", "debian")), (device("other", "", "12"), device("other", "", "12")),
            ]
            for (event, each) in said.enumerated() {
                #expect(try await archive.store(Golden.parcel(part(each.device, [entry(event)]))).accepted == 1)
            }
            let found = try #require(try await archive.transaction("T", tenant: Tenant.standard))
            #expect([found.deviceMake, found.deviceOS, found.deviceOSVersion] == ["KVM", "Debian", "12"])
            #expect(found.entries.map(\.device) == said.map(\.own))
        }

        /// A server that names no device, or the client's, has none of its own, whoever comes first.
        static func aServerWithoutADevice(_ archive: any Archive) async throws {
            let said: [(device: DeviceFacts?, event: Int)] = [(nil, 3), (phone, 0), (device("", "", ""), 5), (phone, 6)]
            for each in said {
                #expect(try await archive.store(Golden.parcel(part(each.device, [entry(each.event)]))).accepted == 1)
            }
            let whole = part(phone, [0, 3, 5, 6].map { entry($0) })
            #expect(try await archive.transaction("T", tenant: Tenant.standard) == whole)
        }

        /// A set may hold an id several times; and what was read, with its entries' own devices, may be stored again.
        static func severalDevicesInOneSet(_ archive: any Archive) async throws {
            let tablet = device("iPad4,1")
            let whole = part(phone, [entry(0), entry(1, of: server), entry(2, of: tablet), entry(3), entry(4, of: server)])
            let apart = [part(phone, [entry(0), entry(3)]), part(server, [entry(1), entry(4)]), part(tablet, [entry(2)])]
            #expect(try await archive.store(Golden.parcel(apart[0], apart[1], apart[2])).accepted == 5)
            #expect(try await archive.transaction("T", tenant: Tenant.standard) == whole)
            #expect(try await archive.store(Golden.parcel(whole)) == ArchiveReceipt(accepted: 0, duplicates: 5))
            let other = TransactionParcel(
                tenant: "other", parcel: nil, set: TransactionSet(transactions: [whole]), received: LogTime(seconds: 1_423_202_400))
            #expect(try await archive.store(other) == ArchiveReceipt(accepted: 5, duplicates: 0))
            #expect(try await archive.transaction("T", tenant: "other") == whole)
        }

        /// With an entry no more of a device is kept than anybody calls one; by all of it is known whether it is another one.
        static func aLongDeviceIsCut(_ archive: any Archive) async throws {
            let long = String(repeating: "x", count: 60_000), other = String(repeating: "y", count: 50_000) + "'\u{E9}\0"
            for (event, make) in [long, other, long, "e\u{301}"].enumerated() {
                #expect(try await archive.store(Golden.parcel(part(device(make), [entry(event)]))).accepted == 1)
            }
            #expect(try await archive.transaction("T", tenant: Tenant.standard)?.deviceMake == long)
            let makes = try #require(try await devices(archive)).map { $0?.make }
            #expect(makes.count == 4 && makes[0] == nil && makes[2] == nil)
            let cut = try #require(makes[1])
            #expect(cut.hasPrefix("yyyy") && cut.hasSuffix("… [cut from 50006 bytes]") && (200...256).contains(cut.utf8.count), "\(cut)")
            #expect(makes[3].map { Array($0.utf8) } == Array("e\u{301}".utf8))
        }

        /// Texts that only look alike are two.
        static func devicesThatOnlyLookAlikeAreTwo(_ archive: any Archive) async throws {
            for (event, make) in ["\u{E9}", "e\u{301}"].enumerated() {
                #expect(try await archive.store(Golden.parcel(part(device(make), [entry(event)]))).accepted == 1)
            }
            let makes = try #require(try await devices(archive)).map { device in device.map { Array($0.make.utf8) } }
            #expect(makes == [nil, Array("e\u{301}".utf8)])
        }
    }
#endif
