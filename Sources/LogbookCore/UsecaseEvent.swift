/// The events of one use case, named by the application, so that the compiler knows which belong to which transaction.
///
/// ```swift
/// enum LoginEvent: Int, UsecaseEvent {
///     static let usecase = 1
///     case initiated = 0, canceled, requestInitiated, responseReceived = 7
/// }
/// let login = service.transaction(LoginEvent.self)
/// login.log(.initiated)
/// ```
/// Numbers are what is stored and sent: once a program with them is out, they never change their meaning.
public protocol UsecaseEvent: RawRepresentable<Int>, Sendable {
    /// The number of the use case, from the application's own list.
    static var usecase: Int { get }
}
