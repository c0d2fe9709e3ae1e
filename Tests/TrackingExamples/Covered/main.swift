import Logbook
import LogbookTracking

// `Tests/tracking-in-a-package` knows the numbers of the lines that say so.

@TrackedType final class Screen {
    var total = 0
    dynamic func pay(_ amount: Int) throws -> Int {
        guard amount > 0 else { return 0 }
        total += amount                     // line 10: counted 2 times
        if total > 100 {
            total = 100                     // line 12: never
        }
        return total
    }
    func leave() -> Int { total }
}

final class Printer: LogProvider {
    func log(_ event: LogEvent) { print(event.message) }
    func flush(by deadline: LogDeadline) {}
}
let service = LogService()
service.register(Printer())
let tracker = Tracker(service)
try tracker.start(TrackingPlan(json: """
    { "trackedEvents": [
      { "class": "Screen", "selector": "pay(_:)", "label": "Paid $result" },
      { "class": "Screen", "selector": "leave()", "label": "Left with $result" } ] }
    """))
let screen = Screen()
_ = try screen.pay(5)
_ = try screen.pay(0)
_ = try screen.pay(6)
_ = screen.leave()
