internal import LogbookCore

/// Has a parcel for Splunk count as delivered only when the indexers say that they have it. What they do not acknowledge in time
/// is sent again. A token that has indexer acknowledgement switched off gives none: its parcels count as delivered when Splunk has read
/// them, and ``LogDiagnostics`` says so.
///
/// An acknowledgement is known only to the machine that took the parcel: behind a load balancer each connection must stay with one
/// machine. It takes the indexers seconds, during which other parcels can be on their way
/// (``DeliveryPolicy/parcelsInFlight``).
public struct SplunkAcknowledgement: Sendable, Hashable {
    /// Names this sender to Splunk: a GUID.
    public var channel: String
    /// How often Splunk is asked.
    public var interval: Duration
    /// After how long without an acknowledgement a parcel is sent again. Splunk forgets acknowledgements that nobody asks for, by
    /// default after ten minutes.
    public var limit: Duration

    /// - Parameter channel: A new one by default.
    public init(channel: String? = nil, interval: Duration = .seconds(2), limit: Duration = .seconds(300)) {
        self.channel = channel ?? UniqueID.make()
        self.interval = interval
        self.limit = limit
        check()
    }

    /// Ends the program where it cannot be: before a receiver's answer puts it to use.
    func check() {
        let groups = channel.split(separator: "-", omittingEmptySubsequences: false)
        requireValid(
            groups.map(\.utf8.count) == [8, 4, 4, 4, 12] && groups.joined().allSatisfy { $0.isASCII && $0.isHexDigit },
            "SplunkAcknowledgement.channel must be a GUID")
        requireValid(interval > .zero && limit >= interval, "SplunkAcknowledgement: interval and limit must be positive and in order")
    }
}
