#if SwiftLog
    internal import LogbookCore
    internal import Logging

    extension LogValue {
        /// Levels of nesting that are followed; what lies deeper reads `…`.
        static let maximumDepth = 64

        /// A value of swift-log's metadata: described now, and only if the type is not one that `LogValue` knows.
        init(
            _ value: Logger.MetadataValue, privacy: (@Sendable (Logger.MetadataValueAttributes) -> LogPrivacy?)? = nil,
            depth: Int = 0
        ) {
            if depth == Self.maximumDepth {
                self = "…"
                return
            }
            switch value {
            case .string(let text): self = .string(text)
            case .array(let values):
                self = .array(values.map { LogValue($0, privacy: privacy, depth: depth + 1) })
            case .dictionary(let members):
                self = .object(LogMetadata(members, privacy: privacy, depth: depth + 1))
            case .stringConvertible(let convertible):
                let attributes = value.attributes
                guard attributes != Logger.MetadataValueAttributes() else {
                    self = LogValue(typed: convertible)
                    return
                }
                switch LogPrivacy.strictest(attributes[LogPrivacy.self], privacy?(attributes)) {
                case .secret: self = .protected(.secret, .null)
                case .private: self = .protected(.private, .string(convertible.description))
                case .public: self = .protected(.public, .string(convertible.description))
                case nil: self = convertible is any LogDescribableError ? .describing(convertible) : .string(convertible.description)
                }
            }
        }

        private init(typed value: any CustomStringConvertible & Sendable) {
            switch value {
            case let value as String: self = .string(value)
            case let value as Int: self = .integer(Int64(value))
            case let value as Bool: self = .bool(value)
            case let value as Double: self = .double(value)
            case let value as Int64: self = .integer(value)
            case let value as UInt64: self = LogValue(counting: value)
            case let value as UInt: self = LogValue(counting: UInt64(value))
            case let value as Int32: self = .integer(Int64(value))
            case let value as UInt32: self = .integer(Int64(value))
            case let value as UInt16: self = .integer(Int64(value))
            case let value as UInt8: self = .integer(Int64(value))
            case let value as Int16: self = .integer(Int64(value))
            case let value as Int8: self = .integer(Int64(value))
            // By way of its digits: 0.1 stays 0.1.
            case let value as Float: self = .double(Double(value.description) ?? Double(value))
            case is NullValue: self = .null
            case let value as any LogDescribableError: self = .describing(value)
            default: self = .string(value.description)
            }
        }

        private init(counting value: UInt64) {
            self = Int64(exactly: value).map(LogValue.integer) ?? .unsigned(value)
        }
    }

    extension LogMetadata {
        /// In the order of the keys: a dictionary's own order changes from run to run.
        init(
            _ members: Logger.Metadata, privacy: (@Sendable (Logger.MetadataValueAttributes) -> LogPrivacy?)? = nil,
            depth: Int = 0
        ) {
            let sorted = members.sorted { $0.key < $1.key }
            self.init(distinct: sorted.map { ($0.key, LogValue($0.value, privacy: privacy, depth: depth)) })
        }
    }

    /// What stands for ``LogValue/null`` in swift-log's metadata.
    struct NullValue: CustomStringConvertible, Sendable {
        var description: String { "null" }
    }

    extension Logger.MetadataValue {
        /// The same value for swift-log; numbers and truth values stay what they are and are described when a handler asks.
        init(_ value: LogValue) {
            switch value {
            case .null: self = .stringConvertible(NullValue())
            case .bool(let value): self = .stringConvertible(value)
            case .integer(let value): self = .stringConvertible(value)
            case .unsigned(let value): self = .stringConvertible(value)
            case .double(let value): self = .stringConvertible(value)
            case .string(let text): self = .string(text)
            case .array(let values): self = .array(values.map(Logger.MetadataValue.init))
            case .object(let members): self = .dictionary(Logger.Metadata(members))
            // The service resolves these before a provider sees them; an event made by hand may still hold one.
            case .protected(.public, let value): self = Logger.MetadataValue(value)
            case .protected(.private, _): self = "<private>"
            case .protected(.secret, _): self = "<secret>"
            }
        }
    }

    extension Logger.Metadata {
        init(_ members: LogMetadata) {
            self.init(minimumCapacity: members.count + 2)
            for (key, value) in members { self[key] = Logger.MetadataValue(value) }
        }
    }
#endif
