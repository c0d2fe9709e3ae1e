#if Collector
    internal import LogbookTransactions

    /// What a transaction takes of a page.
    struct PageWeight: Equatable {
        var entries: Int
        /// UTF-8 bytes of its texts: its id, what else is known of it, and the descriptions and own devices of its entries.
        var bytes: Int
    }

    extension PageWeight {
        /// Of the transaction without its entries.
        init(headOf transaction: TransactionRecord) {
            let facts = [
                transaction.deviceMake, transaction.deviceOS, transaction.deviceOSVersion, transaction.user, transaction.variant,
                transaction.appVersion, transaction.session, transaction.installation,
            ]
            self.init(entries: 0, bytes: facts.reduce(transaction.id.utf8.count) { $0 + ($1?.utf8.count ?? 0) })
        }

        mutating func add(_ entry: EntryRecord) {
            entries += 1
            bytes += entry.errorDescription?.utf8.count ?? 0
            if let device = entry.device { bytes += device.make.utf8.count + device.os.utf8.count + device.osVersion.utf8.count }
        }

        /// Of a transaction or an entry beside its texts, about: numbers in memory, and their names as they travel.
        private static let bytesBesideTexts = 256

        /// About what the transaction takes in memory, or as it travels.
        var estimatedBytes: Int { bytes + (1 + entries) * Self.bytesBesideTexts }

        /// Whether it is too much for a page of its own.
        /// - Parameter largest: As ``TransactionQuery/largest``.
        func isTooMuch(for largest: Int) -> Bool { estimatedBytes > largest }
    }

    extension TransactionPage {
        /// About what a page of several transactions takes in memory at most.
        static let maximumEstimatedBytes = PageWeight(entries: maximumEntries, bytes: maximumBytes).estimatedBytes

        /// About what the page takes in memory, or as it travels.
        var estimatedBytes: Int {
            transactions.reduce(0) { sum, transaction in
                var weight = PageWeight(headOf: transaction)
                for entry in transaction.entries { weight.add(entry) }
                return sum + weight.estimatedBytes
            }
        }
    }

    /// What there is room for on a page.
    struct PageRoom {
        private let limit: Int
        private var transactions = 0
        private var taken = PageWeight(entries: 0, bytes: 0)

        /// - Parameter limit: Transactions at most.
        init(limit: Int) { self.limit = limit }

        var isEmpty: Bool { transactions == 0 }

        /// Whether the next transaction has room. The first one always has: pages end before a large one, and it is given all the same,
        /// unless it is too much for any page.
        func holds(_ weight: PageWeight) -> Bool {
            if transactions == 0 { return true }
            return transactions < limit && taken.entries + weight.entries <= TransactionPage.maximumEntries
                && taken.bytes + weight.bytes <= TransactionPage.maximumBytes
        }

        mutating func take(_ weight: PageWeight) {
            transactions += 1
            taken.entries += weight.entries
            taken.bytes += weight.bytes
        }

        /// How many of the transactions that were found make a page.
        static func count(of found: [PageWeight], limit: Int) -> Int {
            var room = PageRoom(limit: limit)
            for (index, weight) in found.enumerated() {
                guard room.holds(weight) else { return index }
                room.take(weight)
            }
            return found.count
        }
    }
#endif
