internal import LogbookCore
internal import LogbookFiles
internal import LogbookFormat

/// A file's content in pieces that end with lines.
final class FileInPieces: Sendable {
    struct Piece {
        let bytes: [UInt8]
        /// Of the content.
        let range: Range<Int>
    }
    private struct State {
        var start = 0
        var end = 0
    }
    private let body: ArchiveBodyReader
    /// What the content has at least: a compressed file says itself where it ends.
    private let minimumBytes: Int
    private let state: Locked<State>

    /// - Parameter start: What stands before it has arrived.
    init(_ claim: ArchiveClaim, inflating: Bool, from start: Int = 0) throws {
        body = ArchiveBodyReader(claim, inflates: inflating)
        minimumBytes = inflating ? 0 : claim.bytes
        state = Locked(State(start: start, end: start))
    }

    /// How much of the content has arrived.
    var taken: Int { state.withLock { $0.start } }

    /// The piece after what was taken; nil at the end.
    /// - Parameters:
    ///   - limit: Bytes at most.
    ///   - maximumLineBytes: A longer line is cut at a character and says so.
    /// - Throws: ``ArchiveBody/Fault/cut`` where the file ends too early, ``ArchiveBody/Fault/withoutLines`` where it goes on with a line
    ///   that is longer than any event's, or what reading it throws.
    func next(upTo limit: Int, maximumLineBytes: Int?) throws -> Piece? {
        try state.withLock { state in
            var bytes: [UInt8] = []
            var position = state.start
            while true {
                let found: [UInt8]?
                // What stands before it can go.
                do { found = try body.line(at: position) } catch ArchiveBody.Fault.withoutLines where !bytes.isEmpty { break }
                guard let line = found else {
                    if position < minimumBytes { throw ArchiveBody.Fault.cut }
                    break
                }
                let sent = maximumLineBytes.map { Self.cut(line, to: $0) } ?? line
                if !bytes.isEmpty, bytes.count + sent.count > limit { break }
                bytes += sent
                position += line.count
            }
            state.end = position
            return bytes.isEmpty ? nil : Piece(bytes: bytes, range: state.start..<position)
        }
    }

    /// The latest piece has arrived.
    func take() { state.withLock { $0.start = $0.end } }

    /// A line that is too long, as an object of JSON where it is one, so that the receiver can still read it.
    static func cut(_ line: [UInt8], to limit: Int) -> [UInt8] {
        guard line.count > limit else { return line }
        let isObject = line.first == 0x7B
        let marker = isObject ? #","truncatedfrom":\#(line.count)}"# : " [cut off, \(line.count) bytes]"
        let head = isObject ? #"{"rawlogmessage":"# : ""
        var room = max(0, limit - marker.utf8.count - head.utf8.count - 3)
        while true {
            var kept = line.prefix(room)
            while let last = kept.last, last & 0xC0 == 0x80 { kept.removeLast() }
            if let last = kept.last, last >= 0xC0 { kept.removeLast() }
            var cut: [UInt8] = []
            if isObject {
                cut += Array(head.utf8)
                cut.append(jsonString: String(decoding: kept, as: UTF8.self))
            } else {
                cut += kept.last == 0x0A ? kept.dropLast() : kept
            }
            cut += Array(marker.utf8)
            cut.append(0x0A)
            if cut.count <= limit || room == 0 { return cut }
            // Escaping has made it longer, up to six times: what is over is taken away, though never more than half at once.
            room = max(room - (cut.count - limit), room / 2)
        }
    }
}
