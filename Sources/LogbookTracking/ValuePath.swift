internal import LogbookCore
internal import LogbookTrackingPlan

/// A value that a plan asks for, ready to be fetched from a call.
final class ValuePath: Sendable {   // not a struct: handing it on is one reference
    private let root: PlanPath.Root
    /// The names of properties behind the root.
    private let properties: [String]

    init?(_ path: PlanPath, _ entry: CheckedEntry) {
        guard let root = entry.roots[path] else { return nil }
        self.root = root
        properties = Array(path.properties(behind: root))
    }

    private func captured(in call: TrackedCall) -> Any? {
        var value: Any?
        switch root {
        case .argument(let place): value = place < call.arguments.count ? call.arguments[place] : nil
        case .instance: value = call.instance
        case .result: value = call.result
        case .error: value = call.error
        case .duration: return Double(call.nanoseconds) / 1e6
        case .type: return call.instance.map { String(describing: Swift.type(of: $0)) } ?? call.point.type
        case .selector: return call.point.selector
        }
        for property in properties {
            guard let holder = value else { return nil }
            value = CapturedValue.property(property, of: holder)
        }
        return value
    }

    func logValue(in call: TrackedCall) -> LogValue { CapturedValue.logValue(captured(in: call)) }
    func text(in call: TrackedCall) -> String { CapturedValue.text(captured(in: call)) }
    func literal(in call: TrackedCall) -> PlanLiteral { CapturedValue.literal(captured(in: call)) }
}
