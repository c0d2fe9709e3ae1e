internal import LogbookCore
internal import LogbookDelivery
internal import LogbookHTTP

/// The destination that is in force now; another may take its place while the program runs.
final class CurrentDestination: ChangingDestination {
    /// A destination, and how many there were before it.
    struct Term {
        var destination: any LogDestination
        var number = 0
    }
    private let state: Locked<Term>

    init(_ destination: any LogDestination) { state = Locked(Term(destination: destination)) }

    var term: Term { state.withLock { $0 } }
    var current: any Destination { term.destination }

    func change(to destination: any LogDestination) {
        state.withLock { $0 = Term(destination: destination, number: $0.number + 1) }
    }

    func request(for parcel: Parcel) throws -> HTTPRequest { try current.request(for: parcel) }

    func verdict(on response: HTTPResponse, for parcel: Parcel) -> DeliveryVerdict { current.verdict(on: response, for: parcel) }
}
