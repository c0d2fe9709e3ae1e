internal import LogbookCore

/// How much each tenant, and all of them together, may send in a day, by UTC. What was counted is handed out now and then, to be kept
/// beyond the collector's end, and what all collectors together have kept is heard then.
struct DailyQuota: Sendable {
    private static let secondsOfDay: Int64 = 86_400

    /// For how long others wait for the end of what is under way.
    static let secondsUnderWay = 60

    struct Wait: Equatable {
        /// Until the next day; at most ``secondsUnderWay`` where nothing stands in the way but what others have under way, which may be
        /// given back.
        var seconds: Int
        /// For the sake of all tenants, and not of this one.
        var isOfAll = false
    }

    private let bytes: Int
    private let bytesOfAll: Int
    private var today: Int64 = 0
    /// Counts the days that have begun here: where the clock goes back a day begins once more, and knows nothing of what came before.
    private var turns: UInt64 = 0
    private var used: [String: Int] = [:]
    /// The sum of that.
    private var usedByAll = 0
    /// Of what is used, what belongs to requests that are under way: whether it stays used is known at their end.
    private var underWay: [String: Int] = [:]
    /// Of what is used, what stays so and nobody else knows yet.
    private var unsaved: [String: Int] = [:]

    /// What a request has brought on the day of its latest bytes.
    struct Arrival: Equatable {
        fileprivate var turn: UInt64 = 0
        fileprivate(set) var bytes = 0
    }

    /// - Parameters:
    ///   - bytes: Of each tenant.
    ///   - all: Of all together.
    init(bytes: Int, ofAll all: Int = .max) { (self.bytes, bytesOfAll) = (bytes, all) }

    /// Days since 1970, UTC.
    static func day(of time: LogTime) -> Int64 { time.wholeSeconds.flooredQuotient(by: secondsOfDay) }

    /// Counts what came in.
    mutating func add(_ count: Int, to arrival: inout Arrival, for tenant: String, at time: LogTime) {
        turn(to: Self.day(of: time))
        if arrival.turn != turns { arrival = Arrival(turn: turns) }
        arrival.bytes += count
        used[tenant, default: 0] += count
        usedByAll += count
        underWay[tenant, default: 0] += count
    }

    /// The request is over.
    /// - Parameter isKept: Whether what it has brought stays used; otherwise it is as if it had never come.
    mutating func end(_ arrival: Arrival, for tenant: String, isKept: Bool) {
        guard arrival.turn == turns, arrival.bytes > 0 else { return }
        underWay[tenant, default: 0] -= arrival.bytes
        if isKept {
            unsaved[tenant, default: 0] += arrival.bytes
        } else {
            used[tenant, default: 0] -= arrival.bytes
            usedByAll -= arrival.bytes
        }
    }

    /// - Parameters:
    ///   - count: Bytes that the tenant is about to send; 0 where that is not known.
    ///   - own: What the same request has brought before.
    /// - Returns: Nil when the tenant may send more, and so much.
    mutating func wait(for tenant: String, toSend count: Int = 0, after own: [Arrival] = [], at time: LogTime) -> Wait? {
        turn(to: Self.day(of: time))
        let least = max(count, 1)
        let isUsedUp = least > bytes - used[tenant, default: 0]
        if !isUsedUp, least <= bytesOfAll - usedByAll { return nil }
        let brought = own.reduce(0) { $1.turn == turns ? $0 + $1.bytes : $0 }
        // As if nobody else had anything under way.
        let lasting = used[tenant, default: 0] - underWay[tenant, default: 0] + brought
        let lastingOfAll = usedByAll - underWay.values.reduce(0, +) + brought
        let restOfDay = Int(Self.secondsOfDay - (time.wholeSeconds - today * Self.secondsOfDay))
        let isSoonOver = least <= bytes - lasting && least <= bytesOfAll - lastingOfAll
        return Wait(seconds: isSoonOver ? min(restOfDay, Self.secondsUnderWay) : restOfDay, isOfAll: !isUsedUp)
    }

    /// Hears how much all collectors of the archive have kept, this one before a restart among them. Nothing is taken back where that is
    /// less than is known here: the archive may keep no account, or one that lags behind.
    mutating func learn(_ saved: [String: Int], on day: Int64) {
        turn(to: max(day, today))
        guard day == today else { return }
        for (tenant, bytes) in saved {
            used[tenant] = max(used[tenant, default: 0], bytes + unsaved[tenant, default: 0] + underWay[tenant, default: 0])
        }
        usedByAll = used.values.reduce(0, +)
    }

    /// What is to be kept: everything, or nothing before it is a hundredth of what a tenant may send, or all together, so that the archive
    /// need not be told of every request.
    mutating func takeUnsaved(isAll: Bool) -> (day: Int64, bytes: [String: Int])? {
        guard let most = unsaved.values.max() else { return nil }
        if !isAll, most < bytes / 100, unsaved.values.reduce(0, +) < bytesOfAll / 100 { return nil }
        defer { unsaved = [:] }
        return (today, unsaved)
    }

    /// Takes back what could not be kept.
    mutating func returnUnsaved(_ bytes: [String: Int], of day: Int64) {
        if day == today { unsaved.merge(bytes, uniquingKeysWith: +) }
    }

    private mutating func turn(to day: Int64) {
        if day != today {
            today = day
            turns += 1
            used = [:]
            usedByAll = 0
            underWay = [:]
            unsaved = [:]
        }
    }
}
