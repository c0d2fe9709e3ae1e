internal import LogbookCore

/// The request that is in force now; another may take its place while the program runs.
final class CurrentRequest: Sendable {
    /// A request, and how many there were before it.
    struct Term: Sendable {
        let request: UploadRequest
        let number: Int
    }
    private let state: Locked<Term>

    init(_ request: UploadRequest) { state = Locked(Term(request: request, number: 0)) }

    var term: Term { state.withLock { $0 } }

    /// - Returns: Whether files go to another address from now on.
    func change(to request: UploadRequest) -> Bool {
        state.withLock { term in
            defer { term = Term(request: request, number: term.number + 1) }
            return term.request.url != request.url
        }
    }
}
