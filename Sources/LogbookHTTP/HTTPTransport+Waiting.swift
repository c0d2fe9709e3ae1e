package import LogbookCore

extension HTTPTransport {
    /// Sends the request and waits for the answer; cancelling the task gives the exchange up.
    /// - Throws: ``HTTPFailure/cancelled`` in a task that is cancelled already, and nothing is sent.
    public func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        if Task.isCancelled { throw .cancelled }
        let handle = Locked<(cancellation: HTTPCancellation?, isCancelled: Bool)>((nil, false))
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let cancellation = send(request) { continuation.resume(returning: $0) }
                let isCancelled = handle.withLock { handle in
                    handle.cancellation = cancellation
                    return handle.isCancelled
                }
                if isCancelled { cancellation.cancel() }
            }
        } onCancel: {
            let cancellation = handle.withLock { handle in
                handle.isCancelled = true
                return handle.cancellation
            }
            cancellation?.cancel()
        }
        return try result.get()
    }

    /// Sends the request and blocks the calling thread until the answer is there; at the deadline the exchange is given up.
    /// - Throws: ``HTTPFailure/timedOut(_:)`` at the deadline. Never call it from a completion.
    package func sendAndWait(_ request: HTTPRequest, by deadline: LogDeadline) throws(HTTPFailure) -> HTTPResponse {
        let answer = Monitor<Result<HTTPResponse, HTTPFailure>?>(nil)
        let cancellation = send(request, lendingThreadFor: deadline.remaining ?? .seconds(3600)) { result in
            answer.withLock { access in
                access.value = result
                access.broadcast()
            }
        }
        let result = answer.withLock { access in
            while access.value == nil && !deadline.hasPassed && access.wait(until: deadline) {}
            return access.value
        }
        guard let result else {
            cancellation.cancel()
            throw .timedOut("the caller's deadline passed")
        }
        return try result.get()
    }
}
