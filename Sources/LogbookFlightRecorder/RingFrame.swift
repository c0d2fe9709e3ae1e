/// One record as it lies in the ring.
///
/// ```
/// marker   4  FF 4C 42 FE: bytes that no text has, so that no message can look like a record
/// length   4  of the payload
/// number   8  counts records through all runs, from 1
/// epoch    8  of the run that wrote it
/// check    4  CRC-32C of offset, length, flags, number, epoch and payload
/// flags    4  1 where the event shows what was marked private, otherwise 0
/// payload  …  the event as a line of JSON, filled up with zeros to a multiple of 8
/// ```
/// All numbers are little-endian. The offset within the ring is part of the check, so that a record counts only where it was
/// written. A record may go on at the ring's beginning.
struct RingFrame {
    static let marker: UInt32 = 0xFE42_4CFF
    static let headerBytes = 32

    /// Where it begins.
    let offset: Int
    let number: UInt64
    let epoch: UInt64
    let showsPrivate: Bool
    /// Of the payload.
    let length: Int

    /// A copy, from the ring that it was found in.
    func payload(in ring: ArraySlice<UInt8>) -> [UInt8] {
        let (first, second) = ring.circular(offset + Self.headerBytes, count: length)
        return Array(first) + second
    }

    /// Where the record after it begins, in a ring of this size.
    func end(in size: Int) -> Int { (offset + Self.bytes(forPayload: length)) % size }

    static func bytes(forPayload count: Int) -> Int { headerBytes + (count + 7) / 8 * 8 }

    private static func checksum(
        offset: Int, length: Int, flags: UInt32, number: UInt64, epoch: UInt64, payload: ArraySlice<UInt8>,
        _ rest: ArraySlice<UInt8> = []
    ) -> UInt32 {
        var check = CRC32C()
        for part in [UInt64(offset), UInt64(length) | UInt64(flags) << 32, number, epoch] { check.add(part) }
        payload.withUnsafeBytes { check.add($0) }
        rest.withUnsafeBytes { check.add($0) }
        return check.value
    }

    /// The bytes of a record that will begin at `offset`.
    static func encoded(_ payload: [UInt8], showsPrivate: Bool, number: UInt64, epoch: UInt64, at offset: Int) -> [UInt8] {
        let flags: UInt32 = showsPrivate ? 1 : 0
        let check = checksum(
            offset: offset, length: payload.count, flags: flags, number: number, epoch: epoch, payload: payload[...])
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.bytes(forPayload: payload.count))
        bytes.append(little: marker)
        bytes.append(little: UInt32(payload.count))
        bytes.append(little: number)
        bytes.append(little: epoch)
        bytes.append(little: check)
        bytes.append(little: flags)
        bytes.append(contentsOf: payload)
        bytes.append(contentsOf: repeatElement(0, count: (8 - payload.count % 8) % 8))
        return bytes
    }

    /// Every whole record of a ring, oldest first. What is torn or damaged is passed over.
    static func all(in ring: ArraySlice<UInt8>) -> [RingFrame] {
        let size = ring.count
        guard size >= headerBytes, size % 8 == 0 else { return [] }
        var found: [RingFrame] = []
        for offset in stride(from: 0, to: size, by: 8) {
            guard ring[ring.startIndex + offset] == UInt8(truncatingIfNeeded: marker) else { continue }   // most are not
            if let frame = frame(in: ring, at: offset) { found.append(frame) }
        }
        found.sort { $0.number < $1.number }
        return found
    }

    private static func frame(in ring: ArraySlice<UInt8>, at offset: Int) -> RingFrame? {
        guard ring.little(offset, as: UInt32.self) == marker else { return nil }
        let length = Int(ring.little(offset + 4, as: UInt32.self))
        guard length > 0, bytes(forPayload: length) <= ring.count else { return nil }
        let number = ring.little(offset + 8, as: UInt64.self), epoch = ring.little(offset + 16, as: UInt64.self)
        let flags = ring.little(offset + 28, as: UInt32.self)
        guard RingHeader.numbers.contains(number), flags <= 1 else { return nil }
        let (first, second) = ring.circular(offset + headerBytes, count: length)
        let check = checksum(offset: offset, length: length, flags: flags, number: number, epoch: epoch, payload: first, second)
        guard check == ring.little(offset + 24, as: UInt32.self) else { return nil }
        return RingFrame(offset: offset, number: number, epoch: epoch, showsPrivate: flags == 1, length: length)
    }
}

extension Array where Element == UInt8 {
    mutating func append(little number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}

extension ArraySlice where Element == UInt8 {
    /// A number at an offset from the beginning; what would lie behind the end comes from the beginning.
    func little<Number: FixedWidthInteger>(_ offset: Int, as type: Number.Type) -> Number {
        var number: Number = 0
        for index in 0..<MemoryLayout<Number>.size {
            number |= Number(truncatingIfNeeded: self[startIndex + (offset + index) % count]) << Number(index * 8)
        }
        return number
    }

    /// Bytes from an offset on, and those of them that come from the beginning.
    func circular(_ offset: Int, count wanted: Int) -> (ArraySlice<UInt8>, ArraySlice<UInt8>) {
        let start = offset % count
        let first = Swift.min(wanted, count - start)
        return (self[(startIndex + start)..<(startIndex + start + first)], self[startIndex..<(startIndex + wanted - first)])
    }
}
