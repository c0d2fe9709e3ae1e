internal import LogbookTrackingPlan
public import LogbookCore

/// A screen or an event of a plan that is written in Swift.
public struct TrackingPlanEntry: Sendable {
    let entry: PlanEntry

    /// When an entry reports.
    public enum Advice: String, Sendable {
        case before, after, afterReturning, afterThrowing, instead
    }

    /// What an entry does to an application transaction; see ``TrackingTransaction``.
    public typealias Transaction = TrackingTransaction

    /// What an entry may say beyond where it reports and under which label; the words are those of the JSON plan.
    public struct Options: Sendable {
        public var advice: Advice = .after
        /// Text with `$` values in it.
        public var metadata: [(key: String, value: String)] = []
        public var condition: String?
        public var instances: String?
        public var providers: [String]?
        public var level: LogLevel = .info
        public var metadataSource: String?
        public var privateValues: [String] = []
        public var secretValues: [String] = []
        public var isOnce = false
        public var every = 1
        public var isLate = false
        public var transaction: TrackingTransaction?
        public init() {}
    }

    /// A screen: its class, and the method that shows it.
    public static func screen(
        _ type: String, shownBy selector: String = "viewDidAppear(_:)", label: String,
        file: String = #fileID, line: Int = #line, _ options: (inout Options) -> Void = { _ in }
    ) -> TrackingPlanEntry {
        TrackingPlanEntry(.screen, label, PlanPlace(file: file, line: line), options) { entry, place in
            entry.type = Placed(type, at: place)
            entry.selector = Placed(selector, at: place)
        }
    }

    /// An event: a method, as text or checked by the compiler, `#joinPoint(Cart.add(_:quantity:))`.
    public static func event(
        _ point: JoinPointName, label: String, file: String = #fileID, line: Int = #line,
        _ options: (inout Options) -> Void = { _ in }
    ) -> TrackingPlanEntry {
        TrackingPlanEntry(.event, label, PlanPlace(file: file, line: line), options) { entry, place in
            entry.type = Placed(point.type, at: place)
            entry.selector = Placed(point.selector, at: place)
        }
    }

    /// An event in the middle of a body, at `#aspectPoint("name")`; its type may stand before the name, `Cart.name`. The values that
    /// stand there are its `$arg`.
    public static func point(
        _ name: String, label: String, file: String = #fileID, line: Int = #line, _ options: (inout Options) -> Void = { _ in }
    ) -> TrackingPlanEntry {
        TrackingPlanEntry(.event, label, PlanPlace(file: file, line: line), options) { entry, place in
            entry.point = Placed(name, at: place)
        }
    }

    /// - Parameter name: Says where the entry reports.
    private init(
        _ kind: PlanEntry.Kind, _ label: String, _ place: PlanPlace, _ change: (inout Options) -> Void,
        at name: (inout PlanEntry, PlanPlace) -> Void
    ) {
        var options = Options()
        change(&options)
        func placed(_ text: String) -> Placed<String> { Placed(text, at: place) }
        var entry = PlanEntry(kind, at: place)
        name(&entry, place)
        entry.label = placed(label)
        entry.advice = placed(options.advice.rawValue)
        entry.metadata = options.metadata.map { ($0.key, Placed(.text($0.value), at: place)) }
        entry.condition = options.condition.map(placed)
        entry.instances = options.instances.map(placed)
        entry.providers = options.providers?.map(placed)
        entry.level = placed(options.level.name)
        entry.metadataSource = options.metadataSource.map(placed)
        entry.privateValues = options.privateValues.map(placed)
        entry.secretValues = options.secretValues.map(placed)
        entry.isOnce = options.isOnce
        entry.every = max(1, options.every)
        entry.isLate = options.isLate
        entry.transaction = options.transaction?.written(at: place)
        self.entry = entry
    }
}
