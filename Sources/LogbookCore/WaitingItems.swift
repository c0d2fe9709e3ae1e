/// The items of a queue in the order in which they came. Privileged ones lie apart from the others, so that the oldest of either is found
/// without a look at what lies before it.
struct WaitingItems {
    private struct Place {
        /// Counts the items of both kinds.
        let number: UInt64
        var item: QueueItem
    }
    /// The items of one kind.
    private struct Lane {
        private(set) var places = RingBuffer<Place>()
        /// Events: an item stands for several.
        private(set) var count = 0
        private(set) var bytes = 0

        mutating func append(_ item: QueueItem, number: UInt64) {
            places.append(Place(number: number, item: item.compacted))
            count += item.count
            bytes += item.estimatedBytes
        }

        /// Takes the oldest item out, or as many events of it as are wanted.
        mutating func removeFirst(upTo count: Int) -> QueueItem? {
            // What is left keeps its place. Looked at where it is: a copy of an item takes longer than all else here.
            let part = places.updateFirst { place in place.item.count > count ? place.item.removeFirst(count) : nil }
            guard let item = part.flatMap({ $0 }) ?? places.removeFirst()?.item else { return nil }
            self.count -= item.count
            bytes -= item.estimatedBytes
            return item
        }
    }
    private var plain = Lane(), privileged = Lane()

    /// Of the item that came last; 0 before the first.
    private(set) var latestNumber: UInt64 = 0
    /// Events: an item stands for several.
    var count: Int { plain.count + privileged.count }
    var bytes: Int { plain.bytes + privileged.bytes }
    /// How many of them are privileged.
    var privilegedCount: Int { privileged.count }
    var privilegedBytes: Int { privileged.bytes }

    var isEmpty: Bool { plain.places.isEmpty && privileged.places.isEmpty }

    /// The oldest.
    var first: QueueItem? { oldest?.item }

    private var oldest: Place? { isPrivilegedFirst ? privileged.places.first : plain.places.first }

    private var isPrivilegedFirst: Bool {
        guard let one = privileged.places.first else { return false }
        guard let other = plain.places.first else { return true }
        return one.number < other.number
    }

    /// Whether everything has left that had come when ``latestNumber`` was this.
    func holdsNothing(upTo number: UInt64) -> Bool { oldest.map { $0.number > number } ?? true }

    mutating func append(_ item: QueueItem) {
        latestNumber += 1
        if item.isPrivileged {
            privileged.append(item, number: latestNumber)
        } else {
            plain.append(item, number: latestNumber)
        }
    }

    /// Takes the oldest item out, or as many events of it as are wanted.
    mutating func removeFirst(upTo count: Int) -> QueueItem? {
        isPrivilegedFirst ? privileged.removeFirst(upTo: count) : plain.removeFirst(upTo: count)
    }

    /// Takes out the oldest event that is not privileged; where there is none, the oldest of all.
    mutating func removeLeastMissed() -> QueueItem? {
        plain.places.isEmpty ? privileged.removeFirst(upTo: 1) : plain.removeFirst(upTo: 1)
    }
}
