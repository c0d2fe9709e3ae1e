internal import LogbookCore
internal import LogbookDelivery

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
    var current: (destination: any Destination, number: Int) {
        let term = term
        return (destination: term.destination, number: term.number)
    }

    func change(to destination: any LogDestination) {
        state.withLock { $0 = Term(destination: destination, number: $0.number + 1) }
    }
}
