internal import LogbookDelivery

/// Archives as requests, as the request says that is in force when they are made.
struct CurrentFileDestination: ChangingDestination {
    let inForce: CurrentRequest
    let halve: @Sendable (Parcel) -> Bool

    var current: (destination: any Destination, number: Int) {
        let term = inForce.term
        return (destination: FileDestination(template: term.request, halve: halve), number: term.number)
    }
}
