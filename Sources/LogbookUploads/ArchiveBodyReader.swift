internal import LogbookCore
internal import LogbookFiles

/// Lines of an archive by their offsets in the content.
final class ArchiveBodyReader: Sendable {
    private let content: InflatingReader?
    private let claim: ArchiveClaim
    /// What was read and not asked for yet, from that offset.
    private let window = Locked<(start: Int, bytes: [UInt8])>((0, []))

    private static let pieceBytes = 256 << 10
    /// No event is as long; and what comes in one piece is held.
    private static let maximumLineBytes = 32 << 20

    init(_ claim: ArchiveClaim, inflates: Bool) {
        self.claim = claim
        content = inflates ? InflatingReader(claim) : nil
    }

    /// The line that begins there, with its newline; nil at the end. A last line without one gets it.
    /// - Throws: ``ArchiveBody/Fault/withoutLines``, or what reading throws.
    func line(at offset: Int) throws -> [UInt8]? {
        try window.withLock { window in
            if offset < window.start || offset > window.start + window.bytes.count { window = (offset, []) }
            var searched = offset - window.start
            while true {
                let first = offset - window.start
                if let end = window.bytes[searched...].firstIndex(of: 0x0A) { return Array(window.bytes[first...end]) }
                window.bytes.removeFirst(first)
                window.start = offset
                searched = window.bytes.count
                var piece = [UInt8](repeating: 0, count: Self.pieceBytes)
                let position = window.start + window.bytes.count
                let count = try piece.withUnsafeMutableBytes { buffer in
                    try content?.read(into: buffer, at: position) ?? claim.read(into: buffer, at: position)
                }
                if count == 0 { return window.bytes.isEmpty ? nil : window.bytes }
                if window.bytes.count + count > Self.maximumLineBytes { throw ArchiveBody.Fault.withoutLines }
                window.bytes += piece[..<count]
            }
        }
    }
}
