internal import LogbookCore
internal import LogbookFormat

/// Reads a set in one pass over its bytes, and makes nothing but what the set holds: a collector does so with all that it takes.
struct TransactionSetReader {
    private enum Key {
        case transactions
        case id, usecase, deviceMake, deviceOS, deviceOSVersion, user, variant, appVersion, session, installation, entries
        case event, errorCode, errorDescription, timestamp, microseconds, entryID, offset, entryMake, entryOS, entryOSVersion

        static let ofSet: [Key] = [.transactions]
        static let ofTransaction: [Key] = [
            .id, .usecase, .deviceMake, .deviceOS, .deviceOSVersion, .user, .variant, .appVersion, .session, .installation, .entries,
        ]
        static let ofEntry: [Key] = [
            .event, .errorCode, .errorDescription, .timestamp, .microseconds, .entryID, .offset, .entryMake, .entryOS, .entryOSVersion,
        ]

        var name: StaticString {
            switch self {
            case .transactions: "apptxns"
            case .id: "apptxn/id"
            case .usecase: "apptxn/usecase"
            case .deviceMake: "apptxn/user-agent-device-make"
            case .deviceOS: "apptxn/user-agent-device-os"
            case .deviceOSVersion: "apptxn/user-agent-device-os-version"
            case .user: "apptxn/user"
            case .variant: "apptxn/variant"
            case .appVersion: "apptxn/app-version"
            case .session: "apptxn/session"
            case .installation: "apptxn/installation"
            case .entries: "apptxn/logs"
            case .event: "apptxnlog/usecase-event"
            case .errorCode: "apptxnlog/in-ctx-err-code"
            case .errorDescription: "apptxnlog/in-ctx-err-desc"
            case .timestamp: "apptxnlog/timestamp"
            case .microseconds: "apptxnlog/timestamp-us"
            case .entryID: "apptxnlog/id"
            case .offset: "apptxnlog/offset"
            case .entryMake: "apptxnlog/user-agent-device-make"
            case .entryOS: "apptxnlog/user-agent-device-os"
            case .entryOSVersion: "apptxnlog/user-agent-device-os-version"
            }
        }

        /// A sender of version 0.0.1 means something else by it.
        var isOfVersion2: Bool {
            switch self {
            case .user, .variant, .appVersion, .session, .installation, .microseconds, .entryID, .offset, .entryMake, .entryOS,
                .entryOSVersion:
                true
            default: false
            }
        }
    }

    private static let setKeys = JSONKeys(Key.ofSet.map(\.name))
    private static let transactionKeys = JSONKeys(Key.ofTransaction.map(\.name))
    private static let entryKeys = JSONKeys(Key.ofEntry.map(\.name))
    /// UTF-8 bytes; those of every date that is one are fewer.
    private static let longestDate = 64
    /// In how many arrays and objects of the document what an object holds stands.
    private static let (depthOfSet, depthOfTransaction, depthOfEntry) = (1, 3, 5)

    private let bytes: UnsafeBufferPointer<UInt8>
    private let jsonLimits: JSONLimits
    private let version: TransactionSetVersion
    private let limits: TransactionSetLimits
    private var json: JSONReader
    private var entryCount = 0
    // Where it is, counted from 0.
    private var transactionIndex = 0
    private var entryIndex = 0
    // What the latest entry said, for the next one to say again.
    private var installation = RecentText()
    private var date: (text: String, time: LogTime)?

    /// - Parameter bytes: Those that outlive the reader.
    init(_ bytes: UnsafeBufferPointer<UInt8>, _ version: TransactionSetVersion, _ limits: TransactionSetLimits) {
        var jsonLimits = JSONLimits()
        // So that it is our own limit that is named.
        jsonLimits.elements = Self.product(max(limits.transactions, limits.entries), 1, plus: 1)
        jsonLimits.stringBytes = Self.product(max(limits.textBytes, limits.idBytes), 6, plus: 2)   // every byte may come escaped
        json = JSONReader(bytes, limits: jsonLimits)
        self.bytes = bytes
        self.jsonLimits = jsonLimits
        self.version = version
        self.limits = limits
    }

    /// The highest number where none can hold it.
    private static func product(_ limit: Int, _ factor: Int, plus more: Int) -> Int {
        guard case (let product, false) = limit.multipliedReportingOverflow(by: factor),
            case (let sum, false) = product.addingReportingOverflow(more)
        else { return .max }
        return sum
    }

    mutating func set() throws(TransactionSetError) -> TransactionSet {
        json.skipSpace()
        guard json.isAtObject else { throw try wrong("the set", "an object with the key apptxns", depth: 0) }
        var transactions: [TransactionRecord]?
        var members = JSONMembers(Self.setKeys, depth: Self.depthOfSet)
        while try next(&members) != nil { transactions = try self.transactions() }
        do throws(JSONError) { try json.end() } catch { throw Self.notJSON(error) }
        return TransactionSet(transactions: try required(transactions, .transactions))
    }

