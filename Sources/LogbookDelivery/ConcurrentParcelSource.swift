/// A source that may have several of its parcels on their way at the same time; see ``DeliveryPolicy/parcelsInFlight``. Each of
/// those may be settled, split or taken apart before any other.
public protocol ConcurrentParcelSource: ParcelSource {
    /// The oldest parcel whose fate is not known and whose id is not among those on their way; the same one, with the same bytes,
    /// until it is settled.
    func nextParcel(besides onTheirWay: Set<String>) throws -> Parcel?

    /// Whether the next parcel is asked for also while as many are on their way as may be, so that it is ready in time: for a source that
    /// reads and compresses what it gives, and holds no more in memory for it than one parcel. False unless it says otherwise.
    var preparesNextParcel: Bool { get }
}

extension ConcurrentParcelSource {
    public var preparesNextParcel: Bool { false }

    public func nextParcel() throws -> Parcel? { try nextParcel(besides: []) }
}
