/// A first-in, first-out queue that grows to what it is asked to hold and reuses its room.
package struct RingBuffer<Element> {
    private var slots: [Element?] = []
    private var head = 0
    package private(set) var count = 0

    package init() {}

    package var isEmpty: Bool { count == 0 }
    package var first: Element? { count == 0 ? nil : slots[head] }
    /// From the oldest to the newest.
    package var elements: [Element] { (0..<count).compactMap { slots[(head + $0) % slots.count] } }

    package mutating func append(_ element: Element) {
        if count == slots.count { grow() }
        slots[(head + count) % slots.count] = element
        count += 1
    }

    package mutating func removeFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = slots[head].take()
        head = (head + 1) % slots.count
        count -= 1
        return element
    }

    package mutating func removeLast() -> Element? {
        guard count > 0 else { return nil }
        count -= 1
        return slots[(head + count) % slots.count].take()
    }

    /// Changes the oldest element in its place.
    package mutating func updateFirst<Result>(_ body: (inout Element) -> Result) -> Result? {
        guard count > 0 else { return nil }
        return body(&slots[head]!)
    }

    private mutating func grow() {
        var larger: [Element?] = []
        larger.reserveCapacity(max(64, slots.count * 2))
        for index in 0..<count { larger.append(slots[(head + index) % slots.count]) }
        larger.append(contentsOf: repeatElement(nil, count: max(64, slots.count * 2) - count))
        slots = larger
        head = 0
    }
}
