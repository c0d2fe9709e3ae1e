/// The items of a queue in the order in which they came. Privileged ones lie apart from the others, so that the oldest of either is found
/// without a look at what lies before it.
struct WaitingItems {
    private struct Place {
        /// Counts the items of both kinds.
        let number: UInt64
        var item: QueueItem
    }
    private var plain = RingBuffer<Place>(), privileged = RingBuffer<Place>()

    /// Of the item that came last; 0 before the first.
    private(set) var latestNumber: UInt64 = 0
    /// Events: an item stands for several.
    private(set) var count = 0
    private(set) var bytes = 0
    /// How many of them are privileged.
    private(set) var privilegedCount = 0
    private(set) var privilegedBytes = 0

    var isEmpty: Bool { plain.isEmpty && privileged.isEmpty }

    /// The oldest.
    var first: QueueItem? { (isPrivilegedFirst ? privileged.first : plain.first)?.item }

    private var isPrivilegedFirst: Bool {
        guard let one = privileged.first else { return false }
        guard let other = plain.first else { return true }
        return one.number < other.number
    }

    /// Whether everything has left that had come when ``latestNumber`` was this.
    func holdsNothing(upTo number: UInt64) -> Bool {
        guard let oldest = isPrivilegedFirst ? privileged.first : plain.first else { return true }
        return oldest.number > number
    }

    mutating func append(_ item: QueueItem) {
        latestNumber += 1
        let place = Place(number: latestNumber, item: item.compacted)
        let events = item.count, size = item.estimatedBytes
        count += events
        bytes += size
        if item.isPrivileged {
            privileged.append(place)
            privilegedCount += events
            privilegedBytes += size
        } else {
            plain.append(place)
        }
    }

    /// Takes the oldest item out, or as many events of it as are wanted.
    mutating func removeFirst(upTo count: Int) -> QueueItem? {
        isPrivilegedFirst ? removePrivileged(upTo: count) : removePlain(upTo: count)
    }

    /// Takes out the oldest event that is not privileged; where there is none, the oldest of all.
    mutating func removeLeastMissed() -> QueueItem? {
        plain.isEmpty ? removePrivileged(upTo: 1) : removePlain(upTo: 1)
    }

    private mutating func removePlain(upTo count: Int) -> QueueItem? {
        guard let item = Self.removeFirst(of: &plain, upTo: count) else { return nil }
        self.count -= item.count
        bytes -= item.estimatedBytes
        return item
    }

    private mutating func removePrivileged(upTo count: Int) -> QueueItem? {
        guard let item = Self.removeFirst(of: &privileged, upTo: count) else { return nil }
        self.count -= item.count
        bytes -= item.estimatedBytes
        privilegedCount -= item.count
        privilegedBytes -= item.estimatedBytes
        return item
    }

    private static func removeFirst(of places: inout RingBuffer<Place>, upTo count: Int) -> QueueItem? {
        // What is left keeps its place. Looked at where it is: a copy of an item takes longer than all else here.
        let part = places.updateFirst { place in place.item.count > count ? place.item.removeFirst(count) : nil }
        return part.flatMap { $0 } ?? places.removeFirst()?.item
    }

    /// Items that come afterwards are counted on.
    mutating func removeAll() {
        plain = RingBuffer<Place>()
        privileged = RingBuffer<Place>()
        (count, bytes, privilegedCount, privilegedBytes) = (0, 0, 0, 0)
    }
}
