public import LogbookDelivery
public import LogbookHTTP

/// Any receiver of JSON lines: one parcel is one request, and any 2xx status says that the receiver has it.
public struct HTTPDestination: Destination {
    private let url: String
    private let method: String
    private let headers: [HTTPHeader]

    /// - Parameter headers: Sent with each request, beside `Content-Type` and `Content-Encoding`: a token, for example.
    public init(url: String, method: String = "POST", headers: [HTTPHeader] = []) {
        self.url = url
        self.method = method
        self.headers = headers
    }

    public func request(for parcel: Parcel) -> HTTPRequest {
        HTTPRequest(method: method, url: url, headers: parcel.contentHeaders + headers, body: parcel.body)
    }

    public func verdict(on response: HTTPResponse, for parcel: Parcel) -> DeliveryVerdict {
        (200..<300).contains(response.status) ? .delivered : .refusal(by: response)
    }
}

extension Parcel {
    /// What the body is.
    var contentHeaders: [HTTPHeader] {
        [HTTPHeader("Content-Type", contentType)] + (contentEncoding.map { [HTTPHeader("Content-Encoding", $0)] } ?? [])
    }
}
