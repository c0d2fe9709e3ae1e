public import LogbookCore
public import LogbookHTTP

/// A transport without a network: what comes back is in its script.
public final class ScriptedTransport: HTTPTransport {
    public enum Step: Sendable {
        case answer(HTTPResponse)
        case fail(HTTPFailure)
        /// No answer until ``release(with:)``; a cancellation ends it, as it ends a real exchange.
        case hold
        /// No answer until ``release(with:)``, and cancellations go unheard: the answer that comes too late.
        case holdDeaf

        /// An answer without a body.
        public static func status(_ status: Int, headers: [HTTPHeader] = []) -> Step {
            .answer(HTTPResponse(status: status, headers: headers))
        }
    }

    private typealias Completion = @Sendable (Result<HTTPResponse, HTTPFailure>) -> Void
    private struct State {
        var sent = 0
        var requests: [HTTPRequest] = []
        var held: [(number: Int, completion: Completion)] = []
        var cancellations = 0
    }
    private let script: @Sendable (Int, HTTPRequest) -> Step
    private let state = Monitor(State())

    /// - Parameter script: What becomes of the n-th request, counted from 1.
    public init(_ script: @escaping @Sendable (Int, HTTPRequest) -> Step) { self.script = script }

    /// Every request gets the same.
    public convenience init(_ step: Step) { self.init { _, _ in step } }

    @discardableResult
    public func send(
        _ request: HTTPRequest, completion: @escaping @Sendable (Result<HTTPResponse, HTTPFailure>) -> Void
    ) -> HTTPCancellation {
        let number = state.withLock { access in
            access.value.sent += 1
            return access.value.sent
        }
        let step = script(number, request)
        var hears = false
        if case .hold = step { hears = true }
        // Whoever sees the request can release it.
        state.withLock { access in
            access.value.requests.append(request)
            switch step {
            case .hold, .holdDeaf: access.value.held.append((number, completion))
            case .answer, .fail: break
            }
            access.broadcast()
        }
        switch step {
        case .answer(let response): LogThread.start("scripted") { completion(.success(response)) }
        case .fail(let failure): LogThread.start("scripted") { completion(.failure(failure)) }
        case .hold, .holdDeaf: break
        }
        return HTTPCancellation { [hears] in self.cancel(number, hears: hears) }
    }

    private func cancel(_ number: Int, hears: Bool) {
        let completion = state.withLock { access -> Completion? in
            access.value.cancellations += 1
            access.broadcast()
            guard hears, let place = access.value.held.firstIndex(where: { $0.number == number }) else { return nil }
            return access.value.held.remove(at: place).completion
        }
        completion?(.failure(.cancelled))
    }

    /// Answers everything that is held.
    public func release(with response: HTTPResponse) {
        let held = state.withLock { access in
            defer { access.value.held = [] }
            return access.value.held
        }
        for exchange in held { exchange.completion(.success(response)) }
    }

    /// Ends the n-th exchange, counted from 1, if it is held.
    public func release(_ number: Int, with result: Result<HTTPResponse, HTTPFailure>) {
        let held = state.withLock { access in
            access.value.held.firstIndex { $0.number == number }.map { access.value.held.remove(at: $0) }
        }
        held?.completion(result)
    }

    /// In the order in which they were sent.
    public var requests: [HTTPRequest] { state.withLock { $0.value.requests } }
    public var cancellations: Int { state.withLock { $0.value.cancellations } }

    /// Returns once `count` requests have been sent.
    /// - Returns: False when the deadline passed first.
    public func waitForRequests(_ count: Int, by deadline: LogDeadline = .seconds(30)) -> Bool {
        state.withLock { access in
            while access.value.requests.count < count {
                if !access.wait(until: deadline) { return access.value.requests.count >= count }
            }
            return true
        }
    }
}
