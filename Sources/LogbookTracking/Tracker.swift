public import LogbookCore
internal import LogbookTrackingPlan
internal import Synchronization

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Reports what a plan names, from classes that know nothing of it, through a service to every provider.
///
/// ```swift
/// let tracker = Tracker(.shared)
/// tracker.addPredicate("isPaying") { call in (call.instance as? CheckoutScreen)?.cart.isEmpty == false }
/// tracker.start(TrackingPlan(path: "plan.json"), onIssues: .exit)
/// ```
/// A screen or event is an event of the service: its label is the message, its category `tracking.screen` or `tracking.event`,
/// its source the method. A tracker that was started goes on until it is stopped, whether or not somebody keeps it. Starting,
/// stopping and exchanging plans is safe at any time, from any thread.
public final class Tracker: Sendable {
    private struct Around: Sendable {
        let handler: any Sendable
        let result: String
        let isAsync: Bool
        let file: String
        let line: Int
    }

    /// Where entries that wait have arrived: each at all functions of one name, and at none that another type has later.
    private struct Arrivals {
        private var known: [Int: (name: String, points: Set<ObjectIdentifier>)] = [:]

        /// - Returns: Whether the entry was not there yet, and belongs there.
        mutating func add(_ entry: Int, at point: JoinPoint) -> Bool {
            var (name, points) = known[entry] ?? (point.id, [])
            guard name == point.id, points.insert(ObjectIdentifier(point)).inserted else { return false }
            known[entry] = (name, points)
            return true
        }
    }

    private struct State {
        var closures = Advice.Closures()
        var arounds: [JoinPointName: Around] = [:]
        /// Nil while stopped.
        var plan: PlanDocument?
        /// The plan's entries for what comes late. They wait as long as the plan lives: several functions may have the name.
        var waiting: [PlanEntry] = []
        var arrivals = Arrivals()
        /// What has been said to be wrong with what came.
        var complaints: Set<String> = []
        var points: [JoinPoint] = []
        var advice: [ObjectIdentifier: [Advice]] = [:]
        var handlers: [ObjectIdentifier: any Sendable] = [:]
    }

    /// What to do when a plan does not fit the program.
    public enum IssueHandling: Sendable {
        /// Writes every issue to standard error, one per line, and ends the program with status 78 (`EX_CONFIG`).
        case exit
        /// Reports every issue to ``LogDiagnostics`` and goes on without the plan.
        case goOnWithoutPlan
    }

    public let service: LogService
    private let state = Locked(State())
    private let transactions = OpenTransactions()

    public init(_ service: LogService = .shared) { self.service = service }

    // MARK: What plans may name

    /// Gives a condition a name, for `"when": "isPaying && $arg.total > 100"`. Called on the thread of the call; it should be quick.
    public func addPredicate(_ name: String, _ body: @escaping @Sendable (TrackedCall) -> Bool) {
        state.withLock { $0.closures.predicates[name] = body }
    }

    /// Gives metadata that has to be computed a name, for `"metadataFrom": "basket"`.
    public func addMetadata(_ name: String, _ body: @escaping @Sendable (TrackedCall) -> LogMetadata) {
        state.withLock { $0.closures.metadata[name] = body }
    }

    /// The same for the methods of one type; nothing is added for instances of others.
    public func addMetadata<Instance>(
        _ name: String, for type: Instance.Type, _ body: @escaping @Sendable (Instance, TrackedCall) -> LogMetadata
    ) {
        addMetadata(name) { call in (call.instance as? Instance).map { body($0, call) } ?? [:] }
    }

