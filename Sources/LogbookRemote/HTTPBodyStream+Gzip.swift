internal import LogbookCore
internal import LogbookGzip
public import LogbookHTTP

extension HTTPBodyStream {
    /// The same content in gzip's format, compressed while it is sent and never held: for a request or a parcel that says
    /// `Content-Encoding: gzip`. How long it is, is known only at the end, so it goes in chunks. The same content gives the same
    /// bytes each time it is sent.
    ///
    /// - Parameter level: 1 (fastest) to 9 (smallest).
    public func gzip(level: Int = 1) -> HTTPBodyStream {
        requireValid((1...9).contains(level), "the level must be 1...9")
        return HTTPBodyStream(name: name + ".gz") {
            GzipBodyReader(try open(), bytes: bytes, try GzipStream.compressing(level: level))
        }
    }
}

/// Compresses what another reader gives. Holds one piece of the content, and of the compressed form what came of it.
private final class GzipBodyReader: HTTPBodyReader {
    private let content: any HTTPBodyReader
    /// How many it must give, where that is known: half a file must not look whole.
    private let bytes: Int?
    private let codec: GzipStream
    private var piece = [UInt8](repeating: 0, count: 64 << 10)
    private var ready: [UInt8] = []
    private var taken = 0
    private var consumed = 0
    private var isAtEnd = false

    init(_ content: any HTTPBodyReader, bytes: Int?, _ codec: GzipStream) {
        self.content = content
        self.bytes = bytes
        self.codec = codec
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        while taken == ready.count {
            if isAtEnd { return 0 }
            ready.removeAll(keepingCapacity: true)
            taken = 0
            let room = min(piece.count, (bytes ?? .max) - consumed)
            let count = room == 0 ? 0 : try piece.withUnsafeMutableBytes { try content.read(into: .init(rebasing: $0[..<room])) }
            guard 0...room ~= count else {
                throw HTTPFailure.unreadableBody("its reader gave \(count) bytes after the first \(consumed)")
            }
            consumed += count
            isAtEnd = count == 0
            if isAtEnd, let bytes, consumed < bytes { throw HTTPFailure.unreadableBody("it ends after \(consumed) of \(bytes) bytes") }
            try piece.withUnsafeBytes { bytes in
                try codec.take(UnsafeRawBufferPointer(rebasing: bytes[..<count]), isLast: isAtEnd) { ready += $0 }
            }
        }
        let count = min(buffer.count, ready.count - taken)
        ready.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[taken..<(taken + count)])) }
        taken += count
        return count
    }
}
