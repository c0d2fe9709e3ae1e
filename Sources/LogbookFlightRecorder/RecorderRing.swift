/// The mapped file while a recorder writes to it. Its owner lets one thread at a time in.
struct RecorderRing: @unchecked Sendable {   // the pointer is the mapping's; only the lock that holds this value reaches it
    private let base: UnsafeMutableRawPointer
    /// Of the ring alone.
    let capacity: Int
    /// Where the next record begins.
    private var position: Int
    /// That of the latest record.
    private(set) var number: UInt64
    let epoch: UInt64

    init(mapping base: UnsafeMutableRawPointer, capacity: Int, position: Int, number: UInt64, epoch: UInt64) {
        self.base = base
        self.capacity = capacity
        self.position = position
        self.number = number
        self.epoch = epoch
    }

    /// So that one event cannot push out all others.
    var maximumFrameBytes: Int { capacity / 4 }

    /// - Returns: False when the record is too large for the ring.
    mutating func append(_ payload: [UInt8], showsPrivate: Bool) -> Bool {
        guard RingFrame.bytes(forPayload: payload.count) <= maximumFrameBytes else { return false }
        let frame = RingFrame.encoded(payload, showsPrivate: showsPrivate, number: number + 1, epoch: epoch, at: position)
        let first = min(frame.count, capacity - position)
        frame.withUnsafeBytes { bytes in
            let ring = base + RingHeader.bytes
            (ring + position).copyMemory(from: bytes.baseAddress!, byteCount: first)
            if first < bytes.count { ring.copyMemory(from: bytes.baseAddress! + first, byteCount: bytes.count - first) }
        }
        position = (position + frame.count) % capacity
        number += 1
        return true
    }

    /// Writes the first page of a new ring.
    func begin() {
        RingHeader.fresh.withUnsafeBytes { base.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
    }

    /// Nobody needs to hand over the records up to this one.
    func settle(through number: UInt64) {
        // Into the older mark, or the damaged one: the other stays whole.
        let marks = RingHeader.marks.map { (offset: $0, settled: settled(at: $0)) }
        let known = marks.compactMap(\.settled).max() ?? 0
        guard number > known, let older = marks.min(by: { ($0.settled ?? 0) < ($1.settled ?? 0) }) else { return }
        base.storeBytes(of: number.littleEndian, toByteOffset: older.offset, as: UInt64.self)
        base.storeBytes(of: (~number).littleEndian, toByteOffset: older.offset + 8, as: UInt64.self)
    }

    /// Takes back the records behind this one, up to another.
    func forget(after number: UInt64, through last: UInt64) {
        let ring = base + RingHeader.bytes
        let content = Array(UnsafeRawBufferPointer(start: ring, count: capacity))
        for (frame, end) in RingFrame.all(in: content[...]) where frame.number > number && frame.number <= last {
            let start = (end - RingFrame.bytes(forPayload: frame.payload.count) + capacity) % capacity
            ring.storeBytes(of: 0, toByteOffset: start, as: UInt32.self)   // its marker
        }
    }

    private func settled(at offset: Int) -> UInt64? {
        let number = UInt64(littleEndian: base.load(fromByteOffset: offset, as: UInt64.self))
        let complement = UInt64(littleEndian: base.load(fromByteOffset: offset + 8, as: UInt64.self))
        return RingHeader.settled(number, complement)
    }

    func unmap() { RecorderFile.unmap(base, RingHeader.bytes + capacity) }
}
