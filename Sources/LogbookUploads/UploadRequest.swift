internal import LogbookCore
public import LogbookHTTP
internal import LogbookFormat
internal import LogbookDelivery

/// How a file becomes a request, and what says that the receiver has it.
///
/// ```swift
/// var request = UploadRequest(url: "https://logs.example.com/files/{id}", method: .put)
/// request.headers = [HTTPHeader("Authorization", "Bearer " + token.revealed)]
/// ```
/// Beside these headers each request carries `Logbook-Parcel` (the file's id), `Logbook-SHA256` (of the body, in hexadecimal
/// digits) and `Content-Length`. What the file is called on this machine is told to nobody. A value outside its range ends the
/// program when the request is put to use.
public struct UploadRequest: Sendable {
    public enum Method: String, Sendable, Hashable { case post = "POST", put = "PUT" }

    /// What says that the receiver has the file for good. Every other answer keeps it.
    public enum Acknowledgement: Sendable, Hashable {
        /// 201, 202 or 204, whatever the body, or 200, unless that comes with a page of HTML: so does a captive network answer.
        case status
        /// One of these statuses, and a JSON body whose field has that value: `{"response":"ok"}`.
        case field(String, equals: String)
        /// One of these statuses, and a JSON body whose field names the request: its `Logbook-Parcel`.
        case fieldNamingParcel(String)
    }

    /// Absolute, `http` or `https`; `{id}` stands for the file's id. With ``Method/put`` it must be there, unless ``adapt`` gives each file
    /// an address: each file would take the place of the one before, so none is sent, and ``UploadEvent/refused(id:reason:status:)`` says why.
    public var url: String
    public var method: Method
    /// Sent with each request: a token, for example.
    public var headers: [HTTPHeader]
    public var contentType: String
    public var acknowledgement: Acknowledgement
    /// A compressed file is sent as it is, with `Content-Encoding: gzip`; otherwise, and where it goes in pieces (``maximumBytes``), it is
    /// inflated on its way. Default false.
    public var takesGzip: Bool
    /// Bytes of one request, `1024...`; a larger file goes in several, cut between lines. Nil, the default, sends each file whole.
    public var maximumBytes: Int?
    /// Bytes of one line, `256...maximumBytes`, where ``maximumBytes`` is set; a longer one is cut at a character and marked. Nil for
    /// no limit. A line of more than 32 MiB is no event's: its file is set aside once what stands before it has gone.
    public var maximumLineBytes: Int?
    /// How long one request may take: five minutes and one second more for each 8 KiB of its body, where ``HTTPLimits/total`` is not set.
    /// It is given up when nothing has moved for five minutes, in which a receiver may make a large file safe.
    public var limits: HTTPLimits
    /// The last say over each request; the body is none of its business.
    public var adapt: (@Sendable (_ request: inout HTTPRequest, _ id: String) -> Void)?
    /// What stands in the address and no reason may repeat. What stands in headers is kept out of them anyway.
    var secrets: [Secret] = []

    public init(
        url: String, method: Method = .post, headers: [HTTPHeader] = [],
        contentType: String = "text/plain; charset=utf-8", acknowledgement: Acknowledgement = .status,
        takesGzip: Bool = false, maximumBytes: Int? = nil, maximumLineBytes: Int? = nil,
        adapt: (@Sendable (_ request: inout HTTPRequest, _ id: String) -> Void)? = nil
    ) {
        self.url = url
        self.method = method
        self.headers = headers
        self.contentType = contentType
        self.acknowledgement = acknowledgement
        self.takesGzip = takesGzip
        self.maximumBytes = maximumBytes
        self.maximumLineBytes = maximumLineBytes
        self.adapt = adapt
        limits = HTTPLimits()
        limits.stall = .seconds(300)
    }

    static let parcelHeader = "Logbook-Parcel"
    static let digestHeader = "Logbook-SHA256"
    private static let successes: Set<Int> = [200, 201, 202, 204]

    func isAcknowledged(by response: HTTPResponse, parcel: String) -> Bool {
        guard Self.successes.contains(response.status) else { return false }
        switch acknowledgement {
        case .status: return response.status != 200 || !response.holdsPage
        case .field(let name, let value): return Self.field(name, of: response) == value
        case .fieldNamingParcel(let name): return Self.field(name, of: response) == parcel
        }
    }

    private static func field(_ name: String, of response: HTTPResponse) -> String? {
        guard case .string(let value)? = (try? JSONValue.parse(response.body))?[name] else { return nil }
        return value
    }

    /// Whether no file takes another one's place at the receiver.
    var keepsFilesApart: Bool { method != .put || adapt != nil || url.contains("{id}") }

    func check() {
        requireValid(maximumBytes.map { $0 >= 1024 } ?? true, "UploadRequest.maximumBytes must be at least 1024")
        requireValid(
            maximumLineBytes.map { $0 >= 256 && $0 <= maximumBytes ?? .max } ?? true,
            "UploadRequest.maximumLineBytes must be at least 256 and at most maximumBytes")
    }
}
