internal import LogbookCore
internal import LogbookFormat

extension TransactionSet {
    /// Reads a set as a receiver should: strict about what it stores, patient about what it ignores. Keys that it does not know
    /// are skipped, a transaction without entries is taken as it is, and an error code may be a number in quotes.
    /// - Throws: The first fault, named by its path.
    public static func decode(
        _ bytes: [UInt8], _ version: TransactionSetVersion = .v0_0_1, limits: TransactionSetLimits = TransactionSetLimits()
    ) throws(TransactionSetError) -> TransactionSet {
        var json = JSONLimits()
        json.elements = max(limits.transactions, limits.entries)
        json.stringBytes = max(limits.textBytes, limits.idBytes) * 6 + 2   // every byte may come escaped
        let document: JSONValue
        do { document = try JSONValue.parse(bytes, limits: json) } catch { throw .notJSON("\(error)") }
        guard case .object = document else { throw .invalid(path: "the set", expected: "an object with the key apptxns") }
        var reader = TransactionSetReader(version: version, limits: limits)
        return TransactionSet(transactions: try reader.transactions(Field(document, "apptxns", in: nil)))
    }
}

/// Where something stands; written out only when it is found wrong.
private final class Place {
    private let parent: Place?
    private let key: String
    private let index: Int?

    init(_ key: String, _ index: Int? = nil, in parent: Place?) {
        self.parent = parent
        self.key = key
        self.index = index
    }

    var path: String { (parent.map { "\($0.path)." } ?? "") + key + (index.map { "[\($0)]" } ?? "") }
}

/// A value of the document, and where it stands.
private struct Field {
    let parent: Place?
    let key: String
    /// Nil when it is absent, or null.
    let value: JSONValue?

    init(_ object: JSONValue, _ key: String, in parent: Place?) {
        self.parent = parent
        self.key = key
        let found = object[key]
        value = found == .null ? nil : found
    }

    var path: String { Place(key, in: parent).path }
    func element(_ index: Int) -> Place { Place(key, index, in: parent) }
}

private struct TransactionSetReader {
    let version: TransactionSetVersion
    let limits: TransactionSetLimits
    private var entryCount = 0

    init(version: TransactionSetVersion, limits: TransactionSetLimits) {
        self.version = version
        self.limits = limits
    }

