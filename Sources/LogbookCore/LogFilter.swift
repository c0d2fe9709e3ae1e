/// Which events a registration hears besides their level: a value that can be combined, compared, printed and exchanged while the
/// program runs.
///
/// ```swift
/// service.register(audit, where: .category("payment") && !.text(containing: "heartbeat"))
/// registration.filter = .metadata("tenant", is: "north") || .level(.error)
/// ```
public struct LogFilter: Sendable, Hashable {
    private indirect enum Condition: Sendable, Hashable {
        case level(LogLevel)
        case module(LogPattern)
        case category(LogPattern)
        case text(String)
        case hasMetadata(String)
        case metadata(String, LogValue)
        case inTransaction
        case transaction(String)
        case entry
        case all([LogFilter])
        case any([LogFilter])
        case not(LogFilter)
    }
    private let condition: Condition

    /// Lets every event pass.
    public static let everything = LogFilter(condition: .all([]))
    /// Lets no event pass.
    public static let nothing = LogFilter(condition: .any([]))

    /// Events of this level and above.
    public static func level(_ lowest: LogLevel) -> LogFilter { LogFilter(condition: .level(lowest)) }
    /// Events from the modules that the pattern covers.
    public static func module(_ pattern: LogPattern) -> LogFilter { LogFilter(condition: .module(pattern)) }
    /// Events of the categories that the pattern covers; an event without a category is of none.
    public static func category(_ pattern: LogPattern) -> LogFilter { LogFilter(condition: .category(pattern)) }
    /// Events whose message contains the text, compared byte by byte.
    public static func text(containing text: String) -> LogFilter { LogFilter(condition: .text(text)) }
    /// Events that have the metadata key.
    public static func metadata(_ key: String) -> LogFilter { LogFilter(condition: .hasMetadata(key)) }
    /// Events that have this value, of this type, under the metadata key.
    public static func metadata(_ key: String, is value: LogValue) -> LogFilter { LogFilter(condition: .metadata(key, value)) }
    /// Events that were said in a transaction: its entries, and messages while it was current.
    public static let inTransaction = LogFilter(condition: .inTransaction)
    /// Events that were said in the transaction of this id.
    public static func transaction(_ id: String) -> LogFilter { LogFilter(condition: .transaction(id)) }
    /// A transaction's entries.
    public static let transactionEntries = LogFilter(condition: .entry)

    /// Events that pass every filter; every event when there is none.
    public static func all(_ filters: [LogFilter]) -> LogFilter { LogFilter(condition: .all(filters)) }
    /// Events that pass at least one filter; no event when there is none.
    public static func any(_ filters: [LogFilter]) -> LogFilter { LogFilter(condition: .any(filters)) }

    public static func && (left: LogFilter, right: LogFilter) -> LogFilter {
        switch (left.condition, right.condition) {
        case (.all(let left), .all(let right)): .all(left + right)
        case (.all(let left), _): .all(left + [right])
        case (_, .all(let right)): .all([left] + right)
        default: .all([left, right])
        }
    }
    public static func || (left: LogFilter, right: LogFilter) -> LogFilter {
        switch (left.condition, right.condition) {
        case (.any(let left), .any(let right)): .any(left + right)
        case (.any(let left), _): .any(left + [right])
        case (_, .any(let right)): .any([left] + right)
        default: .any([left, right])
        }
    }
    public static prefix func ! (filter: LogFilter) -> LogFilter { LogFilter(condition: .not(filter)) }

    public func accepts(_ event: LogEvent) -> Bool {
        switch condition {
        case .level(let lowest): event.level >= lowest
        case .module(let pattern): event.source.withModuleUTF8(pattern.matches)
        case .category(let pattern): event.category.map(pattern.matches) ?? false
        case .text(let text): event.message.containsBytes(of: text)
        case .hasMetadata(let key): event.metadata[key] != nil
        case .metadata(let key, let value): event.metadata[key] == value
        case .inTransaction: event.transactionID != nil
        case .transaction(let id): event.transactionID?.isSameText(as: id) ?? false
        case .entry: event.isEntry
        case .all(let filters): filters.allSatisfy { $0.accepts(event) }
        case .any(let filters): filters.contains { $0.accepts(event) }
        case .not(let filter): !filter.accepts(event)
        }
    }

    /// The smallest part of the filter that keeps the event back; nil when it passes.
    public func refusal(of event: LogEvent) -> LogFilter? {
        switch condition {
        case .all(let filters): filters.lazy.compactMap { $0.refusal(of: event) }.first
        default: accepts(event) ? nil : self
        }
    }

    /// No event below this level passes; 0 when that cannot be said.
    var floor: UInt8 {
        switch condition {
        case .level(let lowest): lowest.rawValue
        case .all(let filters): filters.map(\.floor).max() ?? 0
        case .any(let filters): filters.map(\.floor).min() ?? .max
        default: 0
        }
    }
}

extension LogFilter: CustomStringConvertible {
    /// `category payment and not text "heartbeat"`.
    public var description: String {
        switch condition {
        case .level(let lowest): "level \(lowest.name) or above"
        case .module(let pattern): "module \(pattern)"
        case .category(let pattern): "category \(pattern)"
        case .text(let text): "text \"\(text)\""
        case .hasMetadata(let key): "metadata \(key)"
        case .metadata(let key, let value): "metadata \(key) = \(value.brief)"
        case .inTransaction: "in a transaction"
        case .transaction(let id): "in transaction \(id)"
        case .entry: "transaction entry"
        case .all(let filters): filters.isEmpty ? "everything" : filters.map(\.nested).joined(separator: " and ")
        case .any(let filters): filters.isEmpty ? "nothing" : filters.map(\.nested).joined(separator: " or ")
        case .not(let filter): "not \(filter.nested)"
        }
    }

    private var nested: String {
        switch condition {
        case .all(let filters), .any(let filters): filters.isEmpty ? description : "(\(description))"
        default: description
        }
    }
}

extension LogValue {
    /// The value in a few words, for explanations.
    fileprivate var brief: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .unsigned(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let text): "\"\(text)\""
        case .array(let values): "an array of \(values.count)"
        case .object(let members): "an object of \(members.count)"
        case .protected: "a protected value"
        }
    }
}

extension String {
    fileprivate func containsBytes(of other: String) -> Bool {
        var (text, sought) = (self, other)
        return text.withUTF8 { text in
            sought.withUTF8 { sought in
                guard let first = sought.first else { return true }
                guard text.count >= sought.count else { return false }
                return (0...text.count - sought.count).contains { start in
                    text[start] == first && text[start..<start + sought.count].elementsEqual(sought)
                }
            }
        }
    }
}
