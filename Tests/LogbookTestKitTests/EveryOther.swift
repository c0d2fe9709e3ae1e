@testable import LogbookTestKit

/// The wrapper on the page of the contract, sound but for its flaw: every other event passes, beginning with the first.
final class EveryOther: WrappingProvider {
    enum Flaw: Sendable { case none, hidesTheFirst, countsWhatPasses, stopsCounting }

    let wrapped: any LogProvider
    private let flaw: Flaw
    private let counts = Locked((seen: 0, held: UInt64(0)))

    init(_ wrapped: any LogProvider, _ flaw: Flaw = .none) {
        self.wrapped = wrapped
        self.flaw = flaw
    }

    func log(_ event: LogEvent) {
        let passes = counts.withLock { counts in
            defer { counts.seen += 1 }
            let passes = counts.seen.isMultiple(of: 2) && (flaw != .hidesTheFirst || counts.seen > 0)
            switch flaw {
            case .hidesTheFirst where counts.seen == 0: break
            case .stopsCounting where counts.held == 400: break
            case .countsWhatPasses: counts.held += 1
            default: counts.held += passes ? 0 : 1
            }
            return passes
        }
        if passes { wrapped.log(event) }
    }

    var suppression: LogSuppression { LogSuppression(heldBack: counts.withLock { $0.held }) }
}
