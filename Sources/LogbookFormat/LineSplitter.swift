internal import LogbookCore

/// Cuts a stream of bytes into lines, however the bytes arrive. It holds the beginning of one line at most, and looks at each byte once.
///
/// A line ends at `\n`; a `\r` before it belongs to the ending. A last line without an ending counts. A line longer than
/// ``maximumLineBytes`` comes in pieces that, put together, are the line.
package struct LineSplitter: Sendable {
    /// One line, or a piece of a very long one.
    package struct Line: Sendable, Equatable {
        /// Without the ending. No piece is empty.
        package let bytes: [UInt8]
        /// The line's place in the stream, from 1; empty lines have places too.
        package let number: UInt64
        /// True when this goes on with the line whose beginning came before.
        package let isContinued: Bool
        /// True when more of the line is to come.
        package let goesOn: Bool
    }

    /// Bytes of a piece at most, at least 4. Pieces end between characters where the text is UTF-8.
    package let maximumLineBytes: Int
    private var pending: [UInt8] = []
    private var number: UInt64 = 1
    private var continues = false

    package init(maximumLineBytes: Int = 64 << 10) {
        requireValid(maximumLineBytes >= 4, "LineSplitter.maximumLineBytes must be at least 4")
        self.maximumLineBytes = maximumLineBytes
    }

    /// Takes the next bytes of the stream and gives every line, and every piece of one, that they complete.
    package mutating func take(_ bytes: ArraySlice<UInt8>, _ body: (Line) -> Void) {
        var rest = bytes
        while let newline = rest.firstIndex(of: 0x0A) {
            pending.append(contentsOf: rest[..<newline])
            if pending.last == 0x0D { pending.removeLast() }
            emitLine(body)
            number += 1
            rest = rest[(newline + 1)...]
        }
        pending.append(contentsOf: rest)
        // A carriage return that may yet turn out to be half of an ending is not counted.
        cutPieces(besides: pending.last == 0x0D ? 1 : 0, body)
    }

    /// The stream is over: gives the last line when it has no ending.
    /// - Parameter droppingReturn: A `\r` at the very end is half of an ending, and no part of the line.
    package mutating func finish(droppingReturn: Bool = false, _ body: (Line) -> Void) {
        if droppingReturn, pending.last == 0x0D { pending.removeLast() }
        if !pending.isEmpty { emitLine(body) }
    }

    /// All that is pending is the line, or the end of it.
    private mutating func emitLine(_ body: (Line) -> Void) {
        cutPieces(body)
        emit(pending.count, goesOn: false, body)
    }

    private mutating func emit(_ count: Int, goesOn: Bool, _ body: (Line) -> Void) {
        // An array of all that a slice has would be `pending` itself, with the room of the longest line that ever came.
        let bytes = pending.withUnsafeBufferPointer { Array(UnsafeBufferPointer(rebasing: $0[..<count])) }
        body(Line(bytes: bytes, number: number, isContinued: continues, goesOn: goesOn))
        pending.removeFirst(count)
        continues = goesOn
    }

    /// - Parameter uncounted: So many of the last bytes may be no part of the line.
    private mutating func cutPieces(besides uncounted: Int = 0, _ body: (Line) -> Void) {
        while pending.count - uncounted > maximumLineBytes { emit(endOfPiece, goesOn: true, body) }
    }

    private var endOfPiece: Int {
        // A character has four bytes at most; what has no beginning among them is no UTF-8, and has no better place.
        (0..<4).map { maximumLineBytes - $0 }.first { pending[$0] & 0xC0 != 0x80 } ?? maximumLineBytes
    }
}
