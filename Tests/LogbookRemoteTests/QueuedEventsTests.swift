import LogbookCore
import Testing

@testable import LogbookRemote

@Suite struct QueuedEventsTests {
    @Test("what is taken out is what a list would give, whatever came and went before", arguments: [
        RemoteQueuePolicy.Overflow.dropOldest, .dropNewest,
    ])
    func theOrderIsThatOfAList(overflow: RemoteQueuePolicy.Overflow) {
        var queue = QueuedEvents(), list: [(sequence: UInt64, isPrivileged: Bool)] = []
        let random = LogRandomness.seeded(11)
        for number in 1...5000 as ClosedRange<UInt64> {
            let isPrivileged = random.next() % 4 == 0
            queue.append(.numbered(Int(number)), bytes: LogEvent.numbered(Int(number)).estimatedBytes, isPrivileged: isPrivileged)
            list.append((number, isPrivileged))
            let limit = Int(random.next() % 200)
            while list.count > limit {
                var place = 0
                let removed: QueuedEvents.Place?
                if random.next() % 2 == 0 {
                    removed = queue.removeFirst()
                } else {
                    let ordinary = list.indices.filter { !list[$0].isPrivileged }
                    place = (overflow == .dropOldest ? ordinary.first : ordinary.last) ?? 0
                    removed = queue.removeLeastMissed(overflow)
                }
                #expect(removed?.event.sequence == list.remove(at: place).sequence)
            }
            #expect(queue.count == list.count && queue.first?.sequence == list.first?.sequence)
            #expect(queue.firstNumber == list.first?.sequence)
            #expect(queue.privilegedCount == list.count { $0.isPrivileged })
        }
        #expect(queue.elements.map(\.sequence) == list.map(\.sequence))
        while queue.removeFirst() != nil {}
        #expect(queue.bytes == 0 && queue.privilegedBytes == 0 && queue.isEmpty && queue.latestNumber == 5000)
    }
}
