internal import CLogbookCurl

/// libcurl's handle for one request at a time, with what it keeps for the next one: most go where the one before went, and to set all that
/// is said of them takes a good part of a small request's time.
final class CurlHandle {
    /// Below it libcurl sends a body with its headers; also how large the buffer is from which it sends, unless it is told otherwise.
    static let smallBody = 64 << 10

    /// What a handle has been told of a request, but for its body and its time.
    struct Settings {
        private let url: String
        private let method: String
        private let headers: [HTTPHeader]
        private let connect: Duration
        fileprivate let list: UnsafeMutablePointer<curl_slist>?

        /// - Parameter list: What libcurl has of the headers, until ``CurlHandle/reset()``.
        init(_ request: HTTPRequest, headers list: UnsafeMutablePointer<curl_slist>?) {
            (url, method, headers, connect) = (request.url, request.method, request.headers, request.limits.connect)
            self.list = list
        }

        /// Whether nothing of them is different for this one.
        func serve(_ request: HTTPRequest) -> Bool {
            Self.mayStay(after: request) && request.url == url && request.method == method && request.limits.connect == connect
                && request.headers == headers
        }

        /// Only of a plain body nothing but what is said here is set.
        static func mayStay(after request: HTTPRequest) -> Bool {
            request.signature == nil && request.stream == nil && !request.body.isEmpty
        }
    }

    let curl: UnsafeMutableRawPointer
    var settings: Settings?

    init?() {
        guard let curl = curl_easy_init() else { return nil }
        self.curl = curl
    }

    deinit {
        curl_easy_cleanup(curl)
        curl_slist_free_all(settings?.list)
    }

    func reset() {
        curl_easy_reset(curl)
        curl_slist_free_all(settings?.list)
        settings = nil
    }
}
