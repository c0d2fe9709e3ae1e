public import LogbookCore

/// Reads lines of which it is not known in which of our formats they are: a file may hold several, after its configuration
/// has changed.
public struct LogLineReader: Sendable {
    /// The formats of this library that can be told from each other.
    public enum Kind: Sendable, Hashable, CaseIterable {
        case text, article, jsonLines, logfmt, ecs

        /// Whether a layout may begin its lines like that.
        fileprivate var isText: Bool {
            switch self {
            case .text, .article, .logfmt: true
            case .jsonLines, .ecs: false
            }
        }
    }

    private let text: TextFormat
    private let article: TextFormat

    /// - Parameters:
    ///   - text: What text lines were written with: a time stamp of one's own, or a layout. A line that fits is read so, also when it
    ///     begins like one of another format, unless that is JSON.
    ///   - article: The date pattern of lines in the style of the article.
    public init(text: TextFormat = .standard(), article: DatePattern = .article) {
        self.text = text
        self.article = .article(date: article)
    }

    /// Which format the line is in, by how it begins. Text with a time stamp of one's own or in a layout is not recognised, or
    /// taken for what it begins like.
    /// - Returns: Nil for a line of none of them. A line that is recognised may still be damaged further on.
    public static func kind(of line: [UInt8]) -> Kind? {
        var scanner = LineScanner(line: line)
        switch scanner.current {
        case 0x7B:
            if scanner.skip(#"{"time":"#.utf8) { return .jsonLines }
            if scanner.skip(#"{"@timestamp":"#.utf8) { return .ecs }
            // What passed the line on may have sorted the members.
            guard let document = try? JSONValue.parse(line, limits: .line) else { return nil }
            if document["@timestamp"] != nil { return .ecs }
            return document["time"] != nil && document["level"] != nil ? .jsonLines : nil
        case 0x5B:
            _ = scanner.skip(0x5B)
            return scanner.word(of: LogLevel.symbolBytes) != nil && scanner.skip(0x20) ? .article : nil
        case 0x74: return scanner.skip("time=".utf8) ? .logfmt : nil
        case .some(0x30...0x39):
            guard ISO8601.time(from: &scanner) != nil, scanner.skip(0x20) else { return nil }
            return scanner.word(of: LogLevel.nameBytes) != nil && scanner.skip(0x20) ? .text : nil
        default: return nil
        }
    }

    /// Reads a line in the format that it is in. What no other format recognises is read as ``init(text:article:)`` says.
    public func event(from line: [UInt8]) throws(LogLineError) -> LogEvent {
        let kind = Self.kind(of: line)
        if text.isOfOnesOwn, kind?.isText == true, let event = try? text.event(from: line) { return event }
        switch kind {
        case .jsonLines: return try JSONLineFormat().event(from: line)
        case .ecs: return try ECSFormat().event(from: line)
        case .logfmt: return try LogfmtFormat().event(from: line)
        case .article: return try article.event(from: line)
        case .text: return try TextFormat.standard().event(from: line)
        case nil:
            do { return try text.event(from: line) } catch { throw .unrecognised }
        }
    }
}
