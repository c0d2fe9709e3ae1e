/// Names one entry for good: a receiver that meets a key again has the entry already.
public struct EntryKey: Sendable, Hashable, CustomStringConvertible {
    /// Made once per store; a UUID in ours, never with a colon.
    public let installation: String
    /// Higher with each opening of the store; in ours by a random step, so that a copy of the store gives other keys.
    public let epoch: Int64
    /// Counts the entries of the epoch, from 1.
    public let sequence: Int64

    public init(installation: String, epoch: Int64, sequence: Int64) {
        self.installation = installation
        self.epoch = epoch
        self.sequence = sequence
    }

    /// Reads what ``description`` writes; nil for anything else.
    public init?(_ text: some StringProtocol) {
        let text = Substring(text), bytes = text.utf8, colon = UInt8(ascii: ":")
        guard let last = bytes.lastIndex(of: colon), let first = bytes[..<last].firstIndex(of: colon), first > bytes.startIndex,
            let epoch = Int64(text[bytes.index(after: first)..<last]), let sequence = Int64(text[bytes.index(after: last)...]),
            epoch >= 0, sequence >= 0
        else { return nil }
        self.init(installation: String(text[..<first]), epoch: epoch, sequence: sequence)
    }

    /// `586AB00B-F16E-4AE6-8A91-0210264925C7:3:17`.
    public var description: String { "\(installation):\(epoch):\(sequence)" }
}
