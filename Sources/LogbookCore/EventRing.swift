// HOT PATH — callers reserve cells, fill them and commit; one reader at a time takes whole records out, in order of reservation.
internal import CLogbookSystem
internal import Synchronization

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A ring of cells between any number of callers and one reader. Bounded memory whatever the number of threads; no lock, no
/// allocation.
///
/// A record lies in consecutive cells. Its first word is 0 until the record is whole; the reader makes the first word of every
/// cell 0 again before callers get the cell back.
final class EventRing: Sendable {
    static let cellBytes = 64
    /// 1 MiB of records.
    static let cells = 1 << 14
    /// The largest record, in bytes; what is larger travels as an object of its own and leaves a small record here.
    static let maximumRecordBytes = 16 << 10
    /// Above this many used cells callers distribute themselves before they go on, where they may.
    static let crowdedCells = cells / 2
    /// The reader gives cells back after so many, also in the middle of a long read.
    private static let announcedCells = 1024

    /// How far ahead of a reservation cells are fetched into the caller's cache: the time of a few calls.
    private static let fetchedCells = 8
    /// So many cells behind the newest reservation have memory before somebody writes there.
    private static let populatedCells = 2048

    /// A number on cache lines of its own: two of them, because processors fetch pairs.
    private struct Lonely: ~Copyable {
        let number = Atomic<Int>(0)
        static var bytes: Int { 128 }
    }

    private nonisolated(unsafe) let memory: UnsafeMutableRawPointer
    /// The first cell in it.
    private nonisolated(unsafe) let firstCell: UnsafeMutableRawPointer
    private nonisolated(unsafe) let reserved: UnsafeMutablePointer<Lonely>
    private nonisolated(unsafe) let taken: UnsafeMutablePointer<Lonely>

    init() {
        // From calloc, whose pages cost nothing before a record lies in them.
        memory = UnsafeMutableRawPointer(calloc((Self.cells + 1) * Self.cellBytes, 1))!
        firstCell = UnsafeMutableRawPointer(bitPattern: (UInt(bitPattern: memory) + UInt(Self.cellBytes) - 1) & ~(UInt(Self.cellBytes) - 1))!
        func lonely() -> UnsafeMutablePointer<Lonely> {
            let place = UnsafeMutableRawPointer.allocate(byteCount: Lonely.bytes, alignment: Lonely.bytes)
                .bindMemory(to: Lonely.self, capacity: 1)
            place.initialize(to: Lonely())
            return place
        }
        reserved = lonely()
        taken = lonely()
    }

    deinit {
        free(memory)
        reserved.deallocate()
        taken.deallocate()
    }

    @inline(__always)
    private func address(_ cell: Int) -> UnsafeMutableRawPointer {
        firstCell + (cell & (Self.cells &- 1)) &* Self.cellBytes
    }

