import Logbook
import LogbookTestKit
import Synchronization
import Testing

// The code of Plugins-Docs/ProviderContract.md, to the letter: GuideBlocksTests compares the two.

final class EveryOther: WrappingProvider {
    let wrapped: any LogProvider
    private let seen = Atomic<UInt64>(0)
    private let held = Atomic<UInt64>(0)

    init(_ wrapped: any LogProvider) { self.wrapped = wrapped }

    func log(_ event: LogEvent) {
        if seen.add(1, ordering: .relaxed).oldValue.isMultiple(of: 2) { return wrapped.log(event) }
        held.add(1, ordering: .relaxed)
    }
    var suppression: LogSuppression { LogSuppression(heldBack: held.load(ordering: .relaxed)) }
}

@Suite struct ProviderContractTests {
    @Test func whatAWrapperHoldsBackIsNotLost() {
        let service = LogService(), recorder = RecordingProvider()
        let registration = service.register(EveryOther(recorder))
        for number in 1...5 { service.info("\(number)") }
        #expect(recorder.messages == ["1", "3", "5"])
        #expect(registration.ledger == LogLedger(submitted: 3, delivered: 3))
        #expect(registration.suppression == LogSuppression(heldBack: 2))
    }
}
