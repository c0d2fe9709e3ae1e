package import LogbookHTTP

/// A destination that another may take the place of while parcels are on their way: whoever makes a request judges its answer.
package protocol ChangingDestination: Destination {
    /// The one that is in force now, and how many there were before it.
    var current: (destination: any Destination, number: Int) { get }
    /// False while nobody is to be sent to; then the source gives no parcels. True unless it says otherwise. Asked for under the courier's
    /// lock: it waits for nobody. Who sets an address or takes it away wakes the courier.
    var hasAddress: Bool { get }
}

extension ChangingDestination {
    package var hasAddress: Bool { true }

    package func request(for parcel: Parcel) throws -> HTTPRequest { try current.destination.request(for: parcel) }

    package func verdict(on response: HTTPResponse, for parcel: Parcel) -> DeliveryVerdict {
        current.destination.verdict(on: response, for: parcel)
    }
}
