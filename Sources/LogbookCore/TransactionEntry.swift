/// What one event says about a transaction: that it began, or that something happened in it.
public struct TransactionEntry: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        /// The transaction was made; nothing has happened in it yet.
        case began
        /// The use case's event of this number happened.
        case happened(Int)
    }

    /// `TXN<usecase>-<UUID>`; an opaque word for everyone who receives it.
    public let transactionID: String
    /// The number of the use case, from the application's own list.
    public let usecase: Int
    public let kind: Kind
    /// Code of an error that occurred in the context of the event; the application gives it its meaning.
    public let errorCode: Int?
    public let errorDescription: String?
    public let device: DeviceFacts
    /// When it was said, by the service's monotonic clock; nil for an entry that was read back. Entries are equal when they say the
    /// same, whenever that was.
    @usableFromInline package internal(set) var uptime: UInt64?
    /// When the ``LogTransaction`` was made that said it, by the same clock; nil where none did.
    @usableFromInline package internal(set) var madeAt: UInt64?
    /// Whether who said it goes on with a transaction that began elsewhere; see ``LogService/transaction(continuing:usecase:device:)``.
    @usableFromInline package internal(set) var isContinued = false

    public init(
        transactionID: String, usecase: Int, kind: Kind, errorCode: Int? = nil, errorDescription: String? = nil,
        device: DeviceFacts
    ) {
        self.transactionID = transactionID
        self.usecase = usecase
        self.kind = kind
        self.errorCode = errorCode
        self.errorDescription = errorDescription
        self.device = device
    }

    /// The use case's event number; nil for the beginning.
    @inlinable
    public var event: Int? {
        if case .happened(let number) = kind { number } else { nil }
    }

    public static func == (left: TransactionEntry, right: TransactionEntry) -> Bool {
        left.transactionID == right.transactionID && left.usecase == right.usecase && left.kind == right.kind
            && left.errorCode == right.errorCode && left.errorDescription == right.errorDescription && left.device == right.device
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(transactionID)
        hasher.combine(kind)
        hasher.combine(errorCode)
    }

    /// The same event said at `uptime`.
    func said(at uptime: UInt64?) -> TransactionEntry {
        var entry = self
        entry.uptime = uptime
        return entry
    }

    /// The same event said when, and by whom, the other was.
    package func said(as other: TransactionEntry) -> TransactionEntry {
        var entry = self
        entry.uptime = other.uptime
        entry.madeAt = other.madeAt
        entry.isContinued = other.isContinued
        return entry
    }
}

extension TransactionEntry: CustomStringConvertible {
    /// `TXN17-… began`, `TXN17-… event 2`, `TXN17-… event 2, error 42: Baad!`.
    public var description: String {
        // In one piece: made of several it would be copied with each of them.
        let capacity = transactionID.utf8.count + (errorDescription?.utf8.count ?? 0) + 64   // the words, and numbers of 20 digits
        return String(unsafeUninitializedCapacity: capacity) { memory in
            guard let start = memory.baseAddress else { return 0 }
            var next = Self.put(transactionID, at: start)
            switch kind {
            case .began: next = Self.put(literal: " began", at: next)
            case .happened(let event):
                next = Self.put(literal: " event ", at: next)
                next += writeDecimal(UInt64(event.magnitude), isNegative: event < 0, to: next)
            }
            if errorCode != nil || errorDescription != nil { next = Self.put(literal: ", error", at: next) }
            if let errorCode {
                next = Self.put(literal: " ", at: next)
                next += writeDecimal(UInt64(errorCode.magnitude), isNegative: errorCode < 0, to: next)
            }
            if let errorDescription {
                next = Self.put(literal: ": ", at: next)
                next = Self.put(errorDescription, at: next)
            }
            return next - start
        }
    }

    /// - Returns: Where it ends.
    private static func put(_ text: String, at place: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
        var text = text
        return text.withUTF8 { bytes in
            if let first = bytes.baseAddress { place.initialize(from: first, count: bytes.count) }
            return place + bytes.count
        }
    }

    private static func put(literal: StaticString, at place: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
        place.initialize(from: literal.utf8Start, count: literal.utf8CodeUnitCount)   // no single scalar: there is text to point to
        return place + literal.utf8CodeUnitCount
    }
}
