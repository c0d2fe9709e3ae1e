internal import CLogbookSystem
internal import LogbookCore
internal import LogbookFiles
internal import LogbookFormat

/// Finds out whether a file holds an event of a level or above.
struct UrgentLines {
    private let level: LogLevel
    private let reader: LogLineReader
    /// What a line of such an event holds in every format: the level's word or its sign.
    private let marks: [[UInt8]]

    /// A longer line is no event of ours.
    private static let maximumLineBytes = 4 << 20

    init(from level: LogLevel, reading reader: LogLineReader) {
        self.level = level
        self.reader = reader
        marks = LogLevel.allCases.filter { $0 >= level }.flatMap { [Array($0.name.utf8), Array($0.symbol.utf8)] }
    }

    private struct Found: Error {}

    func isOne(in claim: ArchiveClaim) throws -> Bool {
        var carry: [UInt8] = []
        var isTooLong = false
        do {
            try ArchiveBody.forEachPiece(of: claim, inflating: claim.archive.isCompressed) { piece in
                guard let last = piece.lastIndex(of: 0x0A), let first = piece.firstIndex(of: 0x0A) else {
                    isTooLong = isTooLong || carry.count + piece.count > Self.maximumLineBytes
                    if isTooLong { carry = [] } else { carry += piece }
                    return
                }
                if !isTooLong { try look(at: carry + piece[...first]) }
                isTooLong = false
                if first < last { try look(in: UnsafeRawBufferPointer(rebasing: piece[(first + 1)...last])) }
                carry = Array(piece[(last + 1)...])
            }
            if !isTooLong { try look(at: carry) }
            return false
        } catch is Found { return true }
    }

    private func look(at line: [UInt8]) throws { try line.withUnsafeBytes { try look(in: $0) } }

    /// Most lines hold none of the marks, and are never taken apart.
    private func look(in lines: UnsafeRawBufferPointer) throws {
        for mark in marks {
            var start = 0
            while start < lines.count,
                let found = logbook_find(lines.baseAddress! + start, lines.count - start, mark, mark.count)
            {
                let place = UnsafeRawPointer(found) - lines.baseAddress!
                let first = lines[start..<place].lastIndex(of: 0x0A).map { $0 + 1 } ?? start
                let end = lines.newline(from: place).map { $0 + 1 } ?? lines.count
                if let event = try? reader.event(from: Array(lines[first..<end])), event.level >= level { throw Found() }
                start = end
            }
        }
    }
}
