internal import CLogbookCurl
internal import LogbookCore

/// The working half of a ``CurlTransport``: one multi handle on one thread, which is started by the first request and keeps
/// the engine alive until it is stopped.
final class CurlEngine: Sendable {
    typealias Completion = @Sendable (Result<HTTPResponse, HTTPFailure>) -> Void

    private struct Submission {
        let number: UInt64
        let request: HTTPRequest
        let completion: Completion
    }

    /// What callers hand to the thread.
    private struct State {
        var submissions: [Submission] = []
        var cancelled: Set<UInt64> = []
        var latest: UInt64 = 0
        var hasThread = false
        var isStopped = false
        var multi: UnsafeMutableRawPointer?
        /// Whether the thread waits for its connections, and has to be woken.
        var isWaiting = false

        var hasWork: Bool { !submissions.isEmpty || !cancelled.isEmpty || isStopped }
    }

    /// Handles kept for the next requests; more are made when more requests are in flight.
    private static let maximumIdleHandles = 8
    /// Connections kept open.
    private static let maximumConnections = 16

    private let allowsPlainHTTP: Bool
    private let trust: HTTPTrust
    private let proxy: String?
    private let state = Locked(State())

    init(allowsPlainHTTP: Bool, trust: HTTPTrust, proxy: String?) {
        self.allowsPlainHTTP = allowsPlainHTTP
        self.trust = trust
        self.proxy = proxy
    }

    func send(_ request: HTTPRequest, completion: @escaping Completion) -> HTTPCancellation {
        let number = state.withLock { state -> UInt64? in
            if state.isStopped { return nil }
            if !state.hasThread {
                state.hasThread = LogThread.start("logbook-http") { self.run() }
                if !state.hasThread { return nil }
            }
            state.latest += 1
            state.submissions.append(Submission(number: state.latest, request: request, completion: completion))
            wake(state)
            return state.latest
        }
        guard let number else {
            completion(.failure(.unreachable("the machine gives no thread to send with")))
            return HTTPCancellation {}
        }
        return HTTPCancellation { [weak self] in self?.cancel(number) }
    }

    private func cancel(_ number: UInt64) {
        state.withLock { state in
            state.cancelled.insert(number)
            wake(state)
        }
    }

    func stop() {
        state.withLock { state in
            state.isStopped = true
            wake(state)
        }
    }

    private func wake(_ state: State) {
        if state.isWaiting, let multi = state.multi { curl_multi_wakeup(multi) }
    }

    // MARK: The thread's side

    private func run() {
        guard Curl.isReady, let multi = curl_multi_init() else { return runWithoutCurl() }
        // Without a descriptor to be woken by, the handle is made all the same, and would sleep through every later request.
        guard curl_multi_wakeup(multi) == CURLM_OK else {
            curl_multi_cleanup(multi)
            return runWithoutCurl()
        }
        logbook_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, Self.maximumConnections)
        state.withLock { $0.multi = multi }
        var exchanges: [UInt64: CurlExchange] = [:]
        var idle: [UnsafeMutableRawPointer] = []

        func end(_ exchange: CurlExchange, _ result: Result<HTTPResponse, HTTPFailure>) {
            exchanges[exchange.number] = nil
            curl_multi_remove_handle(multi, exchange.handle)
            exchange.letGo()
            if idle.count < Self.maximumIdleHandles {
                idle.append(exchange.handle)
            } else {
                curl_easy_cleanup(exchange.handle)
            }
            exchange.completion(result)
        }

        while true {
            let (submissions, cancelled, isStopped) = state.withLock { state in
                state.isWaiting = false
                let work = (state.submissions, state.cancelled, state.isStopped)
                state.submissions = []
                state.cancelled = []
                return work
            }
            for submission in submissions {
                if isStopped || cancelled.contains(submission.number) {
                    submission.completion(.failure(.cancelled))
                    continue
                }
                do throws(HTTPFailure) {
                    let target = try submission.request.check(allowsPlainHTTP: allowsPlainHTTP)
                    guard let handle = idle.popLast() ?? curl_easy_init() else {
                        throw .unreachable("libcurl gives no handle")
                    }
                    let exchange = CurlExchange(
                        number: submission.number, request: submission.request, handle: handle,
                        completion: submission.completion)
                    // What may go in the clear because it stays on this machine must stay there.
                    exchange.prepare(trust: trust, proxy: target.isLoopback ? nil : proxy)
                    exchanges[submission.number] = exchange
                    let code = curl_multi_add_handle(multi, handle)
                    if code != CURLM_OK {
                        end(exchange, .failure(.unreachable(String(cString: curl_multi_strerror(code)))))
                    }
                } catch {
                    submission.completion(.failure(error))
                }
            }
            for number in isStopped ? Set(exchanges.keys) : cancelled {
                if let exchange = exchanges[number] { end(exchange, .failure(.cancelled)) }
            }
            if isStopped { break }

            var running: Int32 = 0
            curl_multi_perform(multi, &running)
            var code = CURLE_OK
            while let handle = logbook_curl_next_finished(multi, &code) {
                guard let exchange = exchanges.values.first(where: { $0.handle == handle }) else { continue }
                if exchange.lostKeptConnection(code) {
                    let left = exchange.millisecondsLeft
                    curl_multi_remove_handle(multi, handle)
                    if left == 0 {
                        code = CURLE_OPERATION_TIMEDOUT
                    } else {
                        exchange.beginAnew(within: left)
                        if curl_multi_add_handle(multi, handle) == CURLM_OK { continue }
                    }
                }
                end(exchange, exchange.result(code))
            }
            if waits() { curl_multi_poll(multi, nil, 0, exchanges.isEmpty ? 3_600_000 : 1000, nil) }
        }
        state.withLock { $0.multi = nil }
        for handle in idle { curl_easy_cleanup(handle) }
        curl_multi_cleanup(multi)
    }

    /// From here on the thread has to be woken.
    private func waits() -> Bool {
        state.withLock { state in
            state.isWaiting = !state.hasWork
            return state.isWaiting
        }
    }

    /// The next request starts another thread, which tries anew.
    private func runWithoutCurl() {
        let submissions = state.withLock { state in
            state.hasThread = false
            defer { state.submissions = [] }
            return state.submissions
        }
        for submission in submissions {
            submission.completion(.failure(.unreachable("libcurl cannot be started; it needs memory and file descriptors")))
        }
    }
}
