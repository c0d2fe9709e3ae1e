public import LogbookCore

/// A place in the order of a tenant's transactions: by the time at which the first part of each was received, those of the same
/// microsecond by the bytes of their ids. That does not change, so no page misses or repeats a transaction that was stored when the first
/// page was read, and stays.
///
/// A transaction takes its place when it is received, and is there once the archive has committed: a moment later, or a minute or two where
/// storing is slow or tried again. Meanwhile others may have taken later places, also with several collectors whose clocks differ. Whoever
/// has passed its place by then does not come to it any more: a cursor is for reading what there is from one end to the other, and not for
/// hearing once of everything that comes in. For that, begin some minutes before the latest place that was seen, and pass over the ids that
/// are known.
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
