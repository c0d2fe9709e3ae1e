public import LogbookCore

/// One event of a transaction, as it is stored and sent.
public struct EntryRecord: Sendable, Hashable {
    /// The use case's event number.
    public var event: Int
    /// Code of an error that occurred in the context of the event; independent of the description.
    public var errorCode: Int?
    public var errorDescription: String?
    /// To the microsecond in the store and in version 0.0.2, to the second in version 0.0.1.
    public var time: LogTime
    /// Nil where the sender gave none: version 0.0.1 cannot carry it.
    public var key: EntryKey?
    /// Nanoseconds since the transaction's session began, by a clock that no one sets, `0...`; to the microsecond. Nil for an entry that
    /// was logged in another session, and where the sender gave none: version 0.0.1 cannot carry it.
    public var offset: Int64?
    /// The device of a set that named another one than the transaction's, such as a server's own; a fact that the set did not say is empty.
    /// Nil where it is the transaction's, and where nobody said it. Archives of the collector know it: a client's store holds one device
    /// for a transaction.
    public var device: DeviceFacts?

    public init(
        event: Int, errorCode: Int? = nil, errorDescription: String? = nil, time: LogTime, key: EntryKey? = nil,
        offset: Int64? = nil, device: DeviceFacts? = nil
    ) {
        self.event = event
        self.errorCode = errorCode
        self.errorDescription = errorDescription
        self.time = time
        self.key = key
        self.offset = offset
        self.device = device
    }
}
