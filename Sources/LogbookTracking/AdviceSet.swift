internal import LogbookCore
internal import LogbookTrackingPlan

/// Everything that happens at one join point. What a call needs for it is known beforehand, and nothing else is captured.
final class AdviceSet: Sendable {
    private let before: [Advice]
    private let instead: [Advice]
    private let afterwards: [Advice]
    let around: (any Sendable)?
    let hasAround: Bool
    let needsArguments: Bool
    let needsInstance: Bool
    let needsResult: Bool
    /// Nil when nobody asks how long it took.
    let clock: LogClock?

    init(_ advice: [Advice], around: (any Sendable)? = nil) {
        var before: [Advice] = [], instead: [Advice] = [], afterwards: [Advice] = []
        for one in advice {
            switch one.entry.advice {
            case .before: before.append(one)
            case .instead: instead.append(one)
            case .after, .afterReturning, .afterThrowing: afterwards.append(one)
            }
        }
        self.before = before
        self.instead = instead
        self.afterwards = afterwards
        self.around = around
        hasAround = around != nil
        needsArguments = around != nil || advice.contains { $0.needsArguments }
        needsInstance = around != nil || advice.contains { $0.needsInstance }
        needsResult = advice.contains { $0.needsResult }
        clock = advice.first { $0.needsClock }?.service.clock
    }

    /// What several trackers want at one point.
    convenience init(joining sets: [AdviceSet]) {
        self.init(sets.flatMap { $0.before + $0.instead + $0.afterwards }, around: sets.lazy.compactMap(\.around).first)
    }

    /// - Returns: False when something happened instead of the call.
    func begin(_ call: inout TrackedCall) -> Bool {
        for advice in before { advice.fire(call) }
        for advice in instead where advice.fire(call) { return false }
        return true
    }

    func finish(_ call: inout TrackedCall, _ instance: () -> Any?) {
        if afterwards.isEmpty { return }
        if let clock {
            let end = clock.monotonicNanoseconds()
            call.nanoseconds = end > call.start ? end - call.start : 0
        }
        if needsInstance, let instance = instance() { call.instance = instance }   // a value may have changed in the call
        for advice in afterwards {
            switch advice.entry.advice {
            case .afterReturning where call.error != nil: continue
            case .afterThrowing where call.error == nil: continue
            default: advice.fire(call)
            }
        }
    }
}
