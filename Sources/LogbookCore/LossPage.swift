internal import CLogbookSystem
internal import Synchronization

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Memory that outlives the process, with a service's counts and what its queues have in hand.
///
/// ```
/// magic     8  LBKLOSSR
/// version   4  1
/// zero      4
/// process   8  its number
/// began     8  nanoseconds since 1970
/// boot     40  that of the machine, in text; zeros behind it
/// counts       from 256 on: the latest sequence, and 128 bytes further how many events are placed
/// slots        from 512 on, 320 bytes each:
///   name    128  its length, and UTF-8
///   turn      8  0: nobody's; 1, 2: which of the two tallies holds
///   zero     56
///   tally    64  submitted, settled, in hand (being written), first and last sequence, first and last time, zero
///   tally    64
/// ```
/// All numbers are the machine's own: another one has no use for what a process of this one left. Two tallies, written in turn, so that a
/// kill finds one of them whole.
package final class LossPage: Sendable {
    package static let bytes = 16 << 10
    /// `LBKLOSSR`
    private static let magic = UInt64(littleEndian: 0x5253_534F_4C4B_424C)
    private static let version: UInt32 = 1
    private static let bootOffset = 32, bootBytes = 40
    private static let countsOffset = 256, slotsOffset = 512, slotBytes = 320
    /// How many queues there is room for.
    static let slots = (bytes - slotsOffset) / slotBytes
    private static let nameBytes = 120

    private nonisolated(unsafe) let base: UnsafeMutableRawPointer
    private let lineage = ProcessLineage.current
    private let taken = Locked(Set<Int>())
    private let isFullSaid = Atomic<Bool>(false)
    private let close: @Sendable () -> Void

    /// Begins a record, in the place of one that nobody needs any longer.
    /// - Parameters:
    ///   - base: ``bytes`` of it, aligned as a page is.
    ///   - boot: Tells one start of the machine from another.
    ///   - close: Lets go of the memory, once nobody counts there any longer.
    package init(_ base: UnsafeMutableRawPointer, boot: String, at time: LogTime, close: @escaping @Sendable () -> Void) {
        self.base = base
        self.close = close
        // A kill in between leaves what is begun anew, and nothing that looks like somebody else's.
        memset(base + Self.slotsOffset, 0, Self.bytes - Self.slotsOffset)
        memset(base + 8, 0, Self.slotsOffset - 8)
        base.storeBytes(of: UInt64(UInt32(bitPattern: getpid())), toByteOffset: 16, as: UInt64.self)
        base.storeBytes(of: time.nanoseconds, toByteOffset: 24, as: Int64.self)
        (base + Self.bootOffset).copyMemory(from: Array(boot.utf8), byteCount: min(boot.utf8.count, Self.bootBytes))
        base.storeBytes(of: Self.version, toByteOffset: 8, as: UInt32.self)
        base.storeBytes(of: Self.magic, as: UInt64.self)
    }

    deinit { close() }

    /// False in a forked child: the memory there is a copy of its parent's.
    var isOfThisProcess: Bool { lineage.isCurrent }

    /// Where the counts lie, aligned as they want to be.
    var counts: UnsafeMutableRawPointer { base + Self.countsOffset }

    /// A place for what one queue has in hand; nil when all are taken, which is said once.
    package func slot(named name: String) -> PendingSlot? {
        let free = taken.withLock { taken -> Int? in
            guard let free = (0..<Self.slots).first(where: { !taken.contains($0) }) else { return nil }
            taken.insert(free)
            return free
        }
        guard let free else {
            if !isFullSaid.exchange(true, ordering: .relaxed) {
                LogDiagnostics.report("losses", "there is room for \(Self.slots) queues; of those that came later no loss is recorded")
            }
            return nil
        }
        let place = base + Self.slotsOffset + free * Self.slotBytes
        let text = name.utf8.count > Self.nameBytes ? LogLimits.cut(name, toFit: Self.nameBytes, endingIn: "") : name
        place.storeBytes(of: UInt8(text.utf8.count), as: UInt8.self)
        (place + 1).copyMemory(from: Array(text.utf8), byteCount: text.utf8.count)
        return PendingSlot(on: self, number: free, at: place + PendingSlot.offset)
    }

    /// The slot may be another queue's.
    func give(back number: Int) { taken.withLock { _ = $0.remove(number) } }

    // MARK: What a process has left

    package enum Verdict: Equatable {
        /// Nothing was ever recorded: a new file, or one whose making was interrupted.
        case blank
        case record([LossRecord])
        /// Ours, but not whole.
        case damaged
        case newer(version: UInt32)
        case foreign
    }

    /// What the process lost that recorded here, and has ended.
    /// - Parameter boot: Of the machine, now.
    package static func verdict(on file: [UInt8], boot: String) -> Verdict {
        if file.prefix(bytes).allSatisfy({ $0 == 0 }) { return .blank }
        let numbers = Numbers(bytes: file)
        guard file.count >= 8, numbers[0] == magic else { return .foreign }
        guard file.count >= slotsOffset else { return .damaged }
        let version = UInt32(truncatingIfNeeded: numbers[8])
        if version > Self.version { return .newer(version: version) }
        guard version == Self.version, file.count >= bytes else { return .damaged }
        let recordedBoot = String(decoding: file[bootOffset..<bootOffset + bootBytes].prefix { $0 != 0 }, as: UTF8.self)
        let process = Int32(truncatingIfNeeded: numbers[16]), began = LogTime(nanoseconds: Int64(bitPattern: numbers[24]))
        let (latest, unplaced) = LogCounts.left(in: numbers, at: countsOffset)
        return .record(
            tallies(in: numbers).compactMap { name, tally in
                guard let loss = tally.loss(unplaced: unplaced, latest: latest) else { return nil }
                return LossRecord(
                    provider: name, count: loss.count, sequences: loss.sequences, times: loss.times, process: process, began: began,
                    isOfEarlierBoot: recordedBoot != boot)
            })
    }

    /// What the queues of each name have in hand together: one may stand before another.
    private static func tallies(in numbers: Numbers) -> [(name: String, tally: PendingSlot.Tally)] {
        var tallies: [(name: String, tally: PendingSlot.Tally)] = []
        for start in stride(from: slotsOffset, through: bytes - slotBytes, by: slotBytes) {
            guard let tally = PendingSlot.tally(in: numbers, at: start + PendingSlot.offset) else { continue }
            let length = min(Int(numbers.bytes[start]), PendingSlot.offset - 1)
            let name = String(decoding: numbers.bytes[start + 1..<start + 1 + length], as: UTF8.self)
            if let known = tallies.firstIndex(where: { $0.name == name }) {
                tallies[known].tally.join(tally)
            } else {
                tallies.append((name, tally))
            }
        }
        return tallies
    }

    /// The numbers in some bytes.
    struct Numbers {
        let bytes: [UInt8]
        subscript(offset: Int) -> UInt64 { bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self) } }
    }
}
