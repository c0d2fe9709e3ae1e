/// What is known about an error before it is decided who sees what of it.
package struct MarkedError: Sendable {
    /// As everyone may see it who may see an unmarked text.
    let details: LogErrorDetails
    /// Its text where the error itself says which parts are private.
    private let message: LogMessage?

    /// - Parameter privacy: What its text is.
    package init(_ details: LogErrorDetails, _ privacy: LogPrivacy = .public) {
        self.details = details
        message = privacy == .public ? nil : "\(details.description, privacy: privacy)"
    }

    package init(_ error: any Error) {
        details = LogErrorDetails(error)
        message = (error as? any LogDescribableError)?.logDescription
    }

    var isMarked: Bool { message?.isMarked ?? false }

    /// - Parameter unmarked: What texts are that bear no mark.
    func text(_ unmarked: LogPrivacy) -> MarkedText { message?.marked(unmarked) ?? MarkedText(details.description, unmarked) }
}
