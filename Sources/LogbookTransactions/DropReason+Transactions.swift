public import LogbookCore

extension DropReason {
    /// It was said before a logout, or belongs to a transaction that began before one; see `TransactionLogProvider.deleteAll()`.
    public static let loggedOut = DropReason(rawValue: "logged_out")
}
