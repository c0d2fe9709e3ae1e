internal import LogbookCore
public import LogbookDelivery
internal import LogbookFormat
public import LogbookHTTP

/// A table of ClickHouse, over HTTP: `INSERT INTO <table> FORMAT JSONEachRow`.
///
/// ```sql
/// CREATE TABLE logs (
///     time DateTime, nanos UInt32, level String, message String, installation String, epoch UInt64, sequence UInt64,
///     category String, transaction_id String, event String
/// ) ENGINE = ReplacingMergeTree ORDER BY (time, installation, epoch, sequence)
/// ```
/// `event` is the whole event as a JSON line; columns that the table does not have are left out. A parcel is sent again with the
/// same rows in the same order, which replicated tables store once; `ReplacingMergeTree` stores each key once, in time. Through a
/// `Distributed` table the answer comes when every shard has its rows.
/// - Note: Source: clickhouse.com, "HTTP interface", "JSONEachRow"; measured on 18.16 and 26.9.
public struct ClickHouseDestination: LogDestination, Hashable {
    private let url: String
    private let user: String?
    private let password: Secret?

    /// - Parameters:
    ///   - url: Where the server is, without a path: `https://clickhouse.example.com:8443`.
    ///   - table: `logs` or `database.logs`: letters, digits and `_`. Another ends the program.
    ///   - settings: More of ClickHouse's settings, for this insert.
    public init(
        url: String, table: String = "logs", user: String? = nil, password: Secret? = nil, settings: [String: String] = [:]
    ) {
        requireValid(Self.isTable(table), "ClickHouseDestination: table must be letters, digits and _, with one dot at most")
        var parameters = settings
        parameters["input_format_skip_unknown_fields"] = "1"
        parameters["insert_distributed_sync"] = "1"
        parameters["query"] = "INSERT INTO \(table) FORMAT JSONEachRow"
        self.url = url.withoutTrailingSlashes + "/?"
            + parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.percentEncoded)" }.joined(separator: "&")
        self.user = user
        self.password = password
    }

    /// `logs`, `database.logs`.
    static func isTable(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: 0x2E, omittingEmptySubsequences: false)
        return parts.count <= 2 && parts.allSatisfy { part in
            !part.isEmpty && part.allSatisfy { byte in
                (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x5F
            }
        }
    }

    public func encode(_ events: [KeyedEvent]) -> [UInt8] {
        var bytes: [UInt8] = []
        for keyed in events {
            let event = keyed.event
            // As a number: text would be read in the server's time zone.
            bytes += #"{"time":\#(max(0, event.time.wholeSeconds)),"nanos":\#(event.time.nanosecondOfSecond),"level":"#.utf8
            bytes.append(jsonString: event.level.name)
            bytes += #","message":"#.utf8
            bytes.append(jsonString: event.message)
            bytes += #","installation":"#.utf8
            bytes.append(jsonString: keyed.origin.installation)
            bytes += #","epoch":\#(keyed.origin.epoch),"sequence":\#(event.sequence),"category":"#.utf8
            bytes.append(jsonString: event.category ?? "")
            bytes += #","transaction_id":"#.utf8
            bytes.append(jsonString: event.transactionID ?? "")
            bytes += #","event":"#.utf8
            var line: [UInt8] = []
            JSONLines.appendObject(keyed, to: &line)
            bytes.append(jsonString: String(decoding: line, as: UTF8.self))
            bytes += "}\n".utf8
        }
        return bytes
    }

    public func request(for parcel: Parcel) -> HTTPRequest {
        var headers = parcel.contentHeaders
        if let user { headers.append(HTTPHeader("X-ClickHouse-User", user)) }
        if let password { headers.append(HTTPHeader("X-ClickHouse-Key", password.revealed)) }
        return HTTPRequest(url: url, headers: headers, body: parcel.body, stream: parcel.stream)
    }

    /// An insert that succeeded has an empty answer; the status of one that failed says less than the code in its text.
    public func verdict(on response: HTTPResponse, for parcel: Parcel) -> DeliveryVerdict {
        if response.status == 200 && response.body.isEmpty { return .delivered }
        guard let code = Self.code(in: response) else {
            return response.status == 200 ? .notAcknowledged(response, by: "ClickHouse") : .refusal(by: response)
        }
        let text = String(decoding: response.body.prefix(300), as: UTF8.self).split(separator: "\n").first.map(String.init)
        let reason = text ?? "code \(code)"
        if Self.refusals.contains(code) { return .misconfigured(reason) }
        if Self.faultsOfRows.contains(code) { return .rejected(reason) }
        // Of an enum, from servers that do not know 691.
        if code == 36 || code == 49, Self.says("Unknown element", response) { return .rejected(reason) }
        // In one insert; with "Too many parts" the server has more than it can merge.
        if code == 252, Self.says("Too many partitions", response) { return .tooLarge(reason) }
        return .retry(after: RetryAfter.asked(by: response), reason)
    }

    /// No such column, function, table or database; a query that cannot be read; an unknown setting; a read-only user; no or
    /// wrong credentials.
    private static let refusals: Set<Int> = [16, 46, 47, 60, 62, 81, 115, 164, 192, 193, 194, 291, 497, 516]
    /// A row that cannot be read, as a number, text, date, UUID or JSON; an unknown field; a value of a wrong type, out of its range or
    /// not in the column's enum; a row that the table's constraints refuse.
    private static let faultsOfRows: Set<Int> = [6, 25, 26, 27, 38, 41, 53, 69, 70, 72, 117, 130, 131, 321, 349, 376, 467, 469, 691]

    private static func says(_ words: String, _ response: HTTPResponse) -> Bool {
        String(decoding: response.body.prefix(64 << 10), as: UTF8.self).contains(words)
    }

    /// `Code: 26, e.displayText() = …` or `Code: 26. DB::Exception: …`, or what newer servers say in a header.
    private static func code(in response: HTTPResponse) -> Int? {
        if let field = response.header("X-ClickHouse-Exception-Code"), let code = Int(field) { return code }
        let text = String(decoding: response.body.prefix(64 << 10), as: UTF8.self)
        guard let start = text.firstRange(of: "Code: ") else { return nil }
        return Int(text[start.upperBound...].prefix { $0.isASCII && $0.isNumber })
    }
}

extension LogDestination where Self == ClickHouseDestination {
    /// A table of ClickHouse.
    public static func clickHouse(
        url: String, table: String = "logs", user: String? = nil, password: Secret? = nil, settings: [String: String] = [:]
    ) -> ClickHouseDestination {
        ClickHouseDestination(url: url, table: table, user: user, password: password, settings: settings)
    }
}