    private mutating func transactions() throws(TransactionSetError) -> [TransactionRecord] {
        let depth = Self.depthOfSet
        guard json.isAtArray else { throw try wrong(path(of: .transactions), "an array", depth: depth) }
        var transactions: [TransactionRecord] = []
        while try nextElement(behind: transactions.count, depth: depth + 1) {
            if transactions.count == limits.transactions { throw .tooLarge(path: path(of: .transactions), limit: limits.transactions) }
            transactionIndex = transactions.count
            transactions.append(try transaction())
        }
        return transactions
    }

    private mutating func transaction() throws(TransactionSetError) -> TransactionRecord {
        let depth = Self.depthOfTransaction
        guard json.isAtObject else { throw try wrong(transactionPath, "an object", depth: depth - 1) }
        var id: String?, usecase: Int?, entries: [EntryRecord]?, record = TransactionRecord(id: "", usecase: 0)
        var members = JSONMembers(Self.transactionKeys, depth: depth)
        while let key = try next(&members, among: Key.ofTransaction, depth) {
            switch key {
            case .id: id = try text(key, limit: limits.idBytes, depth)
            case .usecase: usecase = try integer(key, "a whole number", depth)
            case .deviceMake: record.deviceMake = try text(key, limit: limits.textBytes, depth)
            case .deviceOS: record.deviceOS = try text(key, limit: limits.textBytes, depth)
            case .deviceOSVersion: record.deviceOSVersion = try text(key, limit: limits.textBytes, depth)
            case .user: record.user = try text(key, limit: limits.idBytes, depth)
            case .variant: record.variant = try text(key, limit: limits.idBytes, depth)
            case .appVersion: record.appVersion = try text(key, limit: limits.idBytes, depth)
            case .session: record.session = try text(key, limit: limits.idBytes, depth)
            case .installation: record.installation = try text(key, limit: limits.idBytes, depth)
            default: entries = try self.entries()
            }
        }
        record.id = try required(id, .id)
        if record.id.isEmpty { throw .invalid(path: path(of: .id), expected: "a text that is not empty") }
        record.usecase = try required(usecase, .usecase)
        record.entries = try required(entries, .entries)
        return record
    }

    private mutating func entries() throws(TransactionSetError) -> [EntryRecord] {
        let depth = Self.depthOfTransaction
        guard json.isAtArray else { throw try wrong(path(of: .entries), "an array", depth: depth) }
        var entries: [EntryRecord] = []
        while try nextElement(behind: entries.count, depth: depth + 1) {
            if entryCount == limits.entries { throw .tooLarge(path: path(of: .entries), limit: limits.entries) }
            entryCount += 1
            entryIndex = entries.count
            entries.append(try entry())
        }
        return entries
    }

    private mutating func entry() throws(TransactionSetError) -> EntryRecord {
        let depth = Self.depthOfEntry
        guard json.isAtObject else { throw try wrong(entryPath, "an object", depth: depth - 1) }
        var event: Int?, timestamp: Int?, time: LogTime?, record = EntryRecord(event: 0, time: LogTime(nanoseconds: 0))
        var make: String?, os: String?, osVersion: String?
        var members = JSONMembers(Self.entryKeys, depth: depth)
        while let key = try next(&members, among: Key.ofEntry, depth) {
            switch key {
            case .event: event = try integer(key, "a whole number", depth)
            case .errorCode: record.errorCode = try errorCode()
            case .errorDescription: record.errorDescription = try text(key, limit: limits.textBytes, depth)
            case .timestamp:
                // It counts where no microseconds are said, which are written behind it.
                timestamp = json.position
                try pass(depth: depth)
            case .microseconds: time = LogTime(nanoseconds: try nanoseconds(key, "whole microseconds since 1970", from: .min))
            case .entryID: record.key = try entryKey()
            case .entryMake: make = try text(key, limit: limits.textBytes, depth)
            case .entryOS: os = try text(key, limit: limits.textBytes, depth)
            case .entryOSVersion: osVersion = try text(key, limit: limits.textBytes, depth)
            default: record.offset = try nanoseconds(key, "whole microseconds since the session began, or absent", from: 0)
            }
        }
        record.event = try required(event, .event)
        record.device = DeviceFacts.known(make: make, os: os, osVersion: osVersion)
        if let time { record.time = time } else { record.time = try date(at: required(timestamp, .timestamp)) }
        return record
    }

    /// - Parameter position: Of what was passed over.
    private mutating func date(at position: Int) throws(TransactionSetError) -> LogTime {
        let end = json.position
        json = JSONReader(bytes, limits: jsonLimits, from: position)
        let text = try text(.timestamp, limit: limits.textBytes, Self.depthOfEntry)
        json = JSONReader(bytes, limits: jsonLimits, from: end)
        if let date, date.text.isSameText(as: text) { return date.time }
        guard text.utf8.count <= Self.longestDate, let time = HTTPDate.time(text) else {
            throw .invalid(path: path(of: .timestamp), expected: "a date as in RFC 7231: Fri, 06 Feb 2015 05:59:27 GMT")
        }
        date = (text, time)
        return time
    }

