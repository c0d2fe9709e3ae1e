internal import LogbookCore

/// How much each tenant may send in a day, by UTC. It is counted anew when the collector starts.
struct DailyQuota: Sendable {
    private static let day: Int64 = 86_400

    private let bytes: Int
    private var today: Int64 = 0
    private var used: [String: Int] = [:]

    init(bytes: Int) { self.bytes = bytes }

    /// Counts what came in.
    mutating func add(_ count: Int, for tenant: String, at time: LogTime) {
        turn(to: time)
        used[tenant, default: 0] += count
    }

    /// - Returns: Nil when the tenant may send more; otherwise the seconds until the next day.
    mutating func wait(for tenant: String, at time: LogTime) -> Int? {
        turn(to: time)
        if used[tenant, default: 0] < bytes { return nil }
        return Int(Self.day - (time.wholeSeconds - today * Self.day))
    }

    private mutating func turn(to time: LogTime) {
        let day = time.wholeSeconds.flooredQuotient(by: Self.day)
        if day != today {
            today = day
            used = [:]
        }
    }
}
