public import LogbookDelivery
internal import LogbookFormat
public import LogbookHTTP

/// Logstash's http input: one array of objects after the Elastic Common Schema.
///
/// Each object has its key as `event_key`, which an output can use as `document_id`. Logstash says that it has the events when
/// they are in its queue; with a queue in memory, a crash of Logstash takes them.
/// - Note: Source: elastic.co, "Http input plugin", "Blocking Behavior".
public struct LogstashDestination: LogDestination, Hashable {
    private let url: String
    private let authorization: Authorization
    private let format: ECSFormat

    /// - Parameters:
    ///   - url: The input's address, with its path if it has one: `https://logstash.example.com:8080`.
    ///   - service: Written as `service.name`.
    public init(url: String, authorization: Authorization = .none, service: String? = nil) {
        self.url = url
        self.authorization = authorization
        format = ECSFormat(service: service, limits: .highest)
    }

    public var contentType: String { "application/json" }

    public func encode(_ events: [KeyedEvent]) -> [UInt8] {
        JSONArray.encode(events) { event, bytes in
            var line: [UInt8] = []
            format.append(event.event, to: &line)
            bytes += #"{"event_key":"#.utf8
            bytes.append(jsonString: event.key)
            bytes.append(0x2C)
            bytes += line[1..<(line.count - 1)]   // the object's members, without the newline
        }
    }

    public func request(for parcel: Parcel) -> HTTPRequest {
        HTTPRequest(url: url, headers: parcel.contentHeaders + authorization.headers, body: parcel.body, stream: parcel.stream)
    }

    /// Logstash says 200, or 201, 202 or 204 where its `response_code` is that, with whatever text it is set up to say; but a page is
    /// somebody else's. 429 says that its queue is full.
    public func verdict(on response: HTTPResponse, for parcel: Parcel) -> DeliveryVerdict {
        switch response.status {
        case 200...202 where !response.isPage, 204: .delivered
        case 200..<300: .notAcknowledged(response, by: "Logstash")
        default: .refusal(by: response)
        }
    }
}

extension LogDestination where Self == LogstashDestination {
    /// Logstash.
    public static func logstash(url: String, authorization: Authorization = .none, service: String? = nil) -> LogstashDestination {
        LogstashDestination(url: url, authorization: authorization, service: service)
    }
}
