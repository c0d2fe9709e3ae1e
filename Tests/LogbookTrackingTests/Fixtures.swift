import LogbookTracking

// The classes of an application that knows nothing of what is reported: no label, no provider, no logging call stands here.

enum PurchaseError: Error, Equatable { case code(Int) }
protocol Screen {}

@TrackedType class BaseScreen: Screen {
    var title = "base"
    var appearances = 0
    func viewDidAppear(_ animated: Bool) { appearances += 1 }
}

@TrackedType final class MainScreen: BaseScreen {
    var cart = Cart()
    func loginViewFetchedUserInfo(_ view: String, user: String) {}
    func loginView(_ view: String, handleError error: any Error) {}
    func share(_ sender: Int) -> String { "shared \(sender) \(#function)" }
    @NotTracked func untracked() {}
}

@TrackedType final class OtherScreen: BaseScreen {}

@TrackedType struct Cart {
    var items: [String] = []
    var couponCode: String?
    mutating func add(_ item: String, quantity: Int = 1) -> Int {
        for _ in 0..<quantity { items.append(item) }
        return items.count
    }
    func checkout(total: Double) throws -> Int {
        guard total > 0 else { throw PurchaseError.code(7) }
        return Int(total * 2)
    }
    func count() -> Int { items.count }
    func onEach(_ body: (String) -> Void) { items.forEach(body) }
    static func make(_ numbers: Int...) -> Int { numbers.count }
}