    /// Does something around a method of the next plan that is started: `proceed` runs the method. For methods
    /// that are not asynchronous; see the other `around` for those. Methods that something takes the place of, as `dynamic` ones, and
    /// those that consume or send a parameter cannot be gone around; the plan is not started then.
    /// - Parameter type: The method's result; the plan is not started if it is another. What stands for another type is not looked through:
    ///   a method whose result is a `TimeInterval` has to say `Double`, and one that returns `Self` has to say its type.
    public func around<Result>(
        _ point: JoinPointName, returning type: Result.Type = Result.self, file: String = #fileID, line: Int = #line,
        _ body: @escaping @Sendable (_ call: TrackedCall, _ proceed: () throws -> Result) throws -> Result
    ) {
        let around = Around(
            handler: LogbookTracking.Around<Result>(body: body), result: String(describing: Result.self), isAsync: false,
            file: file, line: line)
        state.withLock { $0.arounds[point] = around }
    }

    /// The same around an asynchronous method. The handler runs where the method's caller is, such as on the actor whose method calls
    /// it, and may await before and after it proceeds.
    @_disfavoredOverload
    public func around<Result>(
        _ point: JoinPointName, returning type: Result.Type = Result.self, file: String = #fileID, line: Int = #line,
        _ body: nonisolated(nonsending) @escaping @Sendable (
            _ call: TrackedCall, _ proceed: nonisolated(nonsending) () async throws -> Result
        ) async throws -> Result
    ) {
        let around = Around(
            handler: AsyncAround<Result>(body: body), result: String(describing: Result.self), isAsync: true, file: file, line: line)
        state.withLock { $0.arounds[point] = around }
    }

    /// Marks an object for a plan's `"instances": "promo"`; nil takes the mark away. It is not kept alive.
    public static func mark(_ object: AnyObject, _ mark: String?) { TrackedMarks.set(mark, on: object) }

    // MARK: What there is

    /// Every place that a plan can name, as far as the program knows by now.
    public static var joinPoints: [JoinPoint] { JoinPointRegistry.all().points }

    /// What became of the transactions that this tracker's plans opened.
    public var transactionCounts: TrackedTransactionCounts { transactions.counts }

    // MARK: Plans

    /// Everything that is wrong with a plan, in its order: for a unit test. Names of predicates, metadata and providers are not
    /// checked, because a test does not know what the program will give names to; ``check(_:)`` of a tracker does.
    public static func check(_ plan: TrackingPlan) -> [TrackingPlanIssue] {
        PlanCheck.check(plan.document, against: Catalog().plan, names: PlanCheck.Names()).issues.map(TrackingPlanIssue.init)
    }

    /// Everything that keeps a plan from being started.
    public func check(_ plan: TrackingPlan) -> [TrackingPlanIssue] {
        let state = state.withLock { $0 }
        return examine(plan.document, Catalog(), state).issues.map(TrackingPlanIssue.init)
    }

    /// Starts a plan, in place of the one that this tracker had.
    /// - Returns: How many join points report now.
    /// - Throws: ``TrackingError/planHasIssues(_:)`` with everything that is wrong; then nothing has changed.
    @discardableResult
    public func start(_ plan: TrackingPlan) throws(TrackingError) -> Int {
        let (count, replaced, catalog) = try JoinPointRegistry.exchanging { () throws(TrackingError) -> (Int, State, Catalog) in
            let catalog = Catalog(), state = state.withLock { $0 }
            let examined = examine(plan.document, catalog, state)
            guard examined.issues.isEmpty else {
                throw .planHasIssues(examined.issues.map(TrackingPlanIssue.init))
            }
            var advice: [ObjectIdentifier: [Advice]] = [:], points: [ObjectIdentifier: JoinPoint] = [:]
            advice.reserveCapacity(examined.entries.count)
            points.reserveCapacity(examined.entries.count)
            var arrivals = Arrivals()
            for place in examined.entries.indices {
                let point = catalog.points[examined.entries[place].point], id = ObjectIdentifier(point)
                points[id] = point
                if let late = examined.entries[place].lateEntry { _ = arrivals.add(late, at: point) }
                advice[id, default: []].append(self.advice(for: examined.entries[place], catalog, state.closures))
            }
            for around in examined.arounds { points[ObjectIdentifier(around.point)] = around.point }
            let handlers = Dictionary(examined.arounds.map { (ObjectIdentifier($0.point), $0.handler) }) { $1 }

            let me = ObjectIdentifier(self)
            for point in state.points where points[ObjectIdentifier(point)] == nil { point.install(nil, for: me) }
            for (id, point) in points { point.install(AdviceSet(advice[id] ?? [], around: handlers[id]), for: me) }
            countWaiting(from: state.waiting.isEmpty, to: examined.late.isEmpty)
            self.state.withLock { state in
                state.plan = plan.document
                state.waiting = examined.late
                state.arrivals = arrivals
                state.complaints = []
                state.points = Array(points.values)
                state.advice = advice
                state.handlers = handlers
            }
            JoinPointRegistry.keep(self)
            return (points.count, state, catalog)
        }
        withExtendedLifetime(replaced) {}   // closures of the program are let go here, not while plans are exchanged
        // What came while the plan was looked at came to nobody who waited.
        let (points, types) = JoinPointRegistry.all(behind: catalog.points.count, catalog.types.count)
        if !points.isEmpty || !types.isEmpty { appeared(points, types) }
        return count
    }