    mutating func transactions(_ field: Field) throws(TransactionSetError) -> [TransactionRecord] {
        let elements = try array(field)
        if elements.count > limits.transactions { throw .tooLarge(path: field.path, limit: limits.transactions) }
        var transactions: [TransactionRecord] = []
        transactions.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            transactions.append(try transaction(element, at: field.element(index)))
        }
        return transactions
    }

    private mutating func transaction(_ element: JSONValue, at place: Place) throws(TransactionSetError) -> TransactionRecord {
        guard case .object = element else { throw .invalid(path: place.path, expected: "an object") }
        let id = Field(element, "apptxn/id", in: place)
        var transaction = TransactionRecord(
            id: try required(try text(id, limit: limits.idBytes), id),
            usecase: try integer(Field(element, "apptxn/usecase", in: place)),
            deviceMake: try text(Field(element, "apptxn/user-agent-device-make", in: place), limit: limits.textBytes),
            deviceOS: try text(Field(element, "apptxn/user-agent-device-os", in: place), limit: limits.textBytes),
            deviceOSVersion: try text(Field(element, "apptxn/user-agent-device-os-version", in: place), limit: limits.textBytes))
        if version != .v0_0_1 {
            transaction.user = try text(Field(element, "apptxn/user", in: place), limit: limits.idBytes)
            transaction.variant = try text(Field(element, "apptxn/variant", in: place), limit: limits.idBytes)
            transaction.appVersion = try text(Field(element, "apptxn/app-version", in: place), limit: limits.idBytes)
            transaction.session = try text(Field(element, "apptxn/session", in: place), limit: limits.idBytes)
            transaction.installation = try text(Field(element, "apptxn/installation", in: place), limit: limits.idBytes)
        }
        if transaction.id.isEmpty { throw .invalid(path: id.path, expected: "a text that is not empty") }
        let logs = Field(element, "apptxn/logs", in: place)
        let elements = try array(logs)
        entryCount += elements.count
        if entryCount > limits.entries { throw .tooLarge(path: logs.path, limit: limits.entries) }
        transaction.entries.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            transaction.entries.append(try entry(element, at: logs.element(index)))
        }
        return transaction
    }

    private func entry(_ element: JSONValue, at place: Place) throws(TransactionSetError) -> EntryRecord {
        guard case .object = element else { throw .invalid(path: place.path, expected: "an object") }
        return EntryRecord(
            event: try integer(Field(element, "apptxnlog/usecase-event", in: place)),
            errorCode: try errorCode(Field(element, "apptxnlog/in-ctx-err-code", in: place)),
            errorDescription: try text(Field(element, "apptxnlog/in-ctx-err-desc", in: place), limit: limits.textBytes),
            time: try time(element, at: place),
            key: version == .v0_0_1 ? nil : try key(Field(element, "apptxnlog/id", in: place)),
            offset: version == .v0_0_1 ? nil : try offset(Field(element, "apptxnlog/offset", in: place)))
    }

    private func offset(_ field: Field) throws(TransactionSetError) -> Int64? {
        guard let value = field.value else { return nil }
        guard case .integer(let microseconds) = value, microseconds >= 0,
            case (let nanoseconds, false) = microseconds.multipliedReportingOverflow(by: 1000)
        else { throw .invalid(path: field.path, expected: "whole microseconds since the session began, or absent") }
        return nanoseconds
    }

    private func time(_ element: JSONValue, at place: Place) throws(TransactionSetError) -> LogTime {
        if version != .v0_0_1 {
            let field = Field(element, "apptxnlog/timestamp-us", in: place)
            if field.value != nil {
                guard case .integer(let microseconds)? = field.value,
                    case (let nanoseconds, false) = microseconds.multipliedReportingOverflow(by: 1000)
                else { throw .invalid(path: field.path, expected: "whole microseconds since 1970") }
                return LogTime(nanoseconds: nanoseconds)
            }
        }
        let field = Field(element, "apptxnlog/timestamp", in: place)
        guard let time = HTTPDate.time(try required(try text(field, limit: limits.textBytes), field)) else {
            throw .invalid(path: field.path, expected: "a date as in RFC 7231: Fri, 06 Feb 2015 05:59:27 GMT")
        }
        return time
    }

    private func key(_ field: Field) throws(TransactionSetError) -> EntryKey? {
        guard let text = try text(field, limit: limits.idBytes) else { return nil }
        guard let key = EntryKey(text) else { throw .invalid(path: field.path, expected: "<installation>:<epoch>:<sequence>") }
        return key
    }

    /// The original client's store made texts of its error codes.
    private func errorCode(_ field: Field) throws(TransactionSetError) -> Int? {
        switch field.value {
        case nil: return nil
        case .string(let text)?:
            guard let code = Int(text) else { throw .invalid(path: field.path, expected: "a whole number or null") }
            return code
        default: return try integer(field)
        }
    }

    private func integer(_ field: Field) throws(TransactionSetError) -> Int {
        guard case .integer(let number) = try required(field.value, field), let number = Int(exactly: number) else {
            throw .invalid(path: field.path, expected: "a whole number")
        }
        return number
    }

    private func text(_ field: Field, limit: Int) throws(TransactionSetError) -> String? {
        guard let value = field.value else { return nil }
        guard case .string(let text) = value else { throw .invalid(path: field.path, expected: "a text") }
        if text.utf8.count > limit { throw .tooLarge(path: field.path, limit: limit) }
        return text
    }

    private func array(_ field: Field) throws(TransactionSetError) -> [JSONValue] {
        guard case .array(let elements) = try required(field.value, field) else {
            throw .invalid(path: field.path, expected: "an array")
        }
        return elements
    }

    private func required<Value>(_ value: Value?, _ field: Field) throws(TransactionSetError) -> Value {
        guard let value else { throw .missing(path: field.path) }
        return value
    }
}
