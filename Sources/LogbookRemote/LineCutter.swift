/// Cuts an input into lines, however its bytes come. It holds the beginning of one line at most, and looks at each byte once.
struct LineCutter {
    struct Line {
        /// Without its ending; never empty.
        let bytes: ArraySlice<UInt8>
        /// It goes on with the line whose beginning came before.
        let isContinued: Bool
    }

    /// Of a line; a longer one comes in pieces, which end between characters where it is UTF-8. Put together they are the line.
    static let maximumBytes = 1 << 20

    private let limit: Int
    /// The beginning of a line whose end has not come.
    private var rest: [UInt8] = []
    /// The line's place in the input, from 1.
    private var number: UInt64 = 1
    private var isContinued = false

    /// - Parameter limit: At least 4.
    init(limit: Int = LineCutter.maximumBytes) { self.limit = limit }

    /// - Parameters:
    ///   - bytes: What comes next; nothing at the end of the input.
    ///   - lines: Gets the lines and pieces that are complete now.
    /// - Returns: The places of the lines that turned out to be too long.
    mutating func take(_ bytes: [UInt8], _ lines: inout [Line]) -> [UInt64] {
        let isAtEnd = bytes.isEmpty
        var tooLong: [UInt64] = [], start = 0, searched = rest.count
        rest += bytes
        while true {
            let newline = rest[searched...].firstIndex(of: 0x0A)
            let end = newline ?? rest.endIndex
            // A carriage return belongs to the ending, or may turn out to.
            let full = end > start && rest[end - 1] == 0x0D ? end - 1 : end
            while full - start > limit {
                if !isContinued { tooLong.append(number) }
                let cut = endOfPiece(from: start)
                lines.append(Line(bytes: rest[start..<cut], isContinued: isContinued))
                start = cut
                isContinued = true
            }
            searched = end
            guard newline != nil || isAtEnd else { break }
            if full > start { lines.append(Line(bytes: rest[start..<full], isContinued: isContinued)) }
            isContinued = false
            number += 1
            start = min(end + 1, rest.endIndex)
            searched = start
            if newline == nil { break }
        }
        // What was cut off shares its memory: the rest gets some of its own.
        if start > 0 { rest = Array(rest[start...]) }
        return tooLong
    }

    private func endOfPiece(from start: Int) -> Int {
        let end = start + limit
        // A character has four bytes at most; what has no beginning among them is no UTF-8, and has no better place.
        return (0..<4).map { end - $0 }.first { rest[$0] & 0xC0 != 0x80 } ?? end
    }
}
