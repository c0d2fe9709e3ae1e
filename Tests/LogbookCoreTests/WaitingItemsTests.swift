@testable import LogbookCore
import Testing

@Suite struct WaitingItemsTests {
    private func item(_ sequences: ClosedRange<UInt64>, isPrivileged: Bool = false) -> QueueItem {
        let events = sequences.map { LogEvent(sequence: $0, time: LogTime(nanoseconds: 0), level: .info, message: "m") }
        return .events(EventRun(EventChunk(events), 0..<events.count, nesting: 0, isPrivileged: isPrivileged))
    }

    private func sequences(_ item: QueueItem?) -> [UInt64] {
        guard let item else { return [] }
        let items: ArraySlice<QueueItem> = [item]
        return items.events.map(\.sequence)
    }

    @Test func everythingLeavesInTheOrderInWhichItCame() {
        var items = WaitingItems()
        items.append(item(1...3))
        items.append(item(4...5, isPrivileged: true))
        items.append(item(6...6, isPrivileged: true))
        items.append(item(7...8))
        #expect(items.count == 8 && items.privilegedCount == 3 && items.bytes > items.privilegedBytes)
        #expect(sequences(items.first) == [1, 2, 3])
        var left: [[UInt64]] = []
        while let next = items.removeFirst(upTo: 2) { left.append(sequences(next)) }
        #expect(left == [[1, 2], [3], [4, 5], [6], [7, 8]])
        #expect(items.isEmpty && items.count == 0 && items.bytes == 0 && items.privilegedCount == 0 && items.privilegedBytes == 0)
    }

    @Test func whatIsMissedLeastIsTheOldestWithoutAPrivilege() {
        var items = WaitingItems()
        items.append(item(1...1, isPrivileged: true))
        items.append(item(2...3))
        items.append(item(4...4, isPrivileged: true))
        items.append(item(5...5))
        var left: [UInt64] = []
        while let next = items.removeLeastMissed() { left += sequences(next) }
        #expect(left == [2, 3, 5, 1, 4] && items.isEmpty)
    }

    @Test func itIsKnownWhatHasLeft() {
        var items = WaitingItems()
        #expect(items.holdsNothing(upTo: items.latestNumber))
        items.append(item(1...1, isPrivileged: true))
        let early = items.latestNumber
        items.append(item(2...3))
        let late = items.latestNumber
        while items.count > 1 { _ = items.removeLeastMissed() }
        #expect(!items.holdsNothing(upTo: early) && !items.holdsNothing(upTo: late))
        _ = items.removeFirst(upTo: 1)
        #expect(items.holdsNothing(upTo: late))
        items.append(item(4...4))
        #expect(items.holdsNothing(upTo: late) && !items.holdsNothing(upTo: items.latestNumber))
        while items.removeFirst(upTo: .max) != nil {}
        #expect(items.holdsNothing(upTo: items.latestNumber) && items.latestNumber > late)
    }
}
