#if Collector
    import LogbookCollector
    import LogbookCore
    import LogbookTransactions
    import Testing

    /// Entries under keys that are there already.
    extension ArchiveChecks {
        private static let conflict = ArchiveReceipt.Conflict(transaction: "T", key: "I:1:1")

        private static func key(_ sequence: Int64) -> EntryKey { EntryKey(installation: "I", epoch: 1, sequence: sequence) }

        /// With every column that an entry says something in.
        private static let failure = EntryRecord(
            event: 3, errorCode: 42, errorDescription: "B\u{E9}\0d!", time: LogTime(nanoseconds: 1_423_202_367_000_001_000), key: key(1),
            offset: 5_000)
        private static let plain = Golden.entry(4, at: 1_423_202_368, key: key(2))

        private static func parcel(_ entries: EntryRecord...) -> TransactionParcel {
            Golden.parcel(TransactionRecord(id: "T", usecase: 1, user: "u", entries: entries))
        }

        /// The failure as it was stored, but for what is changed.
        private static func changed(_ change: (inout EntryRecord) -> Void) -> EntryRecord {
            var entry = failure
            change(&entry)
            return entry
        }

        /// What stands there stays, and what says something else is counted as that.
        static func whatStandsUnderAKeyStays(_ archive: any Archive) async throws {
            #expect(try await archive.store(parcel(failure, plain)) == ArchiveReceipt(accepted: 2, duplicates: 0))
            let others = [
                changed { $0.event = 4 }, changed { $0.errorCode = 43 }, changed { $0.errorCode = nil },
                changed { $0.errorDescription = nil }, changed { $0.errorDescription = "Be\u{301}\0d!" },   // which only looks alike
                changed { $0.time = LogTime(nanoseconds: 1_423_202_367_000_002_000) }, changed { $0.time = LogTime(seconds: 1_423_202_368) },
                changed { $0.time = LogTime(seconds: 1_423_402_367) },   // of another day
            ]
            for other in others {
                let receipt = try await archive.store(parcel(other))
                #expect(receipt == ArchiveReceipt(accepted: 0, duplicates: 0, conflicts: [conflict]), "\(other)")
            }
            // Beside others, and of two that come together the first is believed.
            let new = Golden.entry(5, at: 1_423_202_369, key: key(3)), twin = Golden.entry(6, at: 1_423_202_369, key: key(3))
            let mixed = try await archive.store(parcel(others[0], plain, new, twin, new))
            #expect(mixed.accepted == 1 && mixed.duplicates == 2 && mixed.conflicting == 2)
            #expect(mixed.conflicts == [conflict, ArchiveReceipt.Conflict(transaction: "T", key: "I:1:3")])
            let many = try await archive.store(parcel(others[0], others[1], others[2], others[3], others[4]))
            #expect(many.accepted == 0 && many.duplicates == 0 && many.conflicting == 5)
            #expect(many.conflicts == Array(repeating: conflict, count: ArchiveReceipt.maximumConflicts))
            let stored = changed { $0.errorDescription = "B\u{E9}\u{2400}d!" }
            #expect(try await archive.transaction("T", tenant: Tenant.standard)?.entries == [stored, plain, new])
            #expect(try await archive.counts(tenant: nil).entries == 3)
            // Of many, the first half of which is there; of these every third says something else.
            func numbered(_ numbers: Range<Int>, changing: (Int) -> Bool) -> TransactionParcel {
                let entries = numbers.map { number in
                    Golden.entry(changing(number) ? 1 : 0, at: 1_423_202_000 + Double(number), key: key(100 + Int64(number)))
                }
                return Golden.parcel(TransactionRecord(id: "many", usecase: 1, entries: entries))
            }
            #expect(try await archive.store(numbered(0..<63) { _ in false }).accepted == 63)
            let half = try await archive.store(numbered(0..<126) { $0 < 63 && $0 % 3 == 0 })
            #expect(half.accepted == 63 && half.duplicates == 42 && half.conflicting == 21)
        }

        /// Not everything that differs is another entry.
        static func theSameEntryIsNoConflict(_ archive: any Archive) async throws {
            #expect(try await archive.store(parcel(failure, plain)) == ArchiveReceipt(accepted: 2, duplicates: 0))
            // By a way without fractions of a second, or to an archive that has come by it that way; and without an offset.
            let duplicates = parcel(
                failure, changed { $0.time = LogTime(seconds: 1_423_202_367) }, changed { $0.offset = nil }, plain,
                Golden.entry(4, at: 1_423_202_368.5, key: key(2)))
            #expect(try await archive.store(duplicates) == ArchiveReceipt(accepted: 0, duplicates: 5))
            // Whoever knows more of the transaction, or something else.
            let known = TransactionRecord(id: "T", usecase: 9, deviceMake: "KVM", user: "v", appVersion: "2", entries: [failure, plain])
            #expect(try await archive.store(Golden.parcel(known, name: "P")) == ArchiveReceipt(accepted: 0, duplicates: 2))
            // In version 0.0.1, which has no keys, it is known by what it says.
            let unkeyed = parcel(changed { ($0.key, $0.offset, $0.time) = (nil, nil, LogTime(seconds: 1_423_202_367)) })
            #expect(try await archive.store(unkeyed) == ArchiveReceipt(accepted: 1, duplicates: 0))
            #expect(try await archive.store(unkeyed) == ArchiveReceipt(accepted: 0, duplicates: 1))
            // Of whom was erased nothing is said.
            #expect(try await archive.erase(user: "u", tenant: Tenant.standard, at: LogTime(seconds: 1_500_000_000)) == 1)
            let late = try await archive.store(parcel(changed { $0.event = 4 }))
            #expect(late == ArchiveReceipt(accepted: 0, duplicates: 0, erased: 1))
        }
    }
#endif
