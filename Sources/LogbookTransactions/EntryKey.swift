internal import LogbookCore

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

    /// Reads what ``description`` writes, and the same with zeros before a number; nil for anything else.
    public init?(_ text: some StringProtocol) {
        var text = String(text)
        guard let key = text.withUTF8({ EntryKey(utf8: $0) { String(decoding: $0, as: UTF8.self) } }) else { return nil }
        self = key
    }

    /// The same, of a text's bytes.
    /// - Parameter name: Makes a text of the installation's bytes.
    init?(utf8 bytes: UnsafeBufferPointer<UInt8>, installation name: (UnsafeBufferPointer<UInt8>) -> String) {
        let colon = UInt8(ascii: ":")
        guard let first = bytes.firstIndex(of: colon), first > 0, let last = bytes.lastIndex(of: colon), last > first,
            let epoch = Self.natural(bytes[(first + 1)..<last]), let sequence = Self.natural(bytes[(last + 1)...])
        else { return nil }
        self.init(installation: name(UnsafeBufferPointer(rebasing: bytes[..<first])), epoch: epoch, sequence: sequence)
    }

    private static func natural(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> Int64? {
        if digits.isEmpty { return nil }
        var number: Int64 = 0
        for digit in digits {
            let (tens, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            guard case let value = digit &- 0x30, value < 10, !isTooLarge,
                case (let next, false) = tens.addingReportingOverflow(Int64(value))
            else { return nil }
            number = next
        }
        return number
    }

    /// `586AB00B-F16E-4AE6-8A91-0210264925C7:3:17`.
    public var description: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(installation.utf8.count + 42)   // two numbers of 20 characters
        bytes.append(utf8Of: installation)
        bytes.append(0x3A)
        bytes.append(decimal: epoch)
        bytes.append(0x3A)
        bytes.append(decimal: sequence)
        return String(decoding: bytes, as: UTF8.self)
    }
}
