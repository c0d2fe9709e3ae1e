public import LogbookCore
public import LogbookTransactions

/// Some of the transactions that were asked for, each with all its entries, in the order of ``TransactionCursor``.
public struct TransactionPage: Sendable, Hashable {
    /// Entries of one page at most, so that no page takes all the memory; one transaction alone may have more.
    public static let maximumEntries = 10_000
    /// The same of UTF-8 bytes of texts: ids, what else is known of a transaction, and what its entries say of errors and devices. 8 MiB;
    /// as it travels a page may take some more.
    public static let maximumBytes = 8 << 20

    /// Bytes that one transaction takes in memory at most, about, with which it is given at all: a million entries of short texts. 256 MiB.
    public static let maximumBytesOfOne = 256 << 20

    /// At most as many as were asked for; fewer, though more follow, where they have very many entries or long texts.
    public var transactions: [TransactionRecord]
    /// When the first part of each was received, which with its id is its place. In the order of the transactions; none where they were not
    /// asked for as a page.
    public var received: [LogTime]
    /// Where the next page begins; nil when this is the last.
    public var next: TransactionCursor?

    public init(transactions: [TransactionRecord] = [], received: [LogTime] = [], next: TransactionCursor? = nil) {
        self.transactions = transactions
        self.received = received
        self.next = next
    }

    /// The place of the transaction of that index: whoever reads on from there gets what stands behind it. Nil where it is not known.
    public func place(of index: Int) -> TransactionCursor? {
        index < received.count ? TransactionCursor(received: received[index], id: transactions[index].id) : nil
    }
}
