public import LogbookDelivery
public import LogbookHTTP

/// Any receiver of JSON over HTTP: one parcel is one request, and any 2xx status says that the receiver has it, but for a 200 that comes
/// with a page of HTML: so does a captive network answer. The body is gzip unless ``takesGzip`` is false.
public struct HTTPDestination: LogDestination, LineDestination {
    /// How the events stand in the body.
    public enum Body: Sendable, Hashable {
        /// One object per line, `application/x-ndjson`.
        case jsonLines
        /// One array of objects, `application/json`.
        case jsonArray
    }

    private let url: String
    private let method: String
    private let headers: [HTTPHeader]
    private let body: Body
    /// Whether the receiver reads `Content-Encoding: gzip`.
    public let takesGzip: Bool

    /// - Parameters:
    ///   - headers: Sent with each request, beside `Content-Type` and `Content-Encoding`: a token, for example.
    ///   - takesGzip: False for a receiver that does not read `Content-Encoding: gzip`: it is sent plain bodies.
    public init(
        url: String, method: String = "POST", headers: [HTTPHeader] = [], body: Body = .jsonLines, takesGzip: Bool = true
    ) {
        self.url = url
        self.method = method
        self.headers = headers
        self.body = body
        self.takesGzip = takesGzip
    }

    public var contentType: String { body == .jsonLines ? "application/x-ndjson" : "application/json" }

    var takesJSONLines: Bool { body == .jsonLines }

    public func encode(_ events: [KeyedEvent]) -> [UInt8] {
        body == .jsonLines ? JSONLines.encode(events) : JSONArray.encode(events) { JSONLines.appendObject($0, to: &$1) }
    }

    public func request(for parcel: Parcel) -> HTTPRequest {
        HTTPRequest(method: method, url: url, headers: parcel.contentHeaders + headers, body: parcel.body, stream: parcel.stream)
    }

    public func verdict(on response: HTTPResponse, for parcel: Parcel) -> DeliveryVerdict {
        switch response.status {
        case 200 where response.holdsPage: .notAcknowledged(response, by: "the receiver")
        case 200..<300: .delivered
        default: .refusal(by: response)
        }
    }
}

extension LogDestination where Self == HTTPDestination {
    /// Any receiver of JSON over HTTP; `takesGzip: false` for one that does not read `Content-Encoding: gzip`.
    public static func http(
        url: String, method: String = "POST", headers: [HTTPHeader] = [], body: HTTPDestination.Body = .jsonLines, takesGzip: Bool = true
    ) -> HTTPDestination { HTTPDestination(url: url, method: method, headers: headers, body: body, takesGzip: takesGzip) }
}

enum JSONArray {
    static func encode(_ events: [KeyedEvent], _ append: (KeyedEvent, inout [UInt8]) -> Void) -> [UInt8] {
        var bytes: [UInt8] = [0x5B]
        for event in events {
            if bytes.count > 1 { bytes.append(0x2C) }
            append(event, &bytes)
        }
        bytes.append(0x5D)
        return bytes
    }
}

extension Parcel {
    /// What the body is.
    var contentHeaders: [HTTPHeader] {
        [HTTPHeader("Content-Type", contentType)] + (contentEncoding.map { [HTTPHeader("Content-Encoding", $0)] } ?? [])
    }
}

extension String {
    /// An address without the slashes at its end.
    var withoutTrailingSlashes: String {
        var url = self
        while url.hasSuffix("/") { url.removeLast() }
        return url
    }
}
