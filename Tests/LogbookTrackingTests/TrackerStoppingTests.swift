import LogbookCore
import LogbookTestKit
import LogbookTracking
import Testing

struct Chute<Value> { var value: Value }
@TrackedExtension(generic: true) extension Chute where Value == Int {
    func drop(_ n: Int) {}
}

@Suite struct TrackerStoppingTests {
    /// In a process of its own, in which nothing else was said: of one origin diagnostics show a remark a second.
    @Test("who hears that what came late does not fit may stop the tracker")
    func stoppingForAComplaint() async {
        await #expect(processExitsWith: .success) {
            let service = LogService(), provider = RecordingProvider(), tracker = Tracker(service)
            service.register(provider)
            let isOver = Locked(false), remarks = Locked([String]())
            LogDiagnostics.setHandler { remark in
                remarks.withLock { $0.append(remark.message) }
                tracker.stop()
            }
            try tracker.start(
                TrackingPlan(
                    json: #"{ "trackedEvents": [ { "class": "Chute", "selector": "drop(_:)", "label": "x $arg.nme", "late": true } ] }"#))
            LogThread.start("late") {
                Chute(value: 1).drop(2)
                isOver.withLock { $0 = true }
            }
            #expect(becomesTrue(by: .seconds(30)) { isOver.withLock { $0 } })
            let said = remarks.withLock { $0 }
            #expect(said.count == 1 && said.first?.contains("nme") == true, "\(said)")
            Chute(value: 1).drop(2)
            #expect(provider.events.isEmpty)
        }
    }
}
