#if SwiftLog
    internal import LogbookCore
    internal import LogbookFormat
    internal import Logging

    /// Travels with a forwarded event among its metadata: when the event was said, and who passed it on. Wherever the event
    /// comes out again, on whatever thread and however late, its own service knows it.
    struct ForwardingStamp: CustomStringConvertible, Sendable {
        static let key = "logbook.time"

        let time: LogTime
        /// The registration through which the event reached the forwarding provider; nil when a handler in between has made text
        /// of the stamp.
        let mark: UInt64?

        init(time: LogTime, mark: UInt64?) {
            self.time = time
            self.mark = mark
        }

        /// A stamp, or the text of one: then only the time is known.
        init?(_ value: Logger.MetadataValue) {
            if case .stringConvertible(let convertible) = value, let stamp = convertible as? ForwardingStamp {
                self = stamp
            } else if let time = ISO8601.time(value.description) {
                self.init(time: time, mark: nil)
            } else {
                return nil
            }
        }

        /// `2026-11-21T09:29:20.123456789Z`.
        var description: String {
            var bytes: [UInt8] = []
            ISO8601.append(time, digits: 9, in: .utc, to: &bytes)
            return String(decoding: bytes, as: UTF8.self)
        }
    }
#endif
