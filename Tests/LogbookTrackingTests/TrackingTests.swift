import LogbookTestKit
import LogbookTracking
import Testing

/// Join points belong to the whole process: one test at a time.
@Suite(.serialized) struct TrackingTests {}

/// A tracker with two providers that keep what they hear.
struct Tracked {
    let analytics = RecordingProvider(), mix = RecordingProvider()
    let service: LogService
    let tracker: Tracker

    init(privacy: PrivacyMode = .masked, clock: LogClock = .system) {
        service = LogService(privacy: privacy, clock: clock)
        tracker = Tracker(service)
        service.register(analytics, name: "analytics")
        service.register(mix, name: "mix")
    }

    /// Starts a plan, does something, stops again.
    func following<Result>(_ plan: String, _ body: () throws -> Result) throws -> Result {
        try tracker.start(TrackingPlan(json: plan))
        defer { tracker.stop() }
        return try body()
    }

    var labels: [String] { analytics.messages }

    /// Metadata without the category, as text.
    func metadata(_ place: Int) -> [String: LogValue] {
        var found: [String: LogValue] = [:]
        for (key, value) in analytics.events[place].metadata where key != "category" { found[key] = value }
        return found
    }

    /// What is wrong with a plan.
    static func issues(_ plan: String, _ prepare: (Tracker) -> Void = { _ in }) -> [String] {
        let tracked = Tracked()
        prepare(tracked.tracker)
        do {
            try tracked.tracker.start(TrackingPlan(json: plan))
            tracked.tracker.stop()
            return []
        } catch {
            return error.issues.map(\.description)
        }
    }
}
