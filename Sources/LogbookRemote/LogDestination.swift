public import LogbookDelivery
internal import LogbookFormat

/// One kind of receiver of log events: how events are written for it, how a parcel of them becomes a request, and what its
/// answer means.
///
/// A destination is a value: two that are equal send the same bytes for the same events. Whoever writes one says at least
/// ``Destination/request(for:)`` and ``Destination/verdict(on:for:)``; the rest is there for receivers of JSON lines.
public protocol LogDestination: Destination {
    /// What the body is. `application/x-ndjson` unless said otherwise.
    var contentType: String { get }
    /// Whether bodies may be compressed with gzip; true unless said otherwise.
    var takesGzip: Bool { get }
    /// What the receiver takes in one request. Smaller limits of the provider hold as well.
    var limits: DestinationLimits { get }
    /// Writes the events of one parcel, never none, in their order. The same events give the same bytes, always: a parcel is sent
    /// again as it was. Where the receiver answers for single events, ``EntryFates`` count them in this order.
    func encode(_ events: [KeyedEvent]) -> [UInt8]
}

extension LogDestination {
    public var contentType: String { "application/x-ndjson" }
    public var takesGzip: Bool { true }
    public var limits: DestinationLimits { DestinationLimits() }
    public func encode(_ events: [KeyedEvent]) -> [UInt8] { JSONLines.encode(events) }
}

/// A destination whose body may be our own lines, which a spool holds already.
protocol LineDestination {
    var takesJSONLines: Bool { get }
}

extension LineDestination {
    var takesJSONLines: Bool { true }
}

enum JSONLines {
    static func encode(_ events: [KeyedEvent]) -> [UInt8] {
        var bytes: [UInt8] = []
        for event in events { append(event, to: &bytes) }
        return bytes
    }

    /// One line and its newline; a parcel has limits of its own.
    static func append(_ event: KeyedEvent, to bytes: inout [UInt8]) {
        JSONLineFormat(origin: event.origin, limits: .highest).append(event.event, to: &bytes)
    }

    /// The same without its newline: an object.
    static func appendObject(_ event: KeyedEvent, to bytes: inout [UInt8]) {
        append(event, to: &bytes)
        bytes.removeLast()
    }
}