    /// The same for program start: every issue is said, and the program ends or goes on without a plan.
    public func start(_ plan: TrackingPlan, onIssues handling: IssueHandling) {
        do { try start(plan) } catch {
            switch handling {
            case .exit:
                let text = Array((error.description + "\n").utf8)
                _ = write(2, text, text.count)   // nobody is left to tell if this fails
                exit(78)
            case .goOnWithoutPlan:
                LogDiagnostics.report("tracking", "the plan was not started:\n" + error.description)
            }
        }
    }

    /// Reports nothing any more. Transactions that are open stay unfinished.
    public func stop() {
        let replaced = JoinPointRegistry.exchanging {
            let state = state.withLock { state in
                let before = state
                state.plan = nil
                state.waiting = []
                state.arrivals = Arrivals()
                state.complaints = []
                state.points = []
                state.advice = [:]
                state.handlers = [:]
                return before
            }
            for point in state.points { point.install(nil, for: ObjectIdentifier(self)) }
            countWaiting(from: state.waiting.isEmpty, to: true)
            JoinPointRegistry.letGo(self)
            return state
        }
        withExtendedLifetime(replaced) {}
    }

    /// Points of generic code report themselves only while somebody waits for one.
    private func countWaiting(from wasEmpty: Bool, to isEmpty: Bool) {
        if wasEmpty != isEmpty { TrackingExpansion4.latePoints.add(isEmpty ? -1 : 1, ordering: .relaxed) }
    }

    /// Looks again for what a plan says will come late. A library brings its points one by one, so only entries that may have waited
    /// for these are looked at; a type may be what is missing between any two others. Where an entry has arrived, it is left as it is.
    func appeared(_ points: [JoinPoint], _ types: [TypeRecord]) {
        if state.withLock({ $0.waiting.isEmpty }) { return }
        let complaints = JoinPointRegistry.exchanging { () -> [String] in
            let (waiting, plan, closures) = state.withLock { ($0.waiting, $0.plan, $0.closures) }
            guard let plan else { return [] }
            let chosen = types.isEmpty
                ? waiting.indices.filter { place in points.contains { waiting[place].mayMean($0.record) } } : Array(waiting.indices)
            if chosen.isEmpty { return [] }
            let catalog = types.isEmpty ? Catalog(points, JoinPointRegistry.types()) : Catalog()
            var document = PlanDocument()
            document.usecases = plan.usecases
            document.entries = chosen.map { waiting[$0] }
            let examined = PlanCheck.check(document, against: catalog.plan, names: names(closures))
            let complaints = examined.issues.map(\.description).filter { issue in
                state.withLock { $0.complaints.insert(issue).inserted }
            }
            for entry in examined.entries {
                let point = catalog.points[entry.point], id = ObjectIdentifier(point)
                guard let late = entry.lateEntry, state.withLock({ $0.arrivals.add(chosen[late], at: point) }) else { continue }
                let advice = advice(for: entry, catalog, closures)
                let set = state.withLock { state in
                    state.advice[id, default: []].append(advice)
                    if !state.points.contains(where: { $0 === point }) { state.points.append(point) }
                    return AdviceSet(state.advice[id] ?? [], around: state.handlers[id])
                }
                point.install(set, for: ObjectIdentifier(self))
            }
            return complaints
        }
        for complaint in complaints { LogDiagnostics.report("tracking", complaint) }   // whoever hears it may stop this tracker
    }

