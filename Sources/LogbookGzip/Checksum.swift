internal import CLogbookZlib

/// The CRC-32 of gzip and Ethernet, for bytes that are to be read back whole.
package enum Checksum {
    package static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        var sum = crc32(0, nil, 0)
        var rest = bytes
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 30))   // zlib counts in 32 bits
            sum = crc32(sum, piece.bindMemory(to: UInt8.self).baseAddress, UInt32(piece.count))
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(piece.count))
        }
        return UInt32(truncatingIfNeeded: sum)
    }
}
