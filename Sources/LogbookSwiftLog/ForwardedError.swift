#if SwiftLog
    public import LogbookCore

    /// The error that an event carried, for the handlers of swift-log: what was known of it when it was logged.
    public struct ForwardedError: Error, Hashable, CustomStringConvertible {
        public let details: LogErrorDetails

        public init(_ details: LogErrorDetails) { self.details = details }

        /// `PaymentError: the card was declined`.
        public var description: String { "\(details.type): \(details.description)" }
    }

    extension MarkedError {
        init(loggedWith error: any Error) {
            if let forwarded = error as? ForwardedError { self.init(forwarded.details) } else { self.init(error) }
        }
    }
#endif
