/// Where in the program an event was said.
public struct LogSource: Sendable, Hashable {
    private enum Place: Sendable {
        case literal(file: StaticText, function: StaticText)
        case text(file: String, function: String)
    }
    private let place: Place

    /// The line, from 1; 0 when it is not known.
    public let line: UInt32

    /// A place in this program; the literals cost nothing until a format asks for them.
    public init(file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line) {
        if let file = StaticText(file), let function = StaticText(function) {
            place = .literal(file: file, function: function)
        } else {
            place = .text(file: file.description, function: function.description)
        }
        self.line = line
    }

    /// The same place, as a record kept it.
    init(file: StaticText, function: StaticText, line: UInt32) {
        place = .literal(file: file, function: function)
        self.line = line
    }

    /// A place that was read from somewhere, such as a log file.
    public init(fileNamed file: String, functionNamed function: String = "", line: UInt32 = 0) {
        place = .text(file: file, function: function)
        self.line = line
    }

    /// Nothing is known about the place.
    public static let unknown = LogSource(fileNamed: "")

    /// The literals of a place in this program, for formats that take bytes and make no strings; nil for one that was read.
    package var literals: (file: StaticText, function: StaticText)? {
        if case .literal(let file, let function) = place { (file, function) } else { nil }
    }

    /// Whether this is ``unknown``.
    package var isUnknown: Bool {
        guard line == 0 else { return false }
        switch place {
        case .literal(let file, let function): return file.count == 0 && function.count == 0
        case .text(let file, let function): return file.isEmpty && function.isEmpty
        }
    }

    /// `Module/File.swift` for an event of this program.
    public var file: String {
        switch place {
        case .literal(let file, _): file.string
        case .text(let file, _): file
        }
    }

    /// `name(label:)`; empty when it is not known.
    public var function: String {
        switch place {
        case .literal(_, let function): function.string
        case .text(_, let function): function
        }
    }

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

    /// The bytes of ``file``, without making a string.
    func withFileUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        switch place {
        case .literal(let file, _): return body(file.bytes)
        case .text(var file, _): return file.withUTF8(body)
        }
    }

    private func withFunctionUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        switch place {
        case .literal(_, let function): return body(function.bytes)
        case .text(_, var function): return function.withUTF8(body)
        }
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
