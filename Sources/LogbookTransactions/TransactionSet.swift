/// Transactions as they travel together: one request's body.
///
/// ```json
/// {"apptxns":[{"apptxn/id":"TXN17-586A…","apptxn/usecase":17,"apptxn/user-agent-device-make":"iPhone7,2",
///  "apptxn/logs":[{"apptxnlog/usecase-event":0,"apptxnlog/in-ctx-err-code":null,
///  "apptxnlog/timestamp":"Fri, 06 Feb 2015 05:59:27 GMT"}]}]}
/// ```
public struct TransactionSet: Sendable, Hashable {
    public var transactions: [TransactionRecord]
    public init(transactions: [TransactionRecord] = []) { self.transactions = transactions }

    public var entryCount: Int { transactions.reduce(0) { $0 + $1.entries.count } }
}
