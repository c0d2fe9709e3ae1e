import AppRuntime
import Foundation

final class Printer: LogProvider {
    func log(_ event: LogEvent) { print(event.message) }
    func flush(by deadline: LogDeadline) {}
}
let service = LogService()
service.register(Printer())
let plan = TrackingPlan(json: """
    { "trackedScreens": [ { "class": "LateHome", "selector": "show(_:)", "label": "Home $arg.page", "late": true } ],
      "trackedEvents": [ { "class": "LateHome", "selector": "leave()", "label": "Left", "late": true } ] }
    """)
let tracker = Tracker(service)
print("\(try tracker.start(plan)) points at the start")
guard let library = dlopen(CommandLine.arguments[1], RTLD_NOW), let visit = dlsym(library, "visitLateScreens") else {
    fatalError(String(cString: dlerror()))
}
unsafeBitCast(visit, to: (@convention(c) () -> Void).self)()
print("\(try tracker.start(plan)) points when it is loaded")
