#if SwiftLog
    public import LogbookCore
    public import Logging

    /// An attribute of swift-log's metadata values: `.attributed(name, attributes: [LogPrivacy.private])`.
    extension LogPrivacy: Logger.MetadataValueAttributes.Attribute {
        public init?(rawValue: Int64) {
            switch rawValue {
            case 0: self = .public
            case 1: self = .private
            case 2: self = .secret
            default: return nil
            }
        }

        /// Grows with strictness.
        public var rawValue: Int64 {
            switch self {
            case .public: 0
            case .private: 1
            case .secret: 2
            }
        }

        static func strictest(_ one: LogPrivacy?, _ other: LogPrivacy?) -> LogPrivacy? {
            guard let one, let other else { return one ?? other }
            return one.rawValue < other.rawValue ? other : one
        }
    }

    extension Logger.MetadataValue.StringInterpolation {
        /// A metadata value that not every reader may see: `["user": "\(name, privacy: .private)"]`.
        ///
        /// The whole value is as private as the strictest part that is marked: one part marked public makes all of it public, with the
        /// parts that nobody marked. Handlers other than ``LogbookLogHandler`` know nothing of it and write private values out.
        /// - Parameter privacy: A ``LogPrivacy/secret`` value is not evaluated and reads `<secret>` for every handler.
        public mutating func appendInterpolation<Value>(_ value: @autoclosure () -> Value, privacy: LogPrivacy) {
            let shown = privacy == .secret ? "<secret>" : String(describing: value())
            appendInterpolation(
                shown, attributes: { $0[LogPrivacy.self] = LogPrivacy.strictest($0[LogPrivacy.self], privacy) })
        }
    }
#endif
