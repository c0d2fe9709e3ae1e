internal import CLogbookCurl
internal import LogbookCore

/// A request on its way to whoever drives.
struct CurlSubmission {
    let number: UInt64
    let request: HTTPRequest
    let completion: CurlEngine.Completion
}

/// libcurl's multi handle and what is on its way over it. Belongs to one thread at a time: the one that drives.
final class CurlDrive {
    /// Handles kept for the next requests; more are made when more requests are in flight.
    private static let maximumIdleHandles = 8
    /// Connections kept open.
    private static let maximumConnections = 16

    /// Any thread may have `curl_multi_poll` on it return.
    let multi: UnsafeMutableRawPointer
    private let allowsPlainHTTP: Bool
    private let trust: HTTPTrust
    private let proxy: String?
    private var exchanges: [UInt64: CurlExchange] = [:]
    private var latestTarget: RequestTarget?
    private var idle: [CurlHandle] = []

    /// Nil where libcurl cannot be started; it needs memory and file descriptors.
    init?(allowsPlainHTTP: Bool, trust: HTTPTrust, proxy: String?) {
        guard Curl.isReady, let multi = curl_multi_init() else { return nil }
        // Without a descriptor to be woken by, the handle is made all the same, and would sleep through every later request.
        guard curl_multi_wakeup(multi) == CURLM_OK else {
            curl_multi_cleanup(multi)
            return nil
        }
        logbook_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, Self.maximumConnections)
        self.multi = multi
        self.allowsPlainHTTP = allowsPlainHTTP
        self.trust = trust
        self.proxy = proxy
    }

    deinit {
        idle = []   // before what they belong to
        curl_multi_cleanup(multi)
    }

    var isEmpty: Bool { exchanges.isEmpty }
    func isOnItsWay(_ number: UInt64) -> Bool { exchanges[number] != nil }

    func begin(_ submission: CurlSubmission) {
        do throws(HTTPFailure) {
            let target = try submission.request.check(allowsPlainHTTP: allowsPlainHTTP, known: latestTarget)
            latestTarget = target
            // What may go in the clear because it stays on this machine must stay there.
            let proxy = target.isLoopback ? nil : proxy
            if let proxy { try Curl.check(proxy: proxy) }
            guard let handle = idle.popLast() ?? CurlHandle() else { throw .unreachable("libcurl gives no handle") }
            let exchange = CurlExchange(
                number: submission.number, request: submission.request, handle: handle, completion: submission.completion)
            exchange.prepare(trust: trust, proxy: proxy)
            exchanges[submission.number] = exchange
            let code = curl_multi_add_handle(multi, handle.curl)
            if code != CURLM_OK { end(exchange, .failure(.unreachable(String(cString: curl_multi_strerror(code))))) }
        } catch {
            submission.completion(.failure(error))
        }
    }

    func cancel(_ number: UInt64) {
        if let exchange = exchanges[number] { end(exchange, .failure(.cancelled)) }
    }

    func cancelAll() { for exchange in Array(exchanges.values) { end(exchange, .failure(.cancelled)) } }

    /// Sends and receives what can be without waiting, and completes what is over.
    func perform() {
        var running: Int32 = 0
        curl_multi_perform(multi, &running)
        var code = CURLE_OK
        while let handle = logbook_curl_next_finished(multi, &code) {
            guard let exchange = exchanges.values.first(where: { $0.handle.curl == handle }) else { continue }
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
    }

    /// Waits until there is more to do, so long at most, or until somebody wakes it.
    func poll(atMost span: Duration) { curl_multi_poll(multi, nil, 0, Int32(clamping: span.wholeMilliseconds), nil) }

    private func end(_ exchange: CurlExchange, _ result: Result<HTTPResponse, HTTPFailure>) {
        exchanges[exchange.number] = nil
        curl_multi_remove_handle(multi, exchange.handle.curl)
        exchange.letGo()
        if idle.count < Self.maximumIdleHandles { idle.append(exchange.handle) }
        exchange.completion(result)
    }
}
