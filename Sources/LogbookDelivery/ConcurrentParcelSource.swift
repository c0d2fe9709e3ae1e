/// A source that may have several of its parcels on their way at the same time; see ``DeliveryPolicy/parcelsInFlight``. Each of
/// those may be settled, split or taken apart before any other.
public protocol ConcurrentParcelSource: ParcelSource {
    /// The oldest parcel whose fate is not known and whose id is not among those on their way; the same one, with the same bytes,
    /// until it is settled. Also asked for while as many are on their way as may be, so that it is ready in time.
    func nextParcel(besides onTheirWay: Set<String>) throws -> Parcel?
}

extension ConcurrentParcelSource {
    public func nextParcel() throws -> Parcel? { try nextParcel(besides: []) }
}
