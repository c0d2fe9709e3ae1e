import Logbook
import LogbookTracking

// Everything is on the main actor unless it says otherwise, as in an application that Xcode makes; asynchronous functions stay with
// their caller.

@TrackedType class Screen {
    var shown = 0
    func show() { shown += 1 }
    func load() async -> Int {
        MainActor.preconditionIsolated()
        await Task.yield()
        return shown
    }
    dynamic func leave(_ reason: String) -> Int { shown }
    nonisolated func title() -> String { "title" }
    nonisolated func wait() async { MainActor.preconditionIsolated() }
    func each<Value>(_ value: Value) -> Value { value }
    @concurrent func work() async -> Int { 7 }
}
@TrackedExtension extension Screen { func buy() { #aspectPoint("bought", ["shown": shown]) } }
@TrackedType struct Holder<Value> {
    var value: Value
    func get() -> Value { value }
}
@Tracked nonisolated func free() async { MainActor.preconditionIsolated() }

nonisolated struct Printer: LogProvider {
    func log(_ event: LogEvent) { print(event.message) }
    func flush(by deadline: LogDeadline) {}
}

let service = LogService()
service.register(Printer())
let tracker = Tracker(service)
func event(_ type: String, _ selector: String, _ label: String) -> String {
    "{ \"class\": \"\(type)\", \"selector\": \"\(selector)\", \"label\": \"\(label)\" }"
}
try tracker.start(TrackingPlan(json: """
    { "trackedEvents": [
      \([
        event("Screen", "show()", "shown"), event("Screen", "load()", "loaded $result"),
        event("Screen", "leave(_:)", "left for $arg.reason"), event("Screen", "title()", "$result"), event("Screen", "wait()", "waited"),
        event("Screen", "each(_:)", "each $arg.value"), event("Screen", "work()", "worked $result"), event("Screen", "buy()", "buying"),
        event("Holder", "get()", "got $result"), event("OnMain", "free()", "free"),
      ].joined(separator: ",\n")),
      { "point": "bought", "label": "bought $arg.shown" } ] }
    """))

let screen = Screen()
screen.show()
_ = await screen.load()
_ = screen.leave("home")
_ = screen.title()
await screen.wait()
_ = screen.each(4)
_ = await screen.work()
screen.buy()
_ = Holder(value: 5).get()
await free()
