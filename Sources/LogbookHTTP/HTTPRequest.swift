/// One header field. Names compare without regard to case. Printed, it shows its name only: the value may be a token.
public struct HTTPHeader: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    public let name: String
    public let value: String
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
    public var description: String { "\(name): ***" }
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}

/// One request, complete: the same value may be sent any number of times.
public struct HTTPRequest: Sendable, Hashable {
    public var method: String
    /// Absolute, `http` or `https`.
    public var url: String
    public var headers: [HTTPHeader]
    /// Empty for a request without a body.
    public var body: [UInt8]
    /// Sent instead of ``body``, read piece by piece: for bodies that are too large to hold.
    public var stream: HTTPBodyStream?
    public var limits: HTTPLimits
    /// Signed when it is sent; nil for requests that need no signature.
    public var signature: AWSSignature?

    public init(
        method: String = "POST", url: String, headers: [HTTPHeader] = [], body: [UInt8] = [],
        stream: HTTPBodyStream? = nil, limits: HTTPLimits = HTTPLimits(), signature: AWSSignature? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.stream = stream
        self.limits = limits
        self.signature = signature
    }

    /// How long the body is; nil where nobody knows yet.
    package var bodyBytes: Int? { if let stream { stream.bytes } else { body.count } }
}

/// How long a request may take and how much an answer may hold.
public struct HTTPLimits: Sendable, Hashable {
    /// Until the connection stands, TLS included.
    public var connect: Duration = .seconds(10)
    /// The whole exchange. 30 seconds unless it is set, or as long as ``stall`` where that is longer; a delivery has then one more for each
    /// 8 KiB of the request's body, and a day where nobody knows how long that is.
    public var total: Duration {
        get { ownTotal ?? max(Self.usualTotal, stall ?? .zero) }
        set { ownTotal = newValue }
    }
    private var ownTotal: Duration?
    /// How long not one byte may move in either direction, in whole seconds; nil for as long as ``total``. For bodies that may
    /// take hours, with a `total` to match.
    public var stall: Duration?
    /// Bytes of the answer's body that are read at most; a longer one fails the request. Of an answer to a delivery the beginning is kept,
    /// and the rest thrown away, up to 16 MiB in all: what became of a parcel its status says.
    public var responseBodyBytes: Int = 64 << 10
    /// Whether of a longer body the beginning is kept, and the rest thrown away, rather than the request failed.
    package var keepsBeginning = false
    /// Bytes of the answer's body that may come, kept or not.
    var receivedBodyBytes: Int { keepsBeginning ? max(responseBodyBytes, 16 << 20) : responseBodyBytes }
    /// Bytes of the answer's header fields that are read at most.
    public var responseHeaderBytes: Int = 16 << 10
    public init() {}

    private static let usualTotal = Duration.seconds(30)
    /// As long as a body may take of which nobody knows how long it is.
    private static let longestTotal = Duration.seconds(86_400)
    /// A body is expected to move faster than this on any line.
    private static let slowestBytesPerSecond = 8 << 10

    /// The same with the time that a body of this length takes on a slow line, where ``total`` is not set. An exchange in which nothing
    /// moves ends as early as before.
    /// - Parameter bodyBytes: Nil where nobody knows yet: then it has ``longestTotal``.
    package func allowing(bodyBytes: Int?) -> HTTPLimits {
        let seconds = bodyBytes.map { $0 / Self.slowestBytesPerSecond }
        guard ownTotal == nil, seconds != 0 else { return self }
        var limits = self
        limits.total = seconds.map { total + .seconds($0) } ?? Self.longestTotal
        limits.stall = stall ?? Self.usualTotal
        return limits
    }
}

public struct HTTPResponse: Sendable, Hashable {
    public let status: Int
    public let headers: [HTTPHeader]
    public let body: [UInt8]
    /// Whether ``body`` is only the beginning of what came.
    package var isCut = false

    public init(status: Int, headers: [HTTPHeader] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The value of the first field of that name.
    public func header(_ name: String) -> String? {
        let name = name.lowercased()
        return headers.first { $0.name.lowercased() == name }?.value
    }
}
