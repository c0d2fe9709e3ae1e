/// Carries requests to servers: libcurl, or a script in a test.
public protocol HTTPTransport: Sendable {
    /// Sends the request and calls `completion` exactly once, on a thread of the transport's own, also after a cancellation.
    /// - Returns: A handle to give the exchange up with.
    @discardableResult
    func send(
        _ request: HTTPRequest, completion: @escaping @Sendable (Result<HTTPResponse, HTTPFailure>) -> Void
    ) -> HTTPCancellation

    /// The same for a caller that would do nothing but wait: its thread may do the work meanwhile, which saves waking another one with
    /// the request and this one with the answer.
    /// - Parameters:
    ///   - span: The call returns when the exchange is over or so much later, whichever is first; it may return at once.
    ///   - completion: Called exactly once, on the calling thread or on one of the transport's own.
    @discardableResult
    func send(
        _ request: HTTPRequest, lendingThreadFor span: Duration,
        completion: @escaping @Sendable (Result<HTTPResponse, HTTPFailure>) -> Void
    ) -> HTTPCancellation
}

extension HTTPTransport {
    /// Uses none of the caller's time.
    @discardableResult
    public func send(
        _ request: HTTPRequest, lendingThreadFor span: Duration,
        completion: @escaping @Sendable (Result<HTTPResponse, HTTPFailure>) -> Void
    ) -> HTTPCancellation {
        send(request, completion: completion)
    }
}

/// Gives one exchange up: it completes with ``HTTPFailure/cancelled`` unless it is already over. Any thread, any number of times.
public struct HTTPCancellation: Sendable {
    private let action: @Sendable () -> Void
    public init(_ action: @escaping @Sendable () -> Void) { self.action = action }
    public func cancel() { action() }
}

/// Why no answer came. An answer with any status is not a failure.
public enum HTTPFailure: Error, Equatable, CustomStringConvertible {
    /// The request cannot be sent as it is: the URL, a header, or a scheme that is not allowed.
    case invalidRequest(String)
    /// The request's own body could not be read to its end while it was sent.
    case unreadableBody(String)
    /// No connection, a connection that broke, or a name that does not resolve.
    case unreachable(String)
    /// The server's certificate is not to be trusted.
    case untrusted(String)
    case timedOut(String)
    /// The answer is larger than ``HTTPLimits`` allow, or is no HTTP.
    case malformedResponse(String)
    case cancelled

    public var description: String {
        switch self {
        case .invalidRequest(let reason): "the request cannot be sent: \(reason)"
        case .unreadableBody(let reason): "the body cannot be read: \(reason)"
        case .unreachable(let reason): "no connection: \(reason)"
        case .untrusted(let reason): "the server is not to be trusted: \(reason)"
        case .timedOut(let reason): "no answer in time: \(reason)"
        case .malformedResponse(let reason): "the answer cannot be read: \(reason)"
        case .cancelled: "given up"
        }
    }
}