    @inline(__always)
    private func mark(of cell: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Atomic<UInt64>> {
        cell.assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    /// Cells between the newest reservation and the reader.
    @inline(__always)
    var usedCells: Int {
        reserved.pointee.number.load(ordering: .relaxed) &- taken.pointee.number.load(ordering: .relaxed)
    }

    /// The position behind the newest reservation: a reader that has come here has seen everything pushed before the call.
    var end: Int { reserved.pointee.number.load(ordering: .sequentiallyConsistent) }

    /// Where the reader stands.
    var position: Int { taken.pointee.number.load(ordering: .acquiring) }

    // MARK: The caller's side

    /// Marks a record that only fills the end of the ring, or that nobody needs.
    private static let padding: UInt64 = 1 << 63

    @inline(__always)
    static func cellCount(_ bytes: Int) -> Int {
        Int(truncatingIfNeeded: (UInt(truncatingIfNeeded: bytes) &+ UInt(cellBytes &- 1)) / UInt(cellBytes))
    }

    /// Takes consecutive cells for one record, which must be committed soon. Whoever asks for the ``end`` later has them before it, or has
    /// let the caller see what was stored before he asked.
    /// - Parameter bytes: Size of the record, `8...maximumRecordBytes`.
    /// - Returns: Memory aligned to 64 bytes, of which the first word is the commit's; nil when the ring is full.
    @inline(__always)
    func reserve(bytes: Int) -> UnsafeMutableRawPointer? { reserveAndLook(bytes: bytes)?.record }

    /// The same, and whether more than ``crowdedCells`` are in use.
    @inline(__always)
    func reserveAndLook(bytes: Int) -> (record: UnsafeMutableRawPointer, isCrowded: Bool)? {
        let count = Self.cellCount(bytes)
        var position = reserved.pointee.number.load(ordering: .relaxed)
        while true {
            let cell = position & (Self.cells &- 1)
            var next = position &+ count
            // A record does not wrap: what is left at the end of the ring is committed as padding together with it.
            if _slowPath(cell &+ count > Self.cells) { next &+= Self.cells &- cell }
            let used = next &- taken.pointee.number.load(ordering: .acquiring)
            if _slowPath(used > Self.cells) { return nil }
            let (exchanged, original) = reserved.pointee.number.weakCompareExchange(
                expected: position, desired: next, successOrdering: .sequentiallyConsistent, failureOrdering: .relaxed)
            if _fastPath(exchanged) {
                let record = next &- count
                if _slowPath(record != position) {
                    let mark = Self.padding | UInt64((record &- position) &* Self.cellBytes)
                    self.mark(of: address(position)).pointee.store(mark, ordering: .releasing)
                }
                // The reader wrote into these cells last: fetched now, they are here when the records come that most often fill two of them.
                let ahead = address(record &+ Self.fetchedCells)
                logbook_prefetch_for_writing(ahead)
                logbook_prefetch_for_writing(ahead + Self.cellBytes)
                return (address(record), used > Self.crowdedCells)
            }
            position = original
        }
    }

    /// Gives a filled record to the reader.
    /// - Parameter mark: Its first word: the record's size in bytes in the lower half, anything but the topmost bit in the upper.
    @inline(__always)
    func commit(_ record: UnsafeMutableRawPointer, mark: UInt64) {
        self.mark(of: record).pointee.store(mark, ordering: .releasing)
    }

    /// The same for a record that holds a reference: the object is retained before the reader can see it, also when optimized.
    func commitReference(_ record: UnsafeMutableRawPointer, mark: UInt64) {
        logbook_hand_over(record, mark)
    }

    /// Gives a record back that was reserved and is not needed: the reader passes over it.
    /// - Parameter bytes: As many as were reserved.
    func abandon(_ record: UnsafeMutableRawPointer, bytes: Int) {
        commit(record, mark: Self.padding | UInt64(Self.cellCount(bytes) &* Self.cellBytes))
    }

    /// Has the kernel give the memory of the cells that come next: a caller that is the first in a page would wait for it.
    /// - Parameter position: How far this has been done; 0 at first.
    /// - Returns: How far it is done now. Only the first lap needs it.
    func populate(from position: Int) -> Int {
        guard position < Self.cells else { return position }
        let target = min(end + Self.populatedCells, Self.cells)
        guard target - position >= Self.populatedCells / 2 || target == Self.cells else { return position }
        logbook_populate(address(position), (target - position) * Self.cellBytes)
        return target
    }

    // MARK: The reader's side

    /// Most records have two cells.
    @inline(__always)
    private func clear(_ cells: Int, from record: UnsafeMutableRawPointer) {
        mark(of: record).pointee.store(0, ordering: .relaxed)
        if cells == 1 { return }
        mark(of: record + Self.cellBytes).pointee.store(0, ordering: .relaxed)
        var cell = 2
        while _slowPath(cell < cells) {
            mark(of: record + cell &* Self.cellBytes).pointee.store(0, ordering: .relaxed)
            cell &+= 1
        }
    }

    /// Takes whole records out, in order, up to a reservation that is not committed yet or the position `limit`. One thread at a
    /// time.
    /// - Parameter body: Sees a record's memory. Returns false to stop after it.
    func drain(upTo limit: Int, _ body: (UnsafeMutableRawPointer) -> Bool) {
        var position = taken.pointee.number.load(ordering: .relaxed)
        var announced = position
        defer { taken.pointee.number.store(position, ordering: .releasing) }
        while position < limit {
            let record = address(position), mark = self.mark(of: record).pointee.load(ordering: .acquiring)
            if mark == 0 { return }
            let goesOn = mark & Self.padding != 0 || body(record)
            let count = Self.cellCount(Int(mark & 0xFFFF_FFFF))
            clear(count, from: record)
            position &+= count
            if !goesOn { return }
            if position &- announced >= Self.announcedCells {
                announced = position
                taken.pointee.number.store(position, ordering: .releasing)
            }
        }
    }
}
