#if Collector
    internal import LogbookCore
    internal import LogbookTransactions

    // The device that a set names for a transaction's entries. An archive believes of the transaction's own what was said first, and keeps
    // with the entries which device their set named, where that was another one: where both say a fact, and not the same.
    extension DeviceFacts {
        /// UTF-8 bytes of each fact that are kept with an entry, at most. A set says a device once for any number of entries: kept with
        /// each of them, a long one would take very much more room than it has come with.
        static let maximumEntryBytes = 256

        /// What an element of a set names, as an archive keeps texts; nil where it names none.
        static func named(in transaction: TransactionRecord) -> DeviceFacts? {
            known(
                make: transaction.deviceMake?.storable, os: transaction.deviceOS?.storable,
                osVersion: transaction.deviceOSVersion?.storable)
        }

        /// As it is kept with an entry. A fact that was cut ends in the service's mark: `… [cut from 70000 bytes]`.
        var ofEntry: DeviceFacts {
            func cut(_ fact: String) -> String { LogLimits.cut(fact, toFit: Self.maximumEntryBytes) }
            return DeviceFacts(make: cut(make), os: cut(os), osVersion: cut(osVersion))
        }

        /// Whether both know a fact, and not the same.
        func contradicts(_ other: DeviceFacts) -> Bool {
            func differ(_ fact: String, _ others: String) -> Bool {
                !fact.isEmpty && !others.isEmpty && !fact.isSameText(as: others)
            }
            return differ(make, other.make) || differ(os, other.os) || differ(osVersion, other.osVersion)
        }

        /// Adds a column for each fact that is known.
        func addAsOwn(to row: inout ArchiveRow) {
            if !make.isEmpty { row.add("own_device_make", make) }
            if !os.isEmpty { row.add("own_device_os", os) }
            if !osVersion.isEmpty { row.add("own_device_os_version", osVersion) }
        }
    }

    extension TransactionSet {
        /// Bytes, about, of what its elements say of devices, where that is kept with each of their entries.
        var deviceBytesOfEntries: Int {
            func bytes(_ fact: String?) -> Int { fact.map { Self.escapedBytes($0.utf8.prefix(DeviceFacts.maximumEntryBytes)) } ?? 0 }
            return transactions.reduce(0) { sum, transaction in
                let each = bytes(transaction.deviceMake) + bytes(transaction.deviceOS) + bytes(transaction.deviceOSVersion)
                return sum + each * transaction.entries.count
            }
        }

        /// Bytes, about, of the transactions' ids, where each of their entries names its own.
        var idBytesOfEntries: Int {
            transactions.reduce(0) { $0 + Self.escapedBytes($1.id.utf8) * $1.entries.count }
        }

        /// As they travel to the larger archives, in JSON.
        private static func escapedBytes(_ text: some Sequence<UInt8>) -> Int { text.reduce(0) { $0 + ($1 < 0x20 ? 6 : 1) } }
    }

    extension TransactionParcel {
        /// The same with a set as it travels: no entry in it has a device of its own.
        var withDevicesApart: TransactionParcel {
            var parcel = self
            parcel.set = set.withDevicesApart
            return parcel
        }
    }
#endif
