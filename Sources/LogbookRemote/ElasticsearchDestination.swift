internal import LogbookCore
public import LogbookDelivery
internal import LogbookFormat
public import LogbookHTTP

/// Elasticsearch or OpenSearch: `POST <url>/<index>/_bulk`.
///
/// Each event is created under its key, so that one that arrives twice is stored once; in a data stream only as long as that writes to the
/// same index: what is sent again after a rollover, since its answer was lost, is there twice, with the same `_id`. The answer is read
/// entry by entry: a conflict means that the event is there already, and 429 and 500 to 599 that it is sent again, alone. 401, 403 and
/// 404 are about us or the index, not the event: no privilege, an index that takes no writes, one that is not there. So are those 400s
/// that say that the index is closed, that none can have its name, that none of an alias takes writes, or that the cluster may hold no
/// more shards. The whole parcel is kept then, and sent again later. Anything else means that the event will never be taken, as when a
/// field has another type in the index; so does a 500 on which an ingest pipeline fails, as it does each time the event comes.
///
/// ```
/// {"create":{"_id":"586AB00B-F16E-4AE6-8A91-0210264925C7-7-42"}}
/// {"@timestamp":"2026-11-21T09:29:20.123456789Z","log.level":"info","message":"cart opened","ecs.version":"8.11.0","event":{"sequence":42}}
/// ```
/// - Note: Source: OpenSearch documentation, "Bulk"; elastic.co, "Bulk API".
public struct ElasticsearchDestination: LogDestination, Hashable {
    private let url: String
    private let authorization: Authorization
    private let format: ECSFormat

    /// - Parameters:
    ///   - url: Where the cluster is, without a path: `https://search.example.com:9200`.
    ///   - index: An index or a data stream: lower-case letters, digits, `.`, `_` and `-`. Another ends the program.
    ///   - service: Written as `service.name`.
    public init(url: String, index: String = "logs-logbook-default", authorization: Authorization = .none, service: String? = nil) {
        let isName = index.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || [0x2E, 0x5F, 0x2D].contains(byte)
        }
        requireValid(isName && !index.isEmpty, "ElasticsearchDestination: index must be lower-case letters, digits, . _ and -")
        // Of each entry no more than what is read: else the answer would be as long as the parcel.
        self.url = url.withoutTrailingSlashes + "/\(index)/_bulk?filter_path=" + Self.fields.joined(separator: ",")
        self.authorization = authorization
        format = ECSFormat(service: service, limits: .highest)
    }

    private static let fields = ["errors", "items.*.status", "items.*.error.type", "items.*.error.reason"]

    public var limits: DestinationLimits { DestinationLimits(events: 5000, bytes: 10 << 20) }

    public func encode(_ events: [KeyedEvent]) -> [UInt8] {
        var bytes: [UInt8] = []
        for event in events {
            bytes += #"{"create":{"_id":"#.utf8
            bytes.append(jsonString: event.key)
            bytes += "}}\n".utf8
            format.append(event.event, to: &bytes)
        }
        return bytes
    }

    public func request(for parcel: Parcel) -> HTTPRequest {
        var request = HTTPRequest(
            url: url, headers: parcel.contentHeaders + authorization.headers, body: parcel.body, stream: parcel.stream)
        request.limits.responseBodyBytes = 16 << 20   // it is read to its end: there is no other word about an entry
        return request
    }

    public func verdict(on response: HTTPResponse, for parcel: Parcel) -> DeliveryVerdict {
        guard response.status == 200 else { return .refusal(by: response) }
        var limits = JSONLimits()
        limits.elements = 10 * parcel.count + 1000
        guard let answer = try? JSONValue.parse(response.body, limits: limits), case .bool(let hasErrors)? = answer["errors"],
            case .array(let items)? = answer["items"], items.count == parcel.count
        else { return .notAcknowledged(response, by: "Elasticsearch or OpenSearch") }
        if !hasErrors { return .delivered }
        var fates = EntryFates()
        for (place, item) in items.enumerated() {
            guard case .object(let members) = item, let outcome = members.first?.value,
                case .integer(let status)? = outcome["status"]
            else { return .notAcknowledged(response, by: "Elasticsearch or OpenSearch") }
            switch status {
            case 200..<300, 409: break   // it is there, now or since an earlier attempt
            // What was stored beside it answers 409 the next time.
            case 401, 403, 404: return .misconfigured(Self.reason(outcome["error"], status))
            case 400 where Self.isAboutIndex(outcome["error"]): return .misconfigured(Self.reason(outcome["error"], status))
            case 500 where Self.isAboutPipeline(outcome["error"]): fates.rejected[place] = Self.reason(outcome["error"], status)
            case 429, 500...: fates.again.insert(place)
            default: fates.rejected[place] = Self.reason(outcome["error"], status)
            }
        }
        return fates == EntryFates() ? .delivered : .partly(fates, after: nil)
    }

    /// What the receiver says of an index that takes no event at all, and has the same status for as for an event that is at fault.
    private static func isAboutIndex(_ error: JSONValue?) -> Bool {
        // The second where the index would have to be made first: a name that begins with a dash or `_`, or is too long.
        if error?["type"] == .string("index_closed_exception") || error?["type"] == .string("invalid_index_name_exception") { return true }
        guard case .string(let reason)? = error?["reason"] else { return false }
        // … [2] shards, but this cluster currently has [1000]/[1000] maximum normal shards open;
        return reason.hasPrefix("no write index is defined") || reason.hasPrefix("Validation Failed: 1: this action would add [")
    }

    /// What a pipeline fails on each time, so that nothing behind the event would ever go. Whatever else has this status passes: a shard
    /// whose log of changes is closed, a disk that fails.
    private static func isAboutPipeline(_ error: JSONValue?) -> Bool {
        guard case .string(let type)? = error?["type"] else { return false }
        return pipelineFailures.contains(type)
    }

    /// The names of processors' own exceptions, of what wraps them in each version, and of mistakes that Java finds in a script.
    private static let pipelineFailures: Set<String> = [
        "exception", "ingest_processor_exception", "fail_processor_exception", "script_exception", "general_script_exception",
        "null_pointer_exception", "class_cast_exception", "index_out_of_bounds_exception", "array_index_out_of_bounds_exception",
        "string_index_out_of_bounds_exception", "arithmetic_exception", "date_time_exception", "unsupported_operation_exception",
    ]

    private static func reason(_ error: JSONValue?, _ status: Int64) -> String {
        let words = ["type", "reason"].compactMap { key -> String? in
            if case .string(let text)? = error?[key] { text } else { nil }
        }
        return (["status \(status)"] + words).joined(separator: ": ")
    }
}

extension LogDestination where Self == ElasticsearchDestination {
    /// Elasticsearch or OpenSearch.
    public static func elasticsearch(
        url: String, index: String = "logs-logbook-default", authorization: Authorization = .none, service: String? = nil
    ) -> ElasticsearchDestination {
        ElasticsearchDestination(url: url, index: index, authorization: authorization, service: service)
    }
}

extension DeliveryVerdict {
    /// For an answer that looks like success and acknowledges nothing, such as a hotel's login page.
    static func notAcknowledged(_ response: HTTPResponse, by receiver: String) -> DeliveryVerdict {
        .retry(after: nil, "HTTP status \(response.status) without an acknowledgement; is this \(receiver)?")
    }
}
