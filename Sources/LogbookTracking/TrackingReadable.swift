/// A type that lets plans read values that it does not store: `$self.total` for a computed `total`.
public protocol TrackingReadable {
    /// Nil for a name that is not offered; stored properties are found all the same.
    func trackingValue(_ name: String) -> Any?
}

/// A type whose instances say themselves whether a plan's `instances` means them.
public protocol TrackingMarked {
    var trackingMark: String? { get }
}
