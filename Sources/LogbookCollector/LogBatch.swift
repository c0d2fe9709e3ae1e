public import LogbookCore

/// A batch of log events as it came in.
public struct LogBatch: Sendable, Equatable {
    public struct Item: Sendable, Equatable {
        public var event: LogEvent
        /// With the event's sequence the key of the event; nil where the sender gave none.
        public var origin: LogOrigin?

        public init(event: LogEvent, origin: LogOrigin?) {
            self.event = event
            self.origin = origin
        }
    }

    public var tenant: String
    /// What the sender calls it, the same on every attempt; nil where the sender knows nothing of parcels.
    public var parcel: String?
    public var items: [Item]
    public var received: LogTime

    public init(tenant: String = Tenant.standard, parcel: String?, items: [Item], received: LogTime) {
        self.tenant = tenant
        self.parcel = parcel
        self.items = items
        self.received = received
    }
}
