internal import Synchronization

/// A level that tasks carry with them: open as long as one of them lives, also a task that outlives the call that opened it.
final class LevelScope: Sendable {
    let level: LogLevel

    init(_ level: LogLevel) {
        self.level = level
        Self.count(level, by: 1)
    }
    deinit { Self.count(level, by: -1) }

    /// The lowest level of an open scope, as a floor; `UInt8.max` when there is none.
    static var lowest: UInt8 { openFloor.load(ordering: .relaxed) }
    static var isAnyOpen: Bool { lowest != .max }

    private static let openFloor = Atomic<UInt8>(.max)
    private static let open = Locked([Int](repeating: 0, count: LogLevel.allCases.count))

    /// Moves of the floor that not every service has heard of.
    private static let moving = Atomic<Int>(0)

    private static func count(_ level: LogLevel, by change: Int) {
        let isFloorMoved = open.withLock { open in
            open[Int(level.rawValue)] += change
            let floor = open.firstIndex { $0 > 0 }.map { UInt8($0) } ?? .max
            guard openFloor.exchange(floor, ordering: .relaxed) != floor else { return false }
            moving.add(1, ordering: .relaxed)
            return true
        }
        // A service that makes its floors anew reads the level of the latest move, so the order of two such moves does not matter. Who
        // opens a scope while another is still moving the floor must not speak before every service has heard of that.
        guard isFloorMoved || change > 0 && moving.load(ordering: .acquiring) > 0 else { return }
        for service in LiveServices.all { service.audienceChanged() }
        if isFloorMoved { moving.subtract(1, ordering: .releasing) }
    }
}
