/// What a courier does, as it happens: for logs, counters and tests.
public enum CourierEvent: Sendable, Hashable {
    case attempting(parcel: String)
    /// The receiver has it, and the source knows.
    case delivered(parcel: String, count: Int)
    /// The parcel is kept. `status` is nil when no answer came.
    case willRetry(parcel: String, after: Duration, reason: String, status: Int?, askedByReceiver: Bool)
    /// The parcel is kept until ``Courier/reconfigured()`` or the end of ``DeliveryPolicy/misconfiguredPause``.
    case misconfigured(parcel: String, reason: String, status: Int?)
    /// The parcel was too large for the receiver, or refused as a whole, and goes on in smaller ones.
    case split(parcel: String, reason: String)
    /// The receiver will never take `count` of its entries, and the source knows.
    case rejected(parcel: String, count: Int, reason: String)
}
