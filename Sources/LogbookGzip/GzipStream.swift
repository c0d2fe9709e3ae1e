internal import CLogbookZlib

/// Compresses or inflates piece by piece, for content that is too large to hold. Belongs to one thread.
public final class GzipStream {
    private enum Direction { case deflating, inflating }
    private static let pieceBytes = 64 << 10

    private let direction: Direction
    private let stream: UnsafeMutablePointer<z_stream>
    private var piece = [UInt8](repeating: 0, count: GzipStream.pieceBytes)
    private var isBetweenMembers = false

    private init(_ direction: Direction, _ start: (UnsafeMutablePointer<z_stream>) -> Int32) throws(GzipError) {
        self.direction = direction
        // zlib keeps the address and refuses a stream that has moved.
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        if start(stream) != Z_OK { throw .outOfMemory }   // everything is set, so that `deinit` lets go of it
    }

    /// - Parameter level: As of ``Gzip/compress(_:level:)``.
    public static func compressing(level: Int = 1) throws(GzipError) -> GzipStream {
        precondition((1...9).contains(level), "the level must be 1...9")
        return try GzipStream(.deflating) { logbook_gzip_deflate_init($0, Int32(level)) }
    }

    public static func inflating() throws(GzipError) -> GzipStream {
        try GzipStream(.inflating) { logbook_gzip_inflate_init($0) }
    }

    deinit {
        switch direction {
        case .deflating: deflateEnd(stream)
        case .inflating: inflateEnd(stream)
        }
        stream.deallocate()
    }

    /// Takes the next part of the input.
    ///
    /// - Parameters:
    ///   - isLast: Nothing follows. Call it once, with no bytes where there are none left.
    ///   - output: Called with what has come out so far, at most 64 KiB at a time; the bytes are its only during the call.
    /// - Throws: ``GzipError/corrupt`` for what is not whole gzip, ``GzipError/outOfMemory``, or what `output` throws.
    public func take(
        _ bytes: UnsafeRawBufferPointer, isLast: Bool, _ output: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        // zlib reads from next_in and never writes to it, whatever its type says.
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(bytes.count)
        defer {
            stream.pointee.next_in = nil
            stream.pointee.avail_in = 0
        }
        while true {
            if isBetweenMembers {
                guard stream.pointee.avail_in > 0 else { return }
                guard inflateReset(stream) == Z_OK else { throw GzipError.corrupt }
                isBetweenMembers = false
            }
            let (result, written) = piece.withUnsafeMutableBufferPointer { buffer in
                stream.pointee.next_out = buffer.baseAddress
                stream.pointee.avail_out = UInt32(buffer.count)
                let result =
                    direction == .deflating
                    ? deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH) : inflate(stream, Z_NO_FLUSH)
                stream.pointee.next_out = nil
                return (result, buffer.count - Int(stream.pointee.avail_out))
            }
            if written > 0 { try piece.withUnsafeBytes { try output(UnsafeRawBufferPointer(rebasing: $0[..<written])) } }
            switch result {
            case Z_STREAM_END where direction == .deflating: return
            case Z_STREAM_END: isBetweenMembers = true
            case Z_OK, Z_BUF_ERROR:
                // A full piece means that there may be more to come out.
                if written == Self.pieceBytes || stream.pointee.avail_in > 0 && result == Z_OK { continue }
                if direction == .inflating && isLast { throw GzipError.corrupt }
                if direction == .inflating || !isLast { return }
                throw GzipError.corrupt
            case Z_MEM_ERROR: throw GzipError.outOfMemory
            default: throw GzipError.corrupt
            }
        }
    }
}
