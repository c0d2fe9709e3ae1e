internal import LogbookCore
internal import LogbookDelivery
internal import LogbookHTTP

/// The destination that is in force now; another may take its place while the program runs.
final class CurrentDestination: Destination {
    /// A destination, and how many there were before it.
    struct Term {
        var destination: any LogDestination
        var number = 0
    }
    private let state: Locked<(term: Term, asked: any LogDestination)>

    init(_ destination: any LogDestination) { state = Locked((Term(destination: destination), destination)) }

    var term: Term { state.withLock { $0.term } }

    func change(to destination: any LogDestination) {
        state.withLock { $0.term = Term(destination: destination, number: $0.term.number + 1) }
    }

    func request(for parcel: Parcel) throws -> HTTPRequest {
        let destination = state.withLock { state in
            state.asked = state.term.destination
            return state.asked
        }
        return try destination.request(for: parcel)
    }

    /// The answer is judged by the one that made the request.
    func verdict(on response: HTTPResponse, for parcel: Parcel) -> DeliveryVerdict {
        state.withLock { $0.asked }.verdict(on: response, for: parcel)
    }
}
