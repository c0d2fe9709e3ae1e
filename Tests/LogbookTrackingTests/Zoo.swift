import LogbookTracking

// Every shape of function that Swift has, so far as it can be tracked: each behaves the same with its join point closed and open.

struct Unique: ~Copyable { var number: Int }

@TrackedType struct Zoo {
    var items = ["x"]
    func typed(_ fails: Bool) throws(PurchaseError) -> Int {
        if fails { throw .code(1) }
        return 5
    }
    func single() -> Int { 3 }
    func choice(_ yes: Bool) -> String { if yes { "yes" } else { "no" } }
    func opaque() -> some Sequence<Int> {
        let numbers = [1, 2]
        return numbers.lazy.map { $0 + 1 }
    }
    func opaqueSingle() -> some Sequence<Int> { [1, 2] }
    func unique() -> Unique { Unique(number: 4) }
    func eat(_ unique: consuming Unique) {
        let eaten = unique
        _ = eaten.number
    }
    func mapAll<Value>(_ body: (String) throws -> Value) rethrows -> [Value] { try items.map(body) }
    static func make(_ numbers: Int...) -> Int { numbers.count }
    func change(_ number: inout Int, by step: Int) { number += step }
    func optional(_ text: String?) -> Int? {
        guard let text else { return nil }
        return text.count
    }
    func tuple() -> (a: Int, b: String) { (1, "x") }
    func never() -> Never { fatalError("nobody calls this") }
    func closure(_ body: () -> Int) -> Int { body() }
    func escaping(_ body: @escaping @Sendable () -> Int) -> Int { body() }
    func automatic(_ value: @autoclosure () -> Int) -> Int { value() }
    func defaulted(_ text: String = "a,b", _ table: [String: Int] = ["x": 1, "y": 2], n: Int = { 1 + 2 }()) -> Int {
        text.count + table.count + n
    }
    func `repeat`(_ `in`: Int) -> Int { `in` }
    func keywords(default: Int, for text: String, in: Int, where: Int, is: Int) -> Int { `default` + text.count + `in` + `where` + `is` }
    func tables(_ a: [String: [Int]], dictionary b: [String: (Int, Int)]) -> Int { a.count + b.count }
    func nested(_ n: Int) -> Int {
        func inner(_ m: Int) -> Int { m * 2 }
        outer: for i in 0..<10 {
            for j in 0..<10 where i * j > n { break outer }
        }
        return inner(n)
    }
    func texts() -> [String] {
        [#"a "quoted" } brace"#, """
            several { lines
            """, "\(items.map { "<\($0)>" }.joined())", "}"]
    }
    func pattern(_ text: String) -> Bool { text.contains(/a{2}/) }
    func conditional() -> Int {
        #if os(Linux) || os(macOS)
            return 1
        #else
            return 2
        #endif
    }
    @discardableResult func discarded() -> Int { 9 }
    private func hidden() -> Int { 11 }
    func callsHidden() -> Int { hidden() }
    mutating func push(_ item: String) { items.append(item) }
}

struct Made {
    let value: Int
    @Tracked init(_ value: Int) { self.value = value }
    @Tracked init?(maybe value: Int) {
        if value < 0 { return nil }
        self.value = value
    }
    @Tracked init(throwing value: Int) throws {
        if value < 0 { throw PurchaseError.code(value) }
        self.value = value
    }
}

class Parent {
    let name: String
    @Tracked init(name: String) { self.name = name }
    func hello() -> String { "hello" }
    func helloLater() async -> String { "hello" }
}

@TrackedType(initializers: true) final class Child: Parent {
    let id: Int
    init(id: Int) {
        self.id = id
        super.init(name: "child")
    }
    convenience init(text: String) { self.init(id: Int(text) ?? 0) }
    @Tracked deinit { Destroyed.count += 1 }
    override func hello() -> String { super.hello() + " child" }
    override func helloLater() async -> String { await super.helloLater() + " child" }
}

enum Destroyed { nonisolated(unsafe) static var count = 0 }

final class Box { var value = 0 }

@TrackedType actor Account {
    var balance = 0
    let box = Box()
    func deposit(_ amount: Int) -> Int {
        balance += amount
        return balance
    }
    func slow(_ amount: Int) async throws -> Int {
        box.value += amount
        await Task.yield()
        box.value += amount
        if amount < 0 { throw PurchaseError.code(amount) }
        return box.value
    }
    nonisolated func name() -> String { "account" }
    nonisolated(nonsending) func stays() async -> Int { 1 }
    func given(_ isolation: isolated (any Actor)?) -> Int { 1 }
}

@MainActor @TrackedType final class ViewModel {
    let box = Box()
    func load(_ other: Box) async throws -> Box {
        box.value += other.value
        await Task.yield()
        return box
    }
    func tap() {
        MainActor.assertIsolated()
        box.value += 1
    }
    nonisolated func label() -> String { "view" }
    func hop() async -> Bool {
        MainActor.assertIsolated()
        await Task.yield()
        MainActor.assertIsolated()
        return true
    }
}

@TrackedType final class Isolations: Sendable {
    nonisolated(nonsending) func stays() async -> Int {
        await Task.yield()
        return 1
    }
    @concurrent func leaves() async -> Int {
        await Task.yield()
        return 2
    }
}

@TrackedType struct Holder<Value: Sendable> {
    var value: Value
    func get(_ n: Int) -> Value { value }
    func map<Other>(_ body: (Value) -> Other) -> Other { body(value) }
    static func zero() -> Int { 0 }
}

@TrackedExtension(generic: true) extension Holder where Value == Int {
    func doubled() -> Int { value * 2 }
}

@Tracked func freeFunction(a: Int, b: String) -> String { "\(a)\(b)" }
@Tracked func genericFree<Value>(_ value: Value) -> Value { value }
@Tracked func genericBySome(_ value: some Equatable) -> Bool { value == value }

struct UniqueSelf: ~Copyable {
    var value = 1
    @Tracked consuming func take() -> Int { value }
    @Tracked mutating func bump() { value += 1 }
}

func local() -> Int {
    @Tracked func inner(_ n: Int) -> Int { n + 1 }
    return inner(1)
}

class Legacy {
    func blob(_ total: Double) -> Double {
        var total = total
        if total > 100 {
            let discount = total / 10
            #aspectPoint("vipDiscount", ["discount": Evaluations.counted(discount), "label": "ten, percent"])
            total -= discount
        }
        return total
    }
}

enum Evaluations {
    nonisolated(unsafe) static var count = 0
    static func counted<Value>(_ value: Value) -> Value {
        count += 1
        return value
    }
}

@TrackedExtension extension Legacy { func extra(n: Int) -> Int { n * 2 } }

enum Outer {
    @TrackedType struct Inner {
        func deep() -> Int { 1 }
    }
}

protocol Greeting {}
extension Greeting {
    @Tracked(generic: true) func greet() -> String { "hi" }
}
struct Greeter: Greeting {}

/// Woven from outside: lines and coverage stay exact.
@TrackedType class Exact {
    var total = 0
    dynamic func line() -> Int { 0 + #line }   // line 218 of this file
    dynamic func pay(total: Int) throws -> Int {
        guard total > 0 else { throw PurchaseError.code(total) }
        self.total += total
        return self.total
    }
    dynamic func reset() { total = 0 }
    dynamic static func shared() -> Int { 7 }
    dynamic func later() async -> Int { total }   // a replacement cannot wrap it: its body is
    dynamic func typed() throws(PurchaseError) -> Int { throw .code(4) }
}

/// Both have replacements: those of the one must not get in the way of those of the other.
@TrackedType final class MoreExact: Exact {
    dynamic func half() -> Int { total / 2 }
    dynamic override func reset() { total = 1 }
}

/// Nobody here names what it runs on: where the body is a closure, that closure has to be told.
@TrackedType actor Quiet {
    static let shared = Quiet()
    func work() async { Quiet.shared.preconditionIsolated() }
    func fails(_ box: sending Box) async throws(PurchaseError) {
        Quiet.shared.preconditionIsolated()
        throw .code(box.value)
    }
    func each<Value: Sendable>(_ value: Value) async -> Value {
        Quiet.shared.preconditionIsolated()
        return value
    }
    func opaque() async -> some Sequence<Int> & Sendable { [Quiet.shared.preconditionIsolated()].map { 1 } }
    nonisolated func passes(_ box: Box) async -> Box { await handedOn(box) }
}
extension Quiet {
    @Tracked func more() async { Quiet.shared.preconditionIsolated() }
    @Tracked(instance: false) func most() async { Quiet.shared.preconditionIsolated() }
}

@TrackedType final class Guests {
    nonisolated(nonsending) func stays() async { MainActor.preconditionIsolated() }
    nonisolated(nonsending) func each<Value>(_ value: Value) async -> Value {
        MainActor.preconditionIsolated()
        return value
    }
    func given(_ isolation: isolated (any Actor)? = #isolation) async { MainActor.preconditionIsolated() }
    func knows(_ isolation: isolated (any Actor)? = #isolation) async { isolation?.preconditionIsolated() }
}

/// Belongs to no actor: what it has may go wherever a function that it calls runs.
@TrackedType class Walker {
    var steps = 0
    func step() async -> Int { steps + 1 }
    func walk(_ box: Box) async -> Int { await handedOn(box).value + step() }
    @concurrent func run(_ box: Box) async -> Box { await handedOn(box) }
    static func carry(_ box: Box) async -> Box { await handedOn(box) }
}
@TrackedExtension extension Walker { func stroll() async -> Int { await step() } }

@Tracked func handedOn(_ box: Box) async -> Box { box }

/// Names, types and parameters that what stands around a body must not get in the way of.
@TrackedType(initializers: true) class Odd {
    let number: Int
    init(_ number: Int) throws(PurchaseError) {
        if number < 0 { throw .code(number) }
        self.number = number
    }
    func maybe() -> Int! { number }
    dynamic func maybeWoven() -> Int! { number }
    dynamic func total(total: Int) -> Int { total + 1 }
    dynamic static func share(_ share: String) -> String { share + "!" }
    dynamic func ignore(_ _: Int) -> Int { number }
    #if NOWHERE
        dynamic func here() -> Int { 0 }
    #else
        dynamic func here() -> Int { 1 }
    #endif
    func send(_ box: sending Box) async { await receive(box) }
    dynamic func sendWoven(_ box: sending Box) { Task { print(box.value, terminator: "") } }
    func give() -> sending Box { Box() }
    func quote(_ text: String) -> Bool { text.contains(/["']/) || text.contains(/\{/) || text.contains(#/"/#) }
    @NotTracked func after() -> Int {
        #aspectPoint("odd", [
            "a": number,   // the first, and
            "b": Dictionary<String, Int>(), "c": [1, 2].count /* ] */,
        ])
        return 2
    }
}

@Tracked func eatOrFail(_ unique: consuming Unique) throws(PurchaseError) {
    let number = unique.number
    throw .code(number)
}

@TrackedType struct Borrowed {
    var items = [1]
    borrowing func count() -> Int { items.count }
    dynamic borrowing func countWoven() -> Int { items.count }
}

func receive(_ box: sending Box) async { box.value += 1 }

/// Values that change while their body cannot be in a closure.
@TrackedType struct Sack<Value> {
    var items: [Value] = []
    mutating func put(_ item: consuming Value) { items.append(item) }
    #if NOWHERE
        func gone() {}
    #else
        func here() {}
    #endif
}
@TrackedType struct Bag {
    var items: [Int] = []
    mutating func put(_ item: consuming Int) { items.append(item) }
    mutating func fail(_ item: consuming Int) throws {
        items.append(item)
        throw PurchaseError.code(items.count)
    }
}

/// Nobody speaks of it but what is written beside it, which must not be warned for that.
@available(*, deprecated, message: "still tracked") @TrackedType final class Retired {
    dynamic func show() -> Int { 1 }
}

/// Generic by what stands inside the type of a parameter.
@TrackedType struct Opaques {
    func count(_ list: [some Equatable], _ set: Set<some Hashable>) -> Int { list.count + set.count }
    func pairs() -> [some Sequence<Int>] { [[1], [2]] }
    dynamic func woven(_ list: [some Equatable]) -> Int { list.count }
    dynamic func wovenToo<Value>(_ value: Value) -> Value { value }
}

@Tracked func genericBySomeInside(_ values: Array<some Equatable>) -> Int { values.count }

/// Facts that come up outside functions.
final class Places {
    var stored = 0 { didSet { #aspectPoint("placesDidSet", ["old": oldValue]) } }
    let made: Int = {
        #aspectPoint("placesMade")
        return 1
    }()
    var total: Int {
        get {
            #aspectPoint("placesGet")
            return stored
        }
        set {
            #aspectPoint("placesSet", ["new": newValue])
            stored = newValue
        }
    }
    subscript(index: Int) -> Int {
        #aspectPoint("placesSubscript", ["index": index])
        return index
    }
    subscript<Key: Hashable>(key: Key) -> Int {
        #aspectPoint("placesGenericSubscript")
        return key.hashValue
    }
    deinit { #aspectPoint("placesDeinit") }
}

let placesGlobal: Int = {
    #aspectPoint("placesGlobal")
    return 1
}()

/// Nothing but comments.
@TrackedType(initializers: true) final class Silent {
    init() {
        // nothing to do
    }
    @Tracked deinit { /* nothing to do */ }
    func wait() { /* nothing to do */ }
}

/// Points in bodies that a macro has wrapped, which does not say then where they stand, and in one that it has left alone.
@TrackedType struct Wrapped {
    func wrapped() { #aspectPoint("inWrapped") }
    dynamic func woven() { #aspectPoint("inWoven") }
    @NotTracked func plain() { #aspectPoint("inPlain") }
}

/// Consumes itself in every way that there is.
@TrackedType struct Ticket: ~Copyable {
    let number: Int
    deinit {}
    consuming func tear() { discard self }
    consuming func sell() -> Int {
        let number = self.number
        discard self
        return number
    }
    consuming func give() -> Ticket { self }
    consuming func pass(_ isKept: Bool) throws(PurchaseError) -> Ticket {
        guard isKept else { throw .code(number) }
        return self
    }
    consuming func twice() -> Int { [number].map { number in return number * 2 }[0] }
    consuming func choose(_ isOdd: Bool) -> Int { if isOdd { number } else { 0 } }
}

/// Its methods speak of a type around their own, and are `dynamic`.
enum Ward {
    enum Bed: Int { case first = 1 }
    @TrackedType struct Patient {
        dynamic func lie(in bed: Bed) -> Bed { bed }
        dynamic func turn<Value>(_ value: Value) -> Value { value }
    }
}

/// What says that it may throw, and does not; what lets one original be told from another; braces in texts before what seems a comment.
@TrackedType(initializers: true) final class Plain {
    let number: Int
    init(_ number: Int) throws { self.number = number }
    init(typed number: Int) throws(PurchaseError) { self.number = number }
    init?(maybe number: Int) throws {
        guard number > 0 else { return nil }
        self.number = number
    }
    init(later number: Int) async throws { self.number = number }
    func take(_ numbers: consuming [Int]) throws { numbers.append(1) }
    func never() throws(Never) -> Int { 1 }
    dynamic func neverWoven() throws(Never) -> Int { 2 }
    dynamic func get() {}
    dynamic func get() -> Int { 3 }
    dynamic func check(_ isTrue: @autoclosure () throws -> Bool) -> Bool { (try? isTrue()) ?? false }
    dynamic func passOn(_ isTrue: @autoclosure () throws -> Bool) rethrows -> Bool { try isTrue() }
    dynamic func change(`inout`: Int) -> Int { `inout` }
    func glob() -> String { "${HOME}/*.swift" }
    func path() -> String { "{scheme}//{host}" }
}

/// Points in generic bodies that a macro has wrapped.
@Tracked func genericWithPoint<Value>(_ value: Value) -> Value {
    #aspectPoint("inGenericFree", ["value": value])
    return value
}
@TrackedType struct PointBox<Value> {
    let value: Value
    func open() -> Value {
        #aspectPoint("inGenericType")
        return value
    }
}
