internal import LogbookCore
public import LogbookHTTP

/// A question to a receiver that has read a parcel and says later whether it has kept it. The parcel is on its way until then.
public struct DeliveryInquiry: Sendable, Hashable {
    /// What the receiver calls the parcel.
    public var name: String
    public var request: HTTPRequest
    /// How long to wait before the question, and before it is asked again.
    public var interval: Duration
    /// How long the receiver may take, counted from its first answer. After that the next "not yet" has the parcel sent again.
    public var limit: Duration

    public init(name: String, request: HTTPRequest, interval: Duration, limit: Duration) {
        requireValid(interval > .zero && limit >= interval, "DeliveryInquiry: interval and limit must be positive and in order")
        self.name = name
        self.request = request
        self.interval = interval
        self.limit = limit
    }
}
