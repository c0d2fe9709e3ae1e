/// Cuts a stream of bytes into lines, however the bytes arrive.
///
/// A line ends at `\n`; a `\r` before it belongs to the ending. A last line without an ending counts. A line longer than
/// ``maximumLineBytes`` comes in pieces that, put together, are the line.
public struct LineSplitter: Sendable {
    /// One line, or a piece of a very long one.
    public struct Line: Sendable, Equatable {
        /// Without the ending.
        public var bytes: [UInt8]
        /// True when this goes on with the line whose beginning came before.
        public var isContinued: Bool

        public init(_ bytes: [UInt8], isContinued: Bool = false) {
            self.bytes = bytes
            self.isContinued = isContinued
        }
    }

    /// Bytes of a piece at most, at least 16. Pieces end between characters where the text is UTF-8.
    public let maximumLineBytes: Int
    private var pending: [UInt8] = []
    private var continues = false

    public init(maximumLineBytes: Int = 64 << 10) {
        precondition(maximumLineBytes >= 16, "LineSplitter.maximumLineBytes must be at least 16")
        self.maximumLineBytes = maximumLineBytes
    }

    /// Takes the next bytes of the stream and gives every line that they complete.
    public mutating func take(_ bytes: some RandomAccessCollection<UInt8>, _ body: (Line) -> Void) {
        var rest = bytes[...]
        while let newline = rest.firstIndex(of: 0x0A) {
            pending.append(contentsOf: rest[..<newline])
            if pending.last == 0x0D { pending.removeLast() }
            cutPieces(body)
            emit(pending.count, body)
            continues = false
            rest = rest[rest.index(after: newline)...]
        }
        pending.append(contentsOf: rest)
        cutPieces(body)
    }

    /// The stream is over: gives the last line when it has no ending.
    public mutating func finish(_ body: (Line) -> Void) {
        if !pending.isEmpty { emit(pending.count, body) }
        continues = false
    }

    private mutating func emit(_ count: Int, _ body: (Line) -> Void) {
        body(Line(Array(pending[..<count]), isContinued: continues))
        pending.removeFirst(count)
    }

    private mutating func cutPieces(_ body: (Line) -> Void) {
        // A carriage return that may yet turn out to be half of an ending is not counted.
        while pending.count - (pending.last == 0x0D ? 1 : 0) > maximumLineBytes {
            var end = maximumLineBytes
            while end > maximumLineBytes - 4, pending[end] & 0xC0 == 0x80 { end -= 1 }
            if pending[end] & 0xC0 == 0x80 { end = maximumLineBytes }   // no UTF-8, so there is no better place
            emit(end, body)
            continues = true
        }
    }
}
