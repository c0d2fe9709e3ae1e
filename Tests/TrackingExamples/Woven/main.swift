import Foundation
import Logbook
import LogbookTracking

final class Printer: LogProvider {
    func log(_ event: LogEvent) {
        let metadata = event.metadata.map { "\($0.key)=\($0.value)" }.filter { !$0.hasPrefix("category=") }
        print(([event.message] + metadata.sorted()).joined(separator: "; "))
    }
    func flush(by deadline: LogDeadline) {}
}
let service = LogService()
service.register(Printer())
let tracker = Tracker(service)
tracker.start(TrackingPlan(path: CommandLine.arguments[1]), onIssues: .exit)

let screen = MainScreen()
OtherScreen().viewDidAppear(true)
screen.viewDidAppear(true)
guard screen.share(2, to: "kim") == "2 kim 13 share(_:to:)" else { fatalError("the body has changed") }
_ = URL(string: "http://example.com").flatMap(screen.open)
_ = try screen.pay(total: 3)
_ = try? screen.pay(total: 0)
_ = try? screen.typed()
_ = screen.mapAll { $0 }
screen.automatic(5)
_ = screen.repeat(6)
var number = 1
MainScreen.boot(&number)
screen.replaced()
guard screen.unique().take() == 4, number == 2 else { fatalError("a body has changed") }
var cart = Cart()
_ = cart.add("tea")
_ = Box(value: 1).map { $0 }
_ = Box(value: 4).doubled()
_ = await Account().deposit(5)
ViewModel().tap()
_ = Outer.Inner().deep()
_ = Greeter().greet()
_ = free(1)
_ = here()
tracker.stop()
_ = free(1)
