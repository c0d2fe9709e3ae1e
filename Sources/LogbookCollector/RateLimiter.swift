/// How often somebody may come: so many requests a minute, of which a minute's worth may come at once.
struct RateLimiter: Sendable {
    private struct Bucket {
        var left: Double
        var filled: UInt64

        /// Minutes since it was filled. Of two who come at the same time, the one that has read the clock first may be the second here:
        /// for it no time has passed.
        func minutes(until now: UInt64) -> Double { now > filled ? Double(now - filled) / 60e9 : 0 }
    }

    /// Names that are remembered at a time.
    static let maximumNames = 10_000

    private let perMinute: Double
    private var buckets: [String: Bucket] = [:]

    init(perMinute: Int) { self.perMinute = Double(max(1, perMinute)) }

    /// - Parameter now: Nanoseconds of a clock that only goes forward.
    /// - Returns: Nil when the request may pass; otherwise the whole seconds after which the next one may.
    mutating func wait(for name: String, at now: UInt64) -> Int? {
        if buckets.count >= Self.maximumNames, buckets[name] == nil { forgetFull(at: now) }
        var bucket = buckets[name] ?? Bucket(left: perMinute, filled: now)
        bucket.left = min(perMinute, bucket.left + bucket.minutes(until: now) * perMinute)
        bucket.filled = max(bucket.filled, now)
        defer { buckets[name] = bucket }
        if bucket.left >= 1 {
            bucket.left -= 1
            return nil
        }
        return max(1, Int(((1 - bucket.left) / perMinute * 60 - 1e-6).rounded(.up)))
    }

    /// Forgets who has waited long enough to come as somebody new; everybody, where nobody has.
    private mutating func forgetFull(at now: UInt64) {
        buckets = buckets.filter { $0.value.left + $0.value.minutes(until: now) * perMinute < perMinute }
        if buckets.count >= Self.maximumNames { buckets = [:] }
    }
}
