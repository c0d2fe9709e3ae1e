/// What became of one delivery: every entry or event is one of the four.
public struct ArchiveReceipt: Sendable, Hashable {
    /// An entry that was not stored, since another one stands under its key.
    public struct Conflict: Sendable, Hashable {
        /// The id of the transaction in which it was sent.
        public var transaction: String
        /// `586AB00B-F16E-4AE6-8A91-0210264925C7:3:17`.
        public var key: String

        public init(transaction: String, key: String) {
            self.transaction = transaction
            self.key = key
        }
    }

    /// Of ``conflicts`` at most: enough to find out who gives keys twice.
    public static let maximumConflicts = 3

    public var accepted: Int
    /// Were stored before.
    public var duplicates: Int
    /// Entries that were not stored since what stands under their keys says something else, which stays. Whoever sent them can do nothing
    /// better with them, so they are answered for as all others.
    public private(set) var conflicting = 0
    /// The first of these.
    public private(set) var conflicts: [Conflict] = []
    /// Were not stored since whom they belong to was erased.
    public var erased: Int

    /// - Parameter conflicts: All of them; of those beyond ``maximumConflicts`` only the number is kept.
    public init(accepted: Int, duplicates: Int, conflicts: [Conflict] = [], erased: Int = 0) {
        self.accepted = accepted
        self.duplicates = duplicates
        self.erased = erased
        for conflict in conflicts { add(conflict) }
    }

    mutating func add(_ conflict: Conflict) {
        conflicting += 1
        if conflicts.count < Self.maximumConflicts { conflicts.append(conflict) }
    }
}
