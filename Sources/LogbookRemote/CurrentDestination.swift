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
    var current: (destination: any Destination, number: Int) {
        let term = term
        return (destination: term.destination, number: term.number)
    }

    /// - Returns: Whether events go to another receiver from now on: one of another kind, or at another host or port. Where it cannot be
    ///   said where they go, or went, they do.
    func change(to destination: any LogDestination) -> Bool {
        let before = state.withLock { term in
            defer { term = Term(destination: destination, number: term.number + 1) }
            return term.destination
        }
        guard type(of: before) == type(of: destination), let origin = Self.origin(of: before) else { return true }
        return Self.origin(of: destination) != origin
    }

    /// `https://logs.example.com:8080`, of where it sends events; nil where it refuses to say.
    private static func origin(of destination: any LogDestination) -> String? {
        let parcel = Parcel(id: "", body: [], contentType: destination.contentType, count: 0, sealed: LogTime(nanoseconds: 0))
        guard let url = try? destination.request(for: parcel).url else { return nil }
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return parts.prefix(3).joined(separator: "/").prefix { $0 != "?" && $0 != "#" }.lowercased()
    }
}
