/// An error whose text says which of its parts are private.
///
/// ```swift
/// struct PaymentRefused: LogDescribableError {
///     let customer: String
///     var logDescription: LogMessage { "payment refused for \(customer, privacy: .private)" }
/// }
/// ```
public protocol LogDescribableError: Error {
    /// What the log says of it, in place of its `description`.
    var logDescription: LogMessage { get }
}
