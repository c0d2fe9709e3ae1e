/// Requests over libcurl: one thread for all of them, and callers who lend theirs; connections kept and reused.
///
/// Certificates are always verified and there is no way to turn that off. Redirects are not followed, so a token goes only to
/// the origin it was meant for; the answer says 3xx. No proxy is used but the one named here, whatever the environment says.
/// Answers are asked for without compression and read up to ``HTTPLimits``. In a child made by `fork` an instance has a thread and
/// connections of its own; what was on its way goes on in the parent alone.
public final class CurlTransport: HTTPTransport {
    /// For everybody who needs nothing special: couriers share its thread and its connections.
    public static let shared = CurlTransport()

    private let engine: CurlEngine

    /// - Parameters:
    ///   - allowsPlainHTTP: Lets `http` go to other hosts than this machine, in the clear. Loopback is always allowed.
    ///   - proxy: The proxy's URL; nil, or empty as for `curl`, for none: then everything goes directly. What goes to this machine itself
    ///     does so in any case. Of one that cannot be read, or whose user or password holds a control character (`%0A`), each request says
    ///     so (``HTTPFailure/invalidRequest(_:)``); no failure repeats it, for it may hold a password.
    public init(allowsPlainHTTP: Bool = false, trust: HTTPTrust = HTTPTrust(), proxy: String? = nil) {
        trust.check()
        engine = CurlEngine(allowsPlainHTTP: allowsPlainHTTP, trust: trust, proxy: proxy)
    }

    /// Exchanges in flight are given up.
    deinit { engine.stop() }

    @discardableResult
    public func send(
        _ request: HTTPRequest, completion: @escaping @Sendable (Result<HTTPResponse, HTTPFailure>) -> Void
    ) -> HTTPCancellation {
        engine.send(request, completion: completion)
    }

    /// The calling thread is used until another request comes; signals of closed connections are kept from it.
    @discardableResult
    public func send(
        _ request: HTTPRequest, lendingThreadFor span: Duration,
        completion: @escaping @Sendable (Result<HTTPResponse, HTTPFailure>) -> Void
    ) -> HTTPCancellation {
        engine.send(request, lending: span, completion: completion)
    }
}
