internal import LogbookCore

/// The content of a file from its beginning, piece by piece, compressed or not.
struct ArchiveBytes<Files: FileSystem> {
    private let files: Files
    private static var pieceBytes: Int { 256 << 10 }

    init(_ files: Files) { self.files = files }

    /// - Parameters:
    ///   - compression: What the file is compressed with; nil for nothing.
    ///   - limit: Bytes of the file that are read at most.
    ///   - body: Gets each piece, for the time of the call.
    /// - Throws: ``SystemError``, what the compression says of damaged content, or what `body` throws.
    func forEachPiece(
        of file: FileDescriptor, inflating compression: ArchiveCompression? = nil, limit: Int = .max,
        _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let codec = try compression?.inflating()
        var offset = 0
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceBytes, alignment: 16)
        defer { piece.deallocate() }
        while offset < limit {
            let room = UnsafeMutableRawBufferPointer(rebasing: piece[..<min(piece.count, limit - offset)])
            let count = try files.read(file, into: room, at: offset)
            if count == 0 { break }
            offset += count
            let bytes = UnsafeRawBufferPointer(rebasing: room[..<count])
            if let codec { try codec.take(bytes, isLast: false, body) } else { try body(bytes) }
        }
        try codec?.take(UnsafeRawBufferPointer(start: nil, count: 0), isLast: true, body)
    }
}
