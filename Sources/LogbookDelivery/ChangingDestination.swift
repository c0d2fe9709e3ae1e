package import LogbookHTTP

/// A destination that another may take the place of while parcels are on their way: whoever makes a request judges its answer.
package protocol ChangingDestination: Destination {
    /// The one that is in force now, and how many there were before it.
    var current: (destination: any Destination, number: Int) { get }
}

extension ChangingDestination {
    package func request(for parcel: Parcel) throws -> HTTPRequest { try current.destination.request(for: parcel) }

    package func verdict(on response: HTTPResponse, for parcel: Parcel) -> DeliveryVerdict {
        current.destination.verdict(on: response, for: parcel)
    }
}
