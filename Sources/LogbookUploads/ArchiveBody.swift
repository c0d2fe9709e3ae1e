internal import CLogbookSystem
internal import LogbookCompression
internal import LogbookCore
internal import LogbookFiles

/// An archive's content as it goes over the wire, read piece by piece: as the file is, or inflated.
final class ArchiveBody: Sendable {
    /// Why the content is not what it was, or cannot be had.
    enum Fault: Error, CustomStringConvertible {
        case unreadable(SystemError)
        /// Somebody has cut the file.
        case cut
        /// It is to go in pieces that end with lines, and has none.
        case withoutLines
        /// It was compressed, and cannot be inflated.
        case damaged(any Error)

        init(_ error: any Error) {
            self = switch error {
            case let fault as Fault: fault
            case let error as SystemError: .unreadable(error)
            default: .damaged(error)
            }
        }

        var description: String {
            switch self {
            case .unreadable(let error): "\(error)"
            case .cut: "the file is shorter than it was when it was closed"
            case .withoutLines: "a line of it is longer than any event's, so that it cannot go in pieces"
            case .damaged(let error): "the file cannot be inflated: \(error)"
            }
        }
    }

    private let claim: ArchiveClaim
    private let inflating: InflatingReader?
    /// Of the content.
    let bytes: Int
    /// In hexadecimal digits.
    let digest: String
    private let met = Locked<Fault?>(nil)

    private static let pieceBytes = 256 << 10

    /// Reads the content once, to learn its length and its digest.
    init(_ claim: ArchiveClaim, inflates: Bool) throws {
        self.claim = claim
        inflating = inflates ? InflatingReader(claim) : nil
        var hash = logbook_sha256()
        logbook_sha256_begin(&hash)
        var bytes = 0
        try Self.forEachPiece(of: claim, inflating: inflates) { piece in
            logbook_sha256_add(&hash, piece.baseAddress, piece.count)
            bytes += piece.count
        }
        self.bytes = bytes
        digest = HexadecimalDigest.text(&hash)
    }

    /// Reads the content once, from its beginning.
    static func forEachPiece(
        of claim: ArchiveClaim, inflating: Bool, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let codec = inflating ? try ArchiveCompression.gzip.inflating() : nil
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceBytes, alignment: 16)
        defer { piece.deallocate() }
        var offset = 0
        while true {
            let count = try claim.read(into: piece, at: offset)
            if count == 0 { break }
            offset += count
            let bytes = UnsafeRawBufferPointer(rebasing: piece[..<count])
            if let codec { try codec.take(bytes, isLast: false, body) } else { try body(bytes) }
        }
        try codec?.take(UnsafeRawBufferPointer(start: nil, count: 0), isLast: true, body)
    }

    /// What ``read(into:at:)`` met with: no later reading is worth a request.
    var fault: Fault? { met.withLock { $0 } }

    /// Reads the content from an offset.
    /// - Throws: ``Fault``, also where nothing comes before the end.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
        do {
            let count = try inflating?.read(into: buffer, at: offset) ?? claim.read(into: buffer, at: offset)
            if count == 0, offset < bytes { throw Fault.cut }
            return count
        } catch {
            let fault = Fault(error)
            met.withLock { $0 = fault }
            throw fault
        }
    }
}
