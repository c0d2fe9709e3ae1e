/// What a receiver said about the single entries of one parcel, by their place in it, `0..<count`. What is not named here, it has.
public struct EntryFates: Sendable, Hashable {
    /// Entries that the receiver will never take, each with its reason in words.
    public var rejected: [Int: String]
    /// Entries that it may take later.
    public var again: Set<Int>

    public init(rejected: [Int: String] = [:], again: Set<Int> = []) {
        self.rejected = rejected
        self.again = again
    }

    /// Without places that the parcel does not have, and with each entry in one list only: what may be taken later is not lost.
    func within(_ count: Int) -> EntryFates {
        let again = again.filter { (0..<count).contains($0) }
        return EntryFates(rejected: rejected.filter { (0..<count).contains($0.key) && !again.contains($0.key) }, again: again)
    }

    /// The first reason.
    var summary: String { rejected.min { $0.key < $1.key }?.value ?? "the receiver was busy" }
}
