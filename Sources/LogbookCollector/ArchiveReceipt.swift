/// What became of one delivery: every entry or event is one of the three.
public struct ArchiveReceipt: Sendable, Hashable {
    public var accepted: Int
    /// Were stored before.
    public var duplicates: Int
    /// Were not stored since whom they belong to was erased.
    public var erased: Int

    public init(accepted: Int, duplicates: Int, erased: Int = 0) {
        self.accepted = accepted
        self.duplicates = duplicates
        self.erased = erased
    }
}