    private mutating func entryKey() throws(TransactionSetError) -> EntryKey {
        let key: EntryKey?
        if let plain = json.plainString() {
            if plain.count > limits.idBytes { throw .tooLarge(path: path(of: .entryID), limit: limits.idBytes) }
            key = EntryKey(utf8: plain) { installation.text($0) }
        } else {
            key = EntryKey(try text(.entryID, limit: limits.idBytes, Self.depthOfEntry))
        }
        guard let key else { throw .invalid(path: path(of: .entryID), expected: "<installation>:<epoch>:<sequence>") }
        return key
    }

    /// The original client's store made texts of its error codes.
    private mutating func errorCode() throws(TransactionSetError) -> Int {
        let expected = "a whole number or null"
        guard json.isAtString else { return try integer(.errorCode, expected, Self.depthOfEntry) }
        guard let code = Int(try text(.errorCode, limit: limits.textBytes, Self.depthOfEntry)) else {
            throw .invalid(path: path(of: .errorCode), expected: expected)
        }
        return code
    }

    // MARK: Values

    private mutating func next(_ members: inout JSONMembers) throws(TransactionSetError) -> Int? {
        do throws(JSONError) { return try members.next(&json) } catch { throw Self.notJSON(error) }
    }

    /// - Returns: The next key whose value counts here; nil behind the object's end.
    private mutating func next(_ members: inout JSONMembers, among keys: [Key], _ depth: Int) throws(TransactionSetError) -> Key? {
        while let index = try next(&members) {
            let key = keys[index]
            if !key.isOfVersion2 || version != .v0_0_1 { return key }
            try pass(depth: depth)
        }
        return nil
    }

    private mutating func nextElement(behind count: Int, depth: Int) throws(TransactionSetError) -> Bool {
        do throws(JSONError) { return try json.nextElement(behind: count, depth: depth) } catch { throw Self.notJSON(error) }
    }

    private mutating func integer<Number: FixedWidthInteger>(
        _ key: Key, _ expected: String, _ depth: Int
    ) throws(TransactionSetError) -> Number {
        // Nothing is made of what is no number: of arrays within arrays that would take many times as much as the document.
        if json.isAtArray || json.isAtObject || json.isAtString { throw try wrong(path(of: key), expected, depth: depth) }
        let number: Number?
        if let natural = json.plainNatural() {
            number = Number(exactly: natural)
        } else if case .integer(let integer) = try value(depth: depth) {
            number = Number(exactly: integer)
        } else {
            number = nil
        }
        guard let number else { throw .invalid(path: path(of: key), expected: expected) }
        return number
    }

    /// Of microseconds: of today's more than an Int of 32 bits holds.
    private mutating func nanoseconds(_ key: Key, _ expected: String, from least: Int64) throws(TransactionSetError) -> Int64 {
        let microseconds: Int64 = try integer(key, expected, Self.depthOfEntry)
        guard microseconds >= least, case (let nanoseconds, false) = microseconds.multipliedReportingOverflow(by: 1000) else {
            throw .invalid(path: path(of: key), expected: expected)
        }
        return nanoseconds
    }

    private mutating func text(_ key: Key, limit: Int, _ depth: Int) throws(TransactionSetError) -> String {
        guard json.isAtString else { throw try wrong(path(of: key), "a text", depth: depth) }
        let text: String
        do throws(JSONError) { text = try json.string() } catch { throw Self.notJSON(error) }
        if text.utf8.count > limit { throw .tooLarge(path: path(of: key), limit: limit) }
        return text
    }

    private mutating func value(depth: Int) throws(TransactionSetError) -> JSONValue {
        do throws(JSONError) { return try json.value(depth: depth) } catch { throw Self.notJSON(error) }
    }

    private mutating func pass(depth: Int) throws(TransactionSetError) {
        do throws(JSONError) { try json.pass(depth: depth) } catch { throw Self.notJSON(error) }
    }

    // MARK: Faults

    private var transactionPath: String { "\(Key.transactions.name)[\(transactionIndex)]" }
    private var entryPath: String { "\(path(of: .entries))[\(entryIndex)]" }

    private func path(of key: Key) -> String {
        switch key {
        case .transactions: "\(key.name)"
        case .event, .errorCode, .errorDescription, .timestamp, .microseconds, .entryID, .offset, .entryMake, .entryOS, .entryOSVersion:
            "\(entryPath).\(key.name)"
        default: "\(transactionPath).\(key.name)"
        }
    }

    /// Of a value of another kind; what is no value at all is no JSON.
    private mutating func wrong(_ path: String, _ expected: String, depth: Int) throws(TransactionSetError) -> TransactionSetError {
        try pass(depth: depth)
        return .invalid(path: path, expected: expected)
    }

    private func required<Value>(_ value: Value?, _ key: Key) throws(TransactionSetError) -> Value {
        guard let value else { throw .missing(path: path(of: key)) }
        return value
    }

    private static func notJSON(_ error: JSONError) -> TransactionSetError { .notJSON("\(error)") }
}
