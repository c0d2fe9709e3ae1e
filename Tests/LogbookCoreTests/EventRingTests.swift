@testable import LogbookCore
import LogbookTestKit
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite struct EventRingTests {
    struct Record: Equatable {
        var producer: UInt32
        var number: UInt64
    }

    /// A record is its size and its producer, and its number in every word up to its end.
    func push(_ record: Record, bytes: Int, to ring: EventRing) -> Bool {
        guard let memory = ring.reserve(bytes: bytes) else { return false }
        for offset in stride(from: 8, through: bytes - 8, by: 8) {
            memory.storeBytes(of: record.number, toByteOffset: offset, as: UInt64.self)
        }
        ring.commit(memory, mark: UInt64(bytes) | UInt64(record.producer) << 32)
        return true
    }

    /// - Returns: Nil when the record is torn.
    func read(_ memory: UnsafeRawPointer) -> Record? {
        let mark = memory.load(as: UInt64.self), bytes = Int(mark & 0xFFFF_FFFF)
        let record = Record(producer: UInt32(mark >> 32), number: memory.load(fromByteOffset: 8, as: UInt64.self))
        for offset in stride(from: 8, through: bytes - 8, by: 8)
        where memory.load(fromByteOffset: offset, as: UInt64.self) != record.number { return nil }
        return record
    }

    func taken(from ring: EventRing) -> [Record?] {
        var records: [Record?] = []
        ring.drain(upTo: ring.end) { memory in
            records.append(read(memory))
            return true
        }
        return records
    }

    @Test func recordsComeOutInTheOrderInWhichTheyWentIn() {
        let ring = EventRing()
        let sizes = [16, 64, 72, 1000, EventRing.maximumRecordBytes, 24]
        for (number, bytes) in sizes.enumerated() {
            #expect(push(Record(producer: 1, number: UInt64(number)), bytes: bytes, to: ring))
        }
        #expect(taken(from: ring) == sizes.indices.map { Record(producer: 1, number: UInt64($0)) })
        #expect(taken(from: ring).isEmpty)
        #expect(ring.usedCells == 0)
    }

    @Test func aFullRingTakesNothingAndLosesNothing() {
        let ring = EventRing()
        var count: UInt64 = 0
        while push(Record(producer: 1, number: count), bytes: 192, to: ring) { count += 1 }
        #expect(count == UInt64(EventRing.cells / 3))
        #expect(!push(Record(producer: 1, number: count), bytes: 192, to: ring))
        #expect(taken(from: ring) == (0..<count).map { Record(producer: 1, number: $0) })
        #expect(push(Record(producer: 1, number: count), bytes: 192, to: ring))
    }

    @Test func aRecordThatDoesNotFitBeforeTheEndOfTheRingBeginsAtItsBeginning() {
        let ring = EventRing()
        var number: UInt64 = 0
        // Sizes that share no factor with the ring's meet its end in every way, several times around.
        for round in 0..<700 {
            var expected: [Record?] = [], areThere = true
            for step in 0..<8 {
                let record = Record(producer: 2, number: number)
                areThere = push(record, bytes: 64 * (1 + (round * 8 + step) % 47), to: ring) && areThere
                expected.append(record)
                number += 1
            }
            #expect(areThere && taken(from: ring) == expected)
        }
        #expect(ring.end > 8 * EventRing.cells)
    }

    #if os(Linux)
        @Test func cellsHaveMemoryBeforeSomebodyWritesThere() {
            let ring = EventRing(), page = Int(sysconf(Int32(_SC_PAGESIZE)))
            var number: UInt64 = 0, start: UnsafeMutableRawPointer?, populated = 0, steps = 0
            func isThere(_ cell: Int) -> Bool {
                var isResident: UInt8 = 0
                let place = UInt(bitPattern: start! + cell * EventRing.cellBytes) & ~UInt(page - 1)
                return mincore(UnsafeMutableRawPointer(bitPattern: place), page, &isResident) == 0 && isResident & 1 == 1
            }
            while ring.end < EventRing.cells + 100 {
                guard push(Record(producer: 1, number: number), bytes: 64, to: ring) else {
                    Issue.record("record \(number) found no room")
                    return
                }
                let earlier = populated
                populated = ring.populate(from: populated)
                if populated > earlier { steps += 1 }
                // What lies there stays, and is as whole as it was.
                var latest: Record?
                ring.drain(upTo: ring.end) { memory in
                    if start == nil { start = UnsafeMutableRawPointer(mutating: memory) }
                    latest = read(memory)
                    return true
                }
                guard latest == Record(producer: 1, number: number), populated >= min(ring.end + 1000, EventRing.cells), populated <= EventRing.cells
                else {
                    Issue.record("record \(number): \(String(describing: latest)), and \(populated) cells have memory at \(ring.end)")
                    return
                }
                number += 1
                if populated > earlier { #expect(stride(from: earlier, to: populated, by: 32).allSatisfy(isThere)) }
            }
            // In a few large steps.
            #expect(populated == EventRing.cells && steps < 20)
        }
    #endif

    @Test func aReaderMayStopAfterAnyRecord() {
        let ring = EventRing()
        for number in 0..<4 { _ = push(Record(producer: 1, number: UInt64(number)), bytes: 100, to: ring) }
        var first: [Record?] = []
        ring.drain(upTo: ring.end) { memory in
            first.append(read(memory))
            return first.count < 2
        }
        #expect(first.count == 2)
        #expect(taken(from: ring) == [Record(producer: 1, number: 2), Record(producer: 1, number: 3)])
    }

    @Test func manyProducersLoseNothingTearNothingAndKeepTheirOrder() {
        let ring = EventRing(), producers = 4, each = Sanitizer.share(of: 25_000), running = Monitor(producers)
        let deadline = LogDeadline.seconds(120)
        for producer in 0..<producers {
            LogThread.start("producer") {
                for number in 0..<each {
                    let record = Record(producer: UInt32(producer), number: UInt64(number))
                    while !push(record, bytes: 16 + (number & 15) * 16, to: ring), !deadline.hasPassed { LogThread.yield() }
                }
                running.withLock { access in
                    access.value -= 1
                    access.broadcast()
                }
            }
        }
        var next = [UInt64](repeating: 0, count: producers), faults = 0
        while next.contains(where: { $0 < UInt64(each) }), faults == 0, !deadline.hasPassed {
            let before = ring.position
            ring.drain(upTo: ring.end) { memory in
                if let record = read(memory), record.number == next[Int(record.producer)] {
                    next[Int(record.producer)] += 1
                } else {
                    faults += 1
                }
                return faults == 0
            }
            if ring.position == before { LogThread.yield() }
        }
        #expect(faults == 0)
        #expect(next == [UInt64](repeating: UInt64(each), count: producers))
        running.withLock { access in while access.value > 0 && access.wait(until: deadline) {} }
        #expect(ring.usedCells == 0)
    }
}
