#if SwiftLog
    internal import LogbookCore
    internal import LogbookFormat
    internal import Logging

    /// Travels with a forwarded event among its metadata: when the event was said, and who passed it on. Wherever the event
    /// comes out again, on whatever thread and however late, its own service knows it.
    struct ForwardingStamp: CustomStringConvertible, Sendable {
        static let key = "logbook.time"

        let time: LogTime
        /// The registration through which the event reached the forwarding provider.
        let mark: UInt64

        init(time: LogTime, mark: UInt64) {
            self.time = time
            self.mark = mark
        }

        init?(_ value: Logger.MetadataValue) {
            guard case .stringConvertible(let convertible) = value, let stamp = convertible as? ForwardingStamp else {
                return nil
            }
            self = stamp
        }

        /// `2026-11-21T09:29:20.123456789Z`.
        var description: String {
            var bytes: [UInt8] = []
            ISO8601.append(time, digits: 9, in: .utc, to: &bytes)
            return String(decoding: bytes, as: UTF8.self)
        }
    }
#endif
