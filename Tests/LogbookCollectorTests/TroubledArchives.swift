#if Collector
    import LogbookCollector
    import LogbookCore
    import LogbookTransactions

    /// An archive that hands everything on to another, for those that differ from it in something.
    protocol WrappingArchive: Archive {
        var archive: any Archive { get }
    }

    extension WrappingArchive {
        func store(_ parcel: TransactionParcel) async throws(ArchiveError) -> ArchiveReceipt { try await archive.store(parcel) }
        func store(_ batch: LogBatch) async throws(ArchiveError) -> ArchiveReceipt { try await archive.store(batch) }
        func transaction(_ id: String, tenant: String, largest: Int) async throws(ArchiveError) -> TransactionRecord? {
            try await archive.transaction(id, tenant: tenant, largest: largest)
        }
        func transactions(_ query: TransactionQuery) async throws(ArchiveError) -> TransactionPage {
            try await archive.transactions(query)
        }
        func erase(user: String, tenant: String, at time: LogTime) async throws(ArchiveError) -> Int {
            try await archive.erase(user: user, tenant: tenant, at: time)
        }
        func remove(receivedBefore time: LogTime, limit: Int) async throws(ArchiveError) -> Int {
            try await archive.remove(receivedBefore: time, limit: limit)
        }
        var removalStep: Int { archive.removalStep }
        func counts(tenant: String?) async throws(ArchiveError) -> ArchiveCounts { try await archive.counts(tenant: tenant) }
        func bytesSent(on day: Int64) async throws(ArchiveError) -> [String: Int] { try await archive.bytesSent(on: day) }
        func addBytesSent(_ bytes: [String: Int], on day: Int64) async throws(ArchiveError) {
            try await archive.addBytesSent(bytes, on: day)
        }
        func checkWritable() async throws(ArchiveError) { try await archive.checkWritable() }
        func reusableBytes() async throws(ArchiveError) -> Int { try await archive.reusableBytes() }
        func giveBackRoom() async throws(ArchiveError) { try await archive.giveBackRoom() }
        func storedBytes() async throws(ArchiveError) -> Int? { try await archive.storedBytes() }
        func timeOfOldest(_ count: Int, from time: LogTime) async throws(ArchiveError) -> LogTime? {
            try await archive.timeOfOldest(count, from: time)
        }
    }

    /// An archive that never works.
    final class FailingArchive: Archive {
        private let failure = ArchiveError.unavailable(reason: "disk I/O error at /secret/path; INSERT INTO entries")
        func store(_ parcel: TransactionParcel) async throws(ArchiveError) -> ArchiveReceipt { throw failure }
        func store(_ batch: LogBatch) async throws(ArchiveError) -> ArchiveReceipt { throw failure }
        func transaction(_ id: String, tenant: String, largest: Int) async throws(ArchiveError) -> TransactionRecord? { throw failure }
        func transactions(_ query: TransactionQuery) async throws(ArchiveError) -> TransactionPage { throw failure }
        func erase(user: String, tenant: String, at time: LogTime) async throws(ArchiveError) -> Int { throw failure }
        func remove(receivedBefore time: LogTime, limit: Int) async throws(ArchiveError) -> Int { throw failure }
        func counts(tenant: String?) async throws(ArchiveError) -> ArchiveCounts { throw failure }
        func checkWritable() async throws(ArchiveError) { throw failure }
    }

    /// An archive that counts how often it is asked whether it can be written, and what room it has.
    final class CountingArchive: WrappingArchive {
        let archive: any Archive
        private let counts = Locked((checks: 0, roomInquiries: 0))
        var checks: Int { counts.withLock { $0.checks } }
        var roomInquiries: Int { counts.withLock { $0.roomInquiries } }
        init(_ archive: any Archive) { self.archive = archive }

        func checkWritable() async throws(ArchiveError) {
            counts.withLock { $0.checks += 1 }
            try await archive.checkWritable()
        }

        func reusableBytes() async throws(ArchiveError) -> Int {
            counts.withLock { $0.roomInquiries += 1 }
            return try await archive.reusableBytes()
        }
    }

    /// An archive that stores, and then says once that it cannot tell.
    final class ForgetfulArchive: WrappingArchive {
        let archive: any Archive
        private let hasForgotten = Locked(false)
        init(_ archive: any Archive) { self.archive = archive }

        private func forget() throws(ArchiveError) {
            let isFirst = hasForgotten.withLock { hasForgotten in
                defer { hasForgotten = true }
                return !hasForgotten
            }
            if isFirst { throw .unavailable(reason: "the commit failed, or did not") }
        }

        func store(_ parcel: TransactionParcel) async throws(ArchiveError) -> ArchiveReceipt {
            let receipt = try await archive.store(parcel)
            try forget()
            return receipt
        }

        func store(_ batch: LogBatch) async throws(ArchiveError) -> ArchiveReceipt {
            let receipt = try await archive.store(batch)
            try forget()
            return receipt
        }
    }
#endif
