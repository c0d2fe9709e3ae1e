internal import CLogbookSystem
public import LogbookCore

/// Which lines of a log are shown.
public struct TailFilter: Sendable {
    /// The lowest level shown; nil for every line. A line that is no event goes with the event before it, whose message it may
    /// continue; one that has none before it is shown, as are all lines of a log in a layout of one's own.
    public var level: LogLevel?
    /// What a line must hold, byte for byte; empty for anything.
    public var text: String

    public init(level: LogLevel? = nil, text: String = "") {
        self.level = level
        self.text = text
    }

    /// Calls `body` with each line that holds the text, its newline included.
    func forEachLine(holding text: [UInt8], in lines: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
        var start = 0
        while start < lines.count {
            var from = start
            if !text.isEmpty {
                let found = logbook_find(lines.baseAddress! + start, lines.count - start, text, text.count)
                guard let found else { return }
                let offset = UnsafeRawPointer(found) - lines.baseAddress!
                from = lines[start..<offset].lastIndex(of: 0x0A).map { $0 + 1 } ?? start
            }
            let end = lines.newline(from: from).map { $0 + 1 } ?? lines.count
            // A text with a newline in it is on no line.
            if text.isEmpty || end - from >= text.count { body(UnsafeRawBufferPointer(rebasing: lines[from..<end])) }
            start = end
        }
    }
}
