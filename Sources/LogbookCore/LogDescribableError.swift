/// An error whose text says which of its parts are private: handed to a call as its error, said as a value, or within a message
/// (`"retried after \(error)"`).
///
/// ```swift
/// struct PaymentRefused: LogDescribableError {
///     let customer: String
///     var logDescription: LogMessage { "payment refused for \(customer, privacy: .private)" }
/// }
/// ```
public protocol LogDescribableError: Error {
    /// What the log says of it, in place of its `description`. It must not contain the error itself, which would be asked again.
    var logDescription: LogMessage { get }
}
