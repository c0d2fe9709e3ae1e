internal import LogbookCore
internal import LogbookTrackingPlan

/// Everything that can be tracked: what the loader reported before `main`, and what generic code reports when it is first called.
enum JoinPointRegistry {
    private struct State {
        /// Not yet taken apart.
        var descriptors: [Registration] = []
        var typeDescriptors: [(StaticString, (@Sendable (Any) -> Bool)?)] = []
        var points: [JoinPoint] = []
        var types: [TrackedTypeRecord] = []
        var latePoints: [String: JoinPoint] = [:]
        /// Points of generic code by the address of their descriptor: looking for a name would cost each call more.
        var byAddress: [UInt: JoinPoint] = [:]
        /// Trackers that go on until they are stopped.
        var trackers: [Tracker] = []
    }

    struct Registration: Sendable {
        let descriptor: StaticString
        /// What the descriptor says too, as literals of their own; nil for generic code.
        let place: (file: StaticString, selector: StaticString)?
        let setGate: (@Sendable (UInt) -> Void)?
    }

    struct TrackedTypeRecord: Sendable {
        let record: TypeRecord
        let isInstance: (@Sendable (Any) -> Bool)?
    }

    private static let state = Locked(State())
    /// Held while a plan is exchanged, so that two that are started at once do not mix.
    private static let exchange = Locked(())

    static func register(_ registration: Registration) {
        note { $0.descriptors.append(registration) }
    }

    static func registerType(_ descriptor: StaticString, _ isInstance: (@Sendable (Any) -> Bool)?) {
        note { $0.typeDescriptors.append((descriptor, isInstance)) }
    }

    /// Before `main`, nobody listens and nothing else happens. In a library that is loaded while a plan is live, the plan may have
    /// waited for this.
    private static func note(_ change: (inout State) -> Void) {
        let news = state.withLock { state -> (points: [JoinPoint], types: [TypeRecord], trackers: [Tracker]) in
            change(&state)
            if state.trackers.isEmpty { return ([], [], []) }
            let points = state.points.count, types = state.types.count
            takeApart(&state)
            return (Array(state.points[points...]), state.types[types...].map(\.record), state.trackers)
        }
        for tracker in news.trackers { tracker.appeared(news.points, news.types) }
    }

    /// The types that are known, without looking for new points.
    static func types() -> [TrackedTypeRecord] { state.withLock { $0.types } }

    /// All of them, in the order in which they became known.
    static func all() -> (points: [JoinPoint], types: [TrackedTypeRecord]) {
        state.withLock { state in
            takeApart(&state)
            return (state.points, state.types)
        }
    }

    /// What became known behind so many points and types.
    static func all(behind points: Int, _ types: Int) -> (points: [JoinPoint], types: [TypeRecord]) {
        let all = all()
        return (Array(all.points[points...]), all.types[types...].map(\.record))
    }

    private static func takeApart(_ state: inout State) {
        let types = state.typeDescriptors, descriptors = state.descriptors
        state.typeDescriptors = []
        state.descriptors = []
        for (descriptor, isInstance) in types {
            descriptor.withUTF8Buffer { bytes in
                var parts = DescriptorFields(bytes, separatedBy: 0x1C)
                guard let record = parts.next().flatMap({ TypeRecord(descriptor: $0, hasInstanceTest: isInstance != nil) }) else { return }
                if record.keyword != "extension" {
                    state.types.append(TrackedTypeRecord(record: record, isInstance: isInstance))
                }
                while let part = parts.next() {
                    if let record = JoinPointRecord(descriptor: part) { addLate(record, to: &state) }
                }
            }
        }
        for registration in descriptors {
            guard let record = registration.descriptor.withUTF8Buffer({ JoinPointRecord(descriptor: $0) }) else { continue }
            if let setGate = registration.setGate {
                let source = registration.place.map {
                    LogSource(file: $0.file, function: $0.selector, line: UInt32(clamping: record.line))
                }
                state.points.append(JoinPoint(record, at: source, setGate: setGate))
            } else {
                addLate(record, to: &state)
            }
        }
    }

    /// Overloads have one name; each has a line of its own.
    private static func lateKey(of record: JoinPointRecord) -> String { "\(record.id) \(record.file):\(record.line)" }

    @discardableResult
    private static func addLate(_ record: JoinPointRecord, to state: inout State) -> JoinPoint {
        let key = lateKey(of: record)
        if let known = state.latePoints[key] { return known }
        let point = JoinPoint(record, setGate: nil)
        state.latePoints[key] = point
        state.points.append(point)
        return point
    }

    /// The point of generic code that a call comes from.
    static func latePoint(_ descriptor: StaticString) -> JoinPoint? {
        let address = UInt(bitPattern: descriptor.utf8Start)
        let (point, waiting) = state.withLock { state -> (JoinPoint?, [Tracker]) in
            if let point = state.byAddress[address] { return (point, []) }
            takeApart(&state)
            guard let record = descriptor.withUTF8Buffer({ JoinPointRecord(descriptor: $0) }) else { return (nil, []) }
            let isNew = state.latePoints[lateKey(of: record)] == nil, point = addLate(record, to: &state)
            state.byAddress[address] = point
            return (point, isNew ? state.trackers : [])
        }
        if let point { for tracker in waiting { tracker.appeared([point], []) } }
        return point
    }

    /// Lets one plan be exchanged at a time.
    static func exchanging<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try exchange.withLock { _ throws(Failure) in try body() }
    }

    static func keep(_ tracker: Tracker) {
        state.withLock { state in
            if !state.trackers.contains(where: { $0 === tracker }) { state.trackers.append(tracker) }
        }
    }

    static func letGo(_ tracker: Tracker) { state.withLock { $0.trackers.removeAll { $0 === tracker } } }
}
