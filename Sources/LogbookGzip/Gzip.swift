internal import CLogbookZlib

/// The gzip format (RFC 1952), whole buffers at a time.
public enum Gzip {
    /// Content that is so many times as large as its gzip is taken for an attack by some who receive it.
    public static let suspectedRatio = 100
    /// Bytes of content that one byte of gzip becomes at most: a match of 258 bytes takes two bits.
    private static let maximumRatio = 1032
    /// Content that has grown beyond this many bytes, and so many times its compressed size, is measured before more of it is held: an
    /// attack costs no memory, and what is honest is seldom inflated twice.
    private static let heldUnmeasured = 1 << 20
    private static let suspiciousRatio = 32
    /// Bytes of content for which room is made beforehand.
    private static let reservedAtMost = 16 << 20

    /// zlib counts its input in 32 bits.
    private static let maximumPiece = 1 << 30

    /// - Parameter level: 1 (fastest) to 9 (smallest). Level 1 is what logs want: three times as fast as 6, a third larger.
    /// - Throws: ``GzipError/outOfMemory``.
    public static func compress(_ bytes: [UInt8], level: Int = 1) throws(GzipError) -> [UInt8] {
        precondition((1...9).contains(level), "the level must be 1...9")
        var stream = z_stream()
        guard logbook_gzip_deflate_init(&stream, Int32(level)) == Z_OK else { throw .outOfMemory }
        defer { deflateEnd(&stream) }
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count / 8 + 64)
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        var consumed = 0
        while true {
            let count = min(bytes.count - consumed, maximumPiece)
            let isLast = consumed + count == bytes.count
            let (result, left, written) = step(&stream, bytes, from: consumed, count: count, into: &piece) {
                deflate($0, isLast ? Z_FINISH : Z_NO_FLUSH)
            }
            consumed += count - left
            output.append(contentsOf: piece[..<written])
            if result == Z_STREAM_END { return output }
            guard result == Z_OK || result == Z_BUF_ERROR else { throw .outOfMemory }
        }
    }

    /// Bytes of content that ``inflate(_:limit:)`` takes at most of so many bytes of gzip.
    package static func mostContent(of bytes: Int, limit: Int) -> Int {
        let (most, overflow) = bytes.multipliedReportingOverflow(by: maximumRatio)
        return overflow ? limit : min(limit, most)
    }

    /// Inflates one gzip member or several in a row, without ever holding more than `limit` bytes of content.
    ///
    /// - Parameter limit: Bytes of content taken at most.
    /// - Throws: ``GzipError/tooLarge(limit:)`` beyond `limit`, before so much is held. ``GzipError/corrupt`` for anything that is not
    ///   whole gzip from the first byte to the last.
    public static func inflate(_ bytes: [UInt8], limit: Int) throws(GzipError) -> [UInt8] {
        let largest = mostContent(of: bytes.count, limit: limit)
        var output: [UInt8]? = []
        // What is not written to takes no memory; an array that grows is there twice while it does.
        output?.reserveCapacity(min(largest, reservedAtMost))
        try inflate(bytes, largest: largest, into: &output)
        return output ?? []
    }

    /// - Parameter output: Nil to learn only whether it would fit.
    private static func inflate(_ bytes: [UInt8], largest: Int, into output: inout [UInt8]?) throws(GzipError) {
        var stream = z_stream()
        guard logbook_gzip_inflate_init(&stream) == Z_OK else { throw .outOfMemory }
        defer { inflateEnd(&stream) }
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        var consumed = 0, size = 0, isTrusted = output == nil
        while true {
            let count = min(bytes.count - consumed, maximumPiece)
            let (result, left, written) = step(&stream, bytes, from: consumed, count: count, into: &piece) {
                CLogbookZlib.inflate($0, Z_NO_FLUSH)
            }
            consumed += count - left
            size += written
            guard size <= largest else { throw .tooLarge(limit: largest) }
            if !isTrusted, size > heldUnmeasured, size / suspiciousRatio > consumed {
                var nothing: [UInt8]?
                try inflate(bytes, largest: largest, into: &nothing)
                isTrusted = true
            }
            output?.append(contentsOf: piece[..<written])
            switch result {
            case Z_OK: break
            case Z_STREAM_END:
                if consumed == bytes.count { return }
                guard inflateReset(&stream) == Z_OK else { throw .corrupt }
            case Z_MEM_ERROR: throw .outOfMemory
            default: throw .corrupt  // also when the input ends in the middle: no progress is possible then
            }
        }
    }

    /// One call of zlib over a part of the input and one output buffer.
    private static func step(
        _ stream: inout z_stream, _ bytes: [UInt8], from start: Int, count: Int, into piece: inout [UInt8],
        _ body: (UnsafeMutablePointer<z_stream>) -> Int32
    ) -> (result: Int32, left: Int, written: Int) {
        bytes.withUnsafeBufferPointer { input in
            piece.withUnsafeMutableBufferPointer { output in
                // zlib reads from next_in and never writes to it, whatever its type says.
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress.map { $0 + start })
                stream.avail_in = UInt32(count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                let result = body(&stream)
                defer {
                    stream.next_in = nil
                    stream.next_out = nil
                }
                return (result, Int(stream.avail_in), output.count - Int(stream.avail_out))
            }
        }
    }
}
