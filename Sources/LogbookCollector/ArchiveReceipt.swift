/// What became of one delivery: every entry or event is one or the other.
public struct ArchiveReceipt: Sendable, Hashable {
    public var accepted: Int
    /// Were stored before.
    public var duplicates: Int

    public init(accepted: Int, duplicates: Int) {
        self.accepted = accepted
        self.duplicates = duplicates
    }
}
