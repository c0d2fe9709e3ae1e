internal import LogbookCompression
internal import LogbookCore
internal import LogbookFiles

/// The content of a compressed archive by offset, without ever holding much of it: cheap forwards, from the start over backwards.
final class InflatingReader: Sendable {
    private let claim: ArchiveClaim
    private let position = Locked<Position?>(nil)

    init(_ claim: ArchiveClaim) { self.claim = claim }

    /// - Returns: How many bytes; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
        try position.withLock { position in
            if position == nil || position!.offset > offset { position = try Position() }
            return try position!.read(claim, into: buffer, at: offset)
        }
    }

    /// How far the file was inflated, and what came out and was not asked for yet.
    private struct Position {
        private static let pieceBytes = 16 << 10
        private let codec: any StreamCodec
        private var source = 0
        private var isAtEnd = false
        private var ready: [UInt8] = []
        private var taken = 0
        private(set) var offset = 0

        init() throws { codec = try ArchiveCompression.gzip.inflating() }

        mutating func read(
            _ claim: ArchiveClaim, into buffer: UnsafeMutableRawBufferPointer, at wanted: Int
        ) throws -> Int {
            while true {
                let skipped = min(ready.count - taken, wanted - offset)
                taken += skipped
                offset += skipped
                if taken < ready.count {
                    let count = min(buffer.count, ready.count - taken)
                    ready.withUnsafeBytes {
                        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[taken..<(taken + count)]))
                    }
                    taken += count
                    offset += count
                    return count
                }
                if isAtEnd { return 0 }
                ready.removeAll(keepingCapacity: true)
                taken = 0
                var piece = [UInt8](repeating: 0, count: Self.pieceBytes)
                let count = try piece.withUnsafeMutableBytes { try claim.read(into: $0, at: source) }
                source += count
                isAtEnd = count == 0
                var inflated: [UInt8] = []
                try piece.withUnsafeBytes { bytes in
                    try codec.take(UnsafeRawBufferPointer(rebasing: bytes[..<count]), isLast: isAtEnd) { inflated += $0 }
                }
                ready = inflated
            }
        }
    }
}
