#if Collector
    internal import LogbookTransactions

    /// A page that was read, or one transaction, and its room until whoever asked has taken it.
    struct HeldPage: Sendable {
        let page: TransactionPage
        let share: ByteRoom.Share
    }

    /// Where pages are until they are taken.
    struct PageRooms: Sendable {
        /// For pages, and for larger transactions that fit beside them.
        let pages: ByteRoom
        /// For transactions that do not: one of a tenant, and two altogether.
        private let large = ByteRoom(bytes: 2 * TransactionPage.maximumBytesOfOne, isShared: { true })

        /// - Parameter isShared: Whether there are several tenants.
        init(bytes: Int, isShared: @escaping @Sendable () -> Bool) { pages = ByteRoom(bytes: bytes, isShared: isShared) }

        /// How many wait for room.
        var waitingCount: Int { pages.waitingCount + large.waitingCount }

        /// Reads a page once there is room for a whole one. How large a transaction is that comes alone is known when it is read: so one
        /// that is larger than a page is read while no other such one of the tenant is. Nobody waits here who has room already, so
        /// everybody comes to an end.
        /// - Parameters:
        ///   - tenant: Who asks.
        ///   - patience: How long to wait for room; nil waits however long it takes.
        ///   - read: Hears how large a transaction may be, as ``TransactionQuery/largest`` says.
        /// - Returns: Nil where there was no room for so long.
        func page(
            for tenant: String, within patience: Duration?, _ read: (_ largest: Int) async throws(ArchiveError) -> TransactionPage
        ) async throws(ArchiveError) -> HeldPage? {
            guard let share = await pages.wait(for: TransactionPage.maximumEstimatedBytes, of: tenant, within: patience) else { return nil }
            do throws(ArchiveError) {
                let page = try await read(TransactionPage.maximumEstimatedBytes)
                share.resize(to: page.estimatedBytes)
                return HeldPage(page: page, share: share)
            } catch .transactionTooLarge {
                share.resize(to: 0)
            }
            guard let turn = await large.wait(for: TransactionPage.maximumBytesOfOne, of: tenant, within: patience) else { return nil }
            let page = try await read(TransactionPage.maximumBytesOfOne)
            // One that would take all the room for pages leaves that to others.
            let bytes = page.estimatedBytes, part = pages.isLargeEnough(for: bytes) ? pages.take(bytes, of: tenant) : nil
            return HeldPage(page: page, share: part ?? turn)
        }
    }
#endif
