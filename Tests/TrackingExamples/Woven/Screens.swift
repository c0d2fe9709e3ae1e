import Foundation

// Classes of an application that knows nothing of what is reported. `main.swift` depends on the number of line 13.

enum PurchaseError: Error { case code(Int) }

class BaseScreen {
    func viewDidAppear(_ animated: Bool) {}
}
final class OtherScreen: BaseScreen {}
final class MainScreen: BaseScreen {
    var total = 1
    func share(_ count: Int, to who: String = "all") -> String { "\(count) \(who) \(#line) \(#function)" }
    func open(_ url: URL) -> URL? { url }
    func pay(total: Int) throws -> Int {
        if total == 0 { throw PurchaseError.code(7) }
        return total
    }
    func typed() throws(PurchaseError) -> Int { throw .code(8) }
    func mapAll<Value>(_ body: (Int) throws -> Value) rethrows -> [Value] { try [1, 2].map(body) }
    @discardableResult func automatic(_ value: @autoclosure () -> Int) -> Int { value() }
    func `repeat`(_ `in`: Int) -> Int { `in` }
    @MainActor static func boot(_ number: inout Int) { number += 1 }
    func replaced() { fatalError("an event stands instead of this") }
    func unique() -> Unique { Unique(number: 4) }
    func load() async -> Int { 1 }
    private func hidden() {}
}
struct Unique: ~Copyable {
    var number: Int
    consuming func take() -> Int { number }
}
struct Cart {
    var items: [String] = []
    mutating func add(_ item: String, quantity: Int = 1) -> Int {
        items.append(item)
        return items.count
    }
}
struct Box<Value> {
    var value: Value
    func map<Other>(_ body: (Value) -> Other) -> Other where Other: Sendable { body(value) }
}
extension Box where Value == Int {
    func doubled() -> Int { value * 2 }
}
actor Account {
    var balance = 0
    func deposit(_ amount: Int) -> Int {
        balance += amount
        return balance
    }
}
@MainActor final class ViewModel {
    func tap() { MainActor.assertIsolated() }
}
enum Outer {
    struct Inner { func deep() -> Int { 1 } }
}
protocol Greeting {}
extension Greeting {
    func greet() -> String { "hi" }
}
struct Greeter: Greeting {}
func free(_ a: Int) -> Int { a + 1 }
#if os(Linux)
    func here() -> Int { 1 }
#else
    func here() -> Int { 2 }
#endif
