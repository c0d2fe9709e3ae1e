public import LogbookCore

extension DropReason {
    /// It was said before a logout, or belongs to a transaction that began before one; see `TransactionLogProvider.deleteAll()`. So is
    /// counted what was said of a user who has been erased since.
    public static let loggedOut = DropReason(rawValue: "logged_out")
    /// It was stored, and its user was erased before it was delivered; see `TransactionLogProvider.erase(user:)`.
    public static let erased = DropReason(rawValue: "erased")
}
