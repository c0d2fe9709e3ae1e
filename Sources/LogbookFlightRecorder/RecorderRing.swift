internal import CLogbookSystem
internal import LogbookCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The mapped file while a recorder writes to it. Its owner lets one thread at a time in.
struct RecorderRing: @unchecked Sendable {   // the pointer is the mapping's; only the lock that holds this value reaches it
    private let base: UnsafeMutableRawPointer
    /// What is written to in place of the mapping, which shows it as well.
    private let file: FileDescriptor?
    /// Of the ring alone.
    let capacity: Int
    /// Where the next record begins.
    private var position: Int
    /// That of the latest record.
    private(set) var number: UInt64
    let epoch: UInt64

    init(
        mapping base: UnsafeMutableRawPointer, writtenTo file: FileDescriptor? = nil, capacity: Int, position: Int, number: UInt64,
        epoch: UInt64
    ) {
        self.base = base
        self.file = file
        self.capacity = capacity
        self.position = position
        self.number = number
        self.epoch = epoch
    }

    /// So that one event cannot push out all others.
    var maximumFrameBytes: Int { capacity / 4 }

    /// - Returns: False when the record is too large for the ring.
    /// - Throws: When the disk does not take it; the next one comes in its place.
    mutating func append(_ payload: [UInt8], showsPrivate: Bool) throws(SystemError) -> Bool {
        guard RingFrame.bytes(forPayload: payload.count) <= maximumFrameBytes else { return false }
        let frame = RingFrame.encoded(payload, showsPrivate: showsPrivate, number: number + 1, epoch: epoch, at: position)
        let first = min(frame.count, capacity - position)
        try put(frame[..<first], at: RingHeader.bytes + position)
        try put(frame[first...], at: RingHeader.bytes)
        position = (position + frame.count) % capacity
        number += 1
        return true
    }

    /// Writes the first page of a new ring.
    func begin() throws(SystemError) { try put(RingHeader.fresh[...], at: 0) }

    /// Nobody needs to hand over the records up to this one.
    func settle(through number: UInt64) throws(SystemError) {
        // Into the older mark, or the damaged one: the other stays whole.
        let marks = RingHeader.marks.map { (offset: $0, settled: settled(at: $0)) }
        let known = marks.compactMap(\.settled).max() ?? 0
        guard number > known, let older = marks.min(by: { ($0.settled ?? 0) < ($1.settled ?? 0) }) else { return }
        var mark: [UInt8] = []
        mark.append(little: number)
        mark.append(little: ~number)
        try put(mark[...], at: older.offset)
    }

    /// Takes back the records behind this one, up to another.
    func forget(after number: UInt64, through last: UInt64) throws(SystemError) {
        let ring = base + RingHeader.bytes
        let content = Array(UnsafeRawBufferPointer(start: ring, count: capacity))
        for frame in RingFrame.all(in: content[...]) where frame.number > number && frame.number <= last {
            try put([0, 0, 0, 0], at: RingHeader.bytes + frame.offset)   // its marker
        }
    }

    private func put(_ bytes: ArraySlice<UInt8>, at offset: Int) throws(SystemError) {
        guard let file else {
            return bytes.withUnsafeBytes { bytes in
                if let start = bytes.baseAddress { (base + offset).copyMemory(from: start, byteCount: bytes.count) }
            }
        }
        var rest = bytes
        while !rest.isEmpty {
            let place = Int64(offset + bytes.count - rest.count)
            let count = rest.withUnsafeBytes { logbook_write_at(file.number, $0.baseAddress, $0.count, place) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count == 0 || errno != EINTR {
                throw SystemError(count < 0 ? errno : ENOSPC, in: "pwrite")
            }
        }
    }

    private func settled(at offset: Int) -> UInt64? {
        let number = UInt64(littleEndian: base.load(fromByteOffset: offset, as: UInt64.self))
        let complement = UInt64(littleEndian: base.load(fromByteOffset: offset + 8, as: UInt64.self))
        return RingHeader.settled(number, complement)
    }

    func unmap() { RecorderFile.unmap(base, RingHeader.bytes + capacity) }
}
