public import LogbookCore

/// A place in the order of a tenant's transactions: by the time at which the first part of each was received, those of the same
/// microsecond by the bytes of their ids. What comes in later takes no place before what was there, so no page misses or repeats
/// a transaction, except what is received by several collectors within the differences of their clocks.
///
/// As a text it is for machines: what it says may change.
public struct TransactionCursor: Sendable, Hashable, CustomStringConvertible {
    /// To the microsecond.
    public var received: LogTime
    public var id: String

    public init(received: LogTime, id: String) {
        self.received = received
        self.id = id
    }

    /// Reads what ``description`` writes; nil for anything else.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let microseconds = Int64(parts[0]), parts[1].utf8.count % 2 == 0,
            parts[1].allSatisfy(\.isHexDigit)
        else { return nil }
        let (nanoseconds, isTooMuch) = microseconds.multipliedReportingOverflow(by: 1000)
        var bytes: [UInt8] = []
        var digits = Substring(parts[1])
        while !digits.isEmpty {
            guard let byte = UInt8(digits.prefix(2), radix: 16) else { return nil }
            bytes.append(byte)
            digits = digits.dropFirst(2)
        }
        guard !isTooMuch, let id = String(validating: bytes, as: UTF8.self) else { return nil }
        self.init(received: LogTime(nanoseconds: nanoseconds), id: id)
    }

    /// Fit for a query of a URL as it is.
    public var description: String {
        let hexadecimal = id.utf8.flatMap { [($0 >> 4).hexadecimalDigit, ($0 & 15).hexadecimalDigit] }
        return "\(received.microseconds).\(String(decoding: hexadecimal, as: UTF8.self))"
    }
}
