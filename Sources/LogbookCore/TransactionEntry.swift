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
        entry.isContinued = other.isContinued
        return entry
    }
}

extension TransactionEntry: CustomStringConvertible {
    /// `TXN17-… began`, `TXN17-… event 2`, `TXN17-… event 2, error 42: Baad!`.
    public var description: String {
        var text = transactionID
        switch kind {
        case .began: text += " began"
        case .happened(let event): text += " event \(event)"
        }
        if errorCode != nil || errorDescription != nil {
            text += ", error" + (errorCode.map { " \($0)" } ?? "") + (errorDescription.map { ": \($0)" } ?? "")
        }
        return text
    }
}
