internal import LogbookCore

/// Events in the order in which they came. Those that are missed most, errors and what transactions said, lie apart from the ordinary
/// ones, so that either end of the ordinary ones is found without a look at what lies between.
struct QueuedEvents {
    struct Place {
        /// Counts all events.
        let number: UInt64
        let event: LogEvent
    }
    private struct Lane {
        private(set) var places = RingBuffer<Place>()
        private(set) var bytes = 0

        mutating func append(_ place: Place, bytes: Int) {
            places.append(place)
            self.bytes += bytes
        }

        mutating func removeFirst() -> Place? { removed(places.removeFirst()) }
        mutating func removeLast() -> Place? { removed(places.removeLast()) }

        private mutating func removed(_ place: Place?) -> Place? {
            if let place { bytes -= place.event.estimatedBytes }
            return place
        }
    }
    private var ordinary = Lane(), privileged = Lane()

    /// Of the event that came last; 0 before the first.
    private(set) var latestNumber: UInt64 = 0
    var count: Int { ordinary.places.count + privileged.places.count }
    var bytes: Int { ordinary.bytes + privileged.bytes }
    var isEmpty: Bool { ordinary.places.isEmpty && privileged.places.isEmpty }
    /// Those that are missed most.
    var privilegedCount: Int { privileged.places.count }
    var privilegedBytes: Int { privileged.bytes }

    /// The oldest.
    var first: LogEvent? { (isPrivilegedFirst ? privileged : ordinary).places.first?.event }

    /// Of the oldest.
    var firstNumber: UInt64? { (isPrivilegedFirst ? privileged : ordinary).places.first?.number }

    private var isPrivilegedFirst: Bool {
        guard let one = privileged.places.first else { return false }
        guard let other = ordinary.places.first else { return true }
        return one.number < other.number
    }

    /// The oldest first.
    var elements: [LogEvent] {
        if privileged.places.isEmpty { return ordinary.places.elements.map(\.event) }
        return (ordinary.places.elements + privileged.places.elements).sorted { $0.number < $1.number }.map(\.event)
    }

    mutating func append(_ event: LogEvent, bytes: Int, isPrivileged: Bool) {
        latestNumber += 1
        let place = Place(number: latestNumber, event: event)
        if isPrivileged { privileged.append(place, bytes: bytes) } else { ordinary.append(place, bytes: bytes) }
    }

    mutating func removeFirst() -> Place? { isPrivilegedFirst ? privileged.removeFirst() : ordinary.removeFirst() }

    /// Takes out the ordinary event that gives way; where there is none, the oldest of all.
    mutating func removeLeastMissed(_ overflow: RemoteQueuePolicy.Overflow) -> Place? {
        if ordinary.places.isEmpty { return privileged.removeFirst() }
        return overflow == .dropOldest ? ordinary.removeFirst() : ordinary.removeLast()
    }
}
