/// Where in the program an event was said.
public struct LogSource: Sendable, Hashable {
    /// A place that was read.
    private final class Text: Sendable {
        let file: String
        let function: String

        init(file: String, function: String) {
            self.file = file
            self.function = function
        }
    }
    // Sources are copied with every event: three words that nobody counts, and one reference, which is nearly always nil.
    private let literalFile: StaticText
    private let literalFunction: StaticText
    /// Nil for a place in this program.
    private let text: Text?

    /// The line, from 1; 0 when it is not known.
    public let line: UInt32

    /// A place in this program; the literals cost nothing until a format asks for them.
    public init(file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line) {
        if let file = StaticText(file), let function = StaticText(function) {
            self.init(file: file, function: function, line: line)
        } else {
            self.init(fileNamed: file.description, functionNamed: function.description, line: line)
        }
    }

    /// The same place, as a record kept it.
    init(file: StaticText, function: StaticText, line: UInt32) {
        (literalFile, literalFunction, text) = (file, function, nil)
        self.line = line
    }

    /// A place that was read from somewhere, such as a log file.
    public init(fileNamed file: String, functionNamed function: String = "", line: UInt32 = 0) {
        (literalFile, literalFunction, text) = (.empty, .empty, Text(file: file, function: function))
        self.line = line
    }

    /// Nothing is known about the place.
    public static let unknown = LogSource(fileNamed: "")

    /// The literals of a place in this program, for formats that take bytes and make no strings; nil for one that was read.
    package var literals: (file: StaticText, function: StaticText)? {
        text == nil ? (literalFile, literalFunction) : nil
    }

    /// What a place that was read holds in memory; literals of the program hold nothing.
    @inline(__always)
    var heldBytes: Int { text.map { $0.file.utf8.count + $0.function.utf8.count } ?? 0 }

    /// Whether this is ``unknown``.
    package var isUnknown: Bool {
        guard line == 0 else { return false }
        guard let text else { return literalFile.count == 0 && literalFunction.count == 0 }
        return text.file.isEmpty && text.function.isEmpty
    }

    /// `Module/File.swift` for an event of this program.
    public var file: String { text?.file ?? literalFile.string }

    /// `name(label:)`; empty when it is not known.
    public var function: String { text?.function ?? literalFunction.string }

    /// The part of ``file`` after the last slash: `File.swift`.
    public var fileName: Substring {
        let file = file
        return file[(file.lastIndex(of: "/").map(file.index(after:)) ?? file.startIndex)...]
    }

    /// The part of ``file`` before the first slash: the module; empty when there is none.
    public var module: Substring {
        let file = file
        return file.firstIndex(of: "/").map { file[..<$0] } ?? ""
    }

    /// The bytes of ``file``, and those of ``function``, without making a string.
    func withFileUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        guard var file = text?.file else { return body(literalFile.bytes) }
        return file.withUTF8(body)
    }

    func withFunctionUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        guard var function = text?.function else { return body(literalFunction.bytes) }
        return function.withUTF8(body)
    }

    public static func == (left: LogSource, right: LogSource) -> Bool {
        left.line == right.line
            && left.withFileUTF8 { left in right.withFileUTF8 { right in left.elementsEqual(right) } }
            && left.withFunctionUTF8 { left in right.withFunctionUTF8 { right in left.elementsEqual(right) } }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(line)
        withFileUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
