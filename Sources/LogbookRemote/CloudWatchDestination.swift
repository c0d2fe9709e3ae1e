internal import LogbookCore
public import LogbookDelivery
internal import LogbookFormat
public import LogbookHTTP

/// Amazon CloudWatch Logs, `PutLogEvents`: one group and one stream, which must exist. A message is the event as a JSON line.
///
/// CloudWatch takes events that are at most 14 days old and two hours early, and says how many it did not take; they are counted
/// as rejected, and hold up nothing, however many they are. What arrives twice is stored twice.
/// - Note: Source: docs.aws.amazon.com, "PutLogEvents".
public struct CloudWatchDestination: LogDestination, Hashable {
    private let url: String
    private let group: String
    let stream: String
    private let region: String
    private let credentials: AWSCredentials

    /// - Parameter endpoint: Of another service than Amazon's: `http://127.0.0.1:5000`.
    public init(group: String, stream: String, region: String, credentials: AWSCredentials, endpoint: String? = nil) {
        url = (endpoint?.withoutTrailingSlashes ?? "https://logs.\(region).amazonaws.com") + "/"
        self.group = group
        self.stream = stream
        self.region = region
        self.credentials = credentials
    }

    public var contentType: String { "application/x-amz-json-1.1" }
    public var takesGzip: Bool { false }
    /// CloudWatch counts a message's text and 26 bytes; as JSON an event is never smaller. It refuses a request whose events are
    /// more than a day apart.
    public var limits: DestinationLimits { DestinationLimits(events: 10_000, bytes: 1_048_576, span: .seconds(86_400)) }

    public func encode(_ events: [KeyedEvent]) -> [UInt8] {
        var bytes = Array(#"{"logGroupName":"#.utf8)
        bytes.append(jsonString: group)
        bytes += #","logStreamName":"#.utf8
        bytes.append(jsonString: stream)
        bytes += #","logEvents":["#.utf8
        let inOrder = events.enumerated().sorted {
            ($0.element.event.time, $0.offset) < ($1.element.event.time, $1.offset)
        }
        for (place, event) in inOrder.map(\.element).enumerated() {
            if place > 0 { bytes.append(0x2C) }
            var line: [UInt8] = []
            JSONLines.appendObject(event, to: &line)
            bytes += #"{"timestamp":\#(max(0, event.event.time.nanoseconds / 1_000_000)),"message":"#.utf8
            bytes.append(jsonString: String(decoding: line, as: UTF8.self))
            bytes.append(0x7D)
        }
        return bytes + "]}".utf8
    }

    /// - Throws: ``HTTPFailure/invalidRequest(_:)`` for a parcel with a stream.
    public func request(for parcel: Parcel) throws(HTTPFailure) -> HTTPRequest {
        request("PutLogEvents", parcel.contentHeaders, try AWS.body(of: parcel, for: "CloudWatch Logs"))
    }

    /// Asks for the stream's description, which stores nothing.
    var question: HTTPRequest {
        var body = Array(#"{"logGroupName":"#.utf8)
        body.append(jsonString: group)
        body += #","logStreamNamePrefix":"#.utf8
        body.append(jsonString: stream)
        body += #","limit":1}"#.utf8
        return request("DescribeLogStreams", [HTTPHeader("Content-Type", contentType)], body)
    }

    private func request(_ action: String, _ headers: [HTTPHeader], _ body: [UInt8]) -> HTTPRequest {
        HTTPRequest(
            url: url, headers: headers + [HTTPHeader("X-Amz-Target", "Logs_20140328." + action), AWS.digestHeader(body)], body: body,
            signature: credentials.signature(region: region, service: "logs"))
    }

    public func verdict(on response: HTTPResponse, for parcel: Parcel) -> DeliveryVerdict {
        guard response.status == 200 else {
            switch DeliveryVerdict.refusal(by: response) {
            case .rejected(let reason):
                if AWS.holds(AWS.refusals, response) { return .misconfigured(reason) }
                return AWS.holds(AWS.pauses, response) ? .retry(after: nil, reason) : .rejected(reason)
            case let verdict: return verdict
            }
        }
        guard let answer = try? JSONValue.parse(response.body), case .object = answer else {
            return .notAcknowledged(response, by: "CloudWatch Logs")
        }
        guard let rejected = answer["rejectedLogEventsInfo"] else { return .delivered }
        // The first so many are too old; from another on they are too early.
        let tooOld = max(
            Self.index(rejected["tooOldLogEventEndIndex"], upTo: parcel.count) ?? 0,
            Self.index(rejected["expiredLogEventEndIndex"], upTo: parcel.count) ?? 0)
        let tooNew = parcel.count - (Self.index(rejected["tooNewLogEventStartIndex"], upTo: parcel.count) ?? parcel.count)
        let count = min(parcel.count, tooOld + tooNew)
        return count == 0 ? .delivered : .deliveredExcept(rejected: count, isFinal: true, "\(count) events are too old or too early")
    }

    /// What lies beside the parcel is brought to its nearer end.
    private static func index(_ value: JSONValue?, upTo count: Int) -> Int? {
        if case .integer(let number)? = value { min(max(0, Int(clamping: number)), count) } else { nil }
    }
}

extension LogDestination where Self == CloudWatchDestination {
    /// Amazon CloudWatch Logs.
    public static func cloudWatch(
        group: String, stream: String, region: String, credentials: AWSCredentials, endpoint: String? = nil
    ) -> CloudWatchDestination {
        CloudWatchDestination(group: group, stream: stream, region: region, credentials: credentials, endpoint: endpoint)
    }
}
