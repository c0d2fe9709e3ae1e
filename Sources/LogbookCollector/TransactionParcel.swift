public import LogbookCore
public import LogbookTransactions

/// A transaction set as it came in.
public struct TransactionParcel: Sendable, Hashable {
    public var tenant: String
    /// What the sender calls it, the same on every attempt; nil where the sender knows nothing of parcels.
    public var parcel: String?
    public var set: TransactionSet
    public var received: LogTime

    public init(tenant: String = Tenant.standard, parcel: String?, set: TransactionSet, received: LogTime) {
        self.tenant = tenant
        self.parcel = parcel
        self.set = set
        self.received = received
    }
}
