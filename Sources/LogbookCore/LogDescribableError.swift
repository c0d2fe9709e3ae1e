/// An error whose text says which of its parts are private: handed to a call as its error, said as a value, or within a message
/// (`"retried after \(error)"`).
///
/// ```swift
/// struct PaymentRefused: LogDescribableError {
///     let customer: String
///     var logDescription: LogMessage { "payment refused for \(customer, privacy: .private)" }
/// }
/// ```
/// Its `description` is the same with those parts masked, unless it has one of its own: what ordinary text shows of it
/// (`["cause": "\(error)"]`, an error that holds it, a list of errors) shows nothing of them either.
public protocol LogDescribableError: Error, CustomStringConvertible {
    /// What the log says of it, in place of its `description`. It must not contain the error itself, which would be asked again.
    var logDescription: LogMessage { get }
}

extension LogDescribableError {
    /// What the log says of it, with private parts masked.
    public var description: String { logDescription.description }
}