    // MARK: Looking up

    /// What the program has, as a plan sees it.
    private struct Catalog {
        let points: [JoinPoint]
        let types: [JoinPointRegistry.TrackedTypeRecord]
        let plan: PlanCatalog

        init() {
            let all = JoinPointRegistry.all()
            self.init(all.points, all.types)
        }

        init(_ points: [JoinPoint], _ types: [JoinPointRegistry.TrackedTypeRecord]) {
            self.points = points
            self.types = types
            plan = PlanCatalog(points: points.map(\.record), types: types.map(\.record))
        }
    }

    private struct Examined {
        var entries: [CheckedEntry]
        var late: [PlanEntry]
        var arounds: [(point: JoinPoint, handler: any Sendable)] = []
        var issues: [PlanIssue]
    }

    private func names(_ closures: Advice.Closures) -> PlanCheck.Names {
        PlanCheck.Names(
            predicates: Array(closures.predicates.keys), metadataSources: Array(closures.metadata.keys),
            providers: service.registrations.map(\.name))
    }

    private func examine(_ document: PlanDocument, _ catalog: Catalog, _ state: State) -> Examined {
        let checked = PlanCheck.check(document, against: catalog.plan, names: names(state.closures))
        var examined = Examined(entries: checked.entries, late: checked.late, issues: checked.issues)
        for (name, around) in state.arounds.sorted(by: { $0.key.text < $1.key.text }) {
            let place = PlanPlace(file: around.file, line: around.line)
            func complain(_ message: String) { examined.issues.append(PlanIssue(place, "around \"\(name.text)\": \(message)")) }
            guard let found = catalog.plan.point(name.type, name.selector) else {
                complain("unknown join point\(NearMatches.hint(for: name.text, among: catalog.plan.points.map(\.name)))")
                continue
            }
            let points = catalog.plan.all(found).map { catalog.points[$0] }
            if let objection = points.lazy.compactMap({ Self.objection(to: around, at: $0.record) }).first {
                complain(objection)
            } else {
                examined.arounds += points.map { ($0, around.handler) }
            }
        }
        return examined
    }

    /// Why a handler cannot stand around a point; nil when it can.
    private static func objection(to around: Around, at point: JoinPointRecord) -> String? {
        if point.kind == .initializer || point.kind == .deinitializer || point.kind == .point {
            return "only methods and functions have something to proceed with"
        }
        switch point.form {
        case .wrapped: break
        case .bracketed: return "the method consumes or sends a parameter, which no handler can hand on"
        case .consumed: return "the method consumes its instance, which no handler can hand on"
        case .replaced: return "another function takes the method's place, and no handler can stand around that; write @Tracked before it"
        }
        if point.isAsync != around.isAsync {
            return point.isAsync
                ? "the method is asynchronous, and the handler does not await it"
                : "the method is not asynchronous, and the handler awaits"
        }
        if !TypeSpelling.isSame(around.result, point.result) {
            return "the handler returns \(around.result), and the method \(point.result)"
        }
        return nil
    }

    private func advice(for entry: CheckedEntry, _ catalog: Catalog, _ closures: Advice.Closures) -> Advice {
        Advice(
            entry, at: catalog.points[entry.point], isInstance: entry.instancesOf.flatMap { catalog.types[$0].isInstance },
            closures: closures, service: service, transactions: transactions)
    }
}

extension PlanEntry {
    /// Whether it may mean a point, as far as names alone tell; the type that it names may only inherit a method.
    fileprivate func mayMean(_ record: JoinPointRecord) -> Bool {
        point.map { $0.value.hasSuffix(record.selector) } ?? (selector?.value == record.selector)
    }
}
