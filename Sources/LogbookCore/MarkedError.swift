/// What is known about an error before it is decided who sees what of it.
struct MarkedError: Sendable {
    /// As everyone may see it who may see an unmarked text.
    let details: LogErrorDetails
    private let marked: MarkedText?

    init(_ details: LogErrorDetails) {
        self.details = details
        marked = nil
    }

    init(_ error: any Error) {
        details = LogErrorDetails(error)
        let message = (error as? any LogDescribableError)?.logDescription
        marked = message?.isMarked == true ? message?.marked : nil
    }

    var isMarked: Bool { marked != nil }
    var text: MarkedText { marked ?? MarkedText(details.description) }
}
