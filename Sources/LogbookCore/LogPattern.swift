/// Names of modules and categories, told by their beginning: `net` covers `net`, `net.http` and everything else below `net`.
///
/// Names are cut at their dots. A pattern covers a name when its parts match the name's first parts; in a part, `*` stands for
/// any run of characters: `Logbook*` covers the module `LogbookFiles`, `*.http` covers `net.http`. Upper and lower case differ.
/// `net.*` says the same as `net`, and `*` alone covers every name, also a missing one.
public struct LogPattern: Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The pattern as it was written.
    public let text: String
    private let parts: [[UInt8]]

    /// Nil unless the text is made of parts, with a dot between two, that are not empty and hold neither white space nor control
    /// characters nor any of `,` `=` `"`.
    public init?(_ text: String) {
        let forbidden: Set<UInt8> = [0x2C, 0x3D, 0x22, 0x7F]
        guard text.utf8.allSatisfy({ $0 > 0x20 && !forbidden.contains($0) }) else { return nil }
        var parts = text.utf8.split(separator: Self.dot, omittingEmptySubsequences: false).map(Array.init)
        guard parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        while parts.last == [Self.star] { parts.removeLast() }
        self.text = text
        self.parts = parts
    }

    /// - Precondition: The text is a pattern; use ``init(_:)-(String)`` for a text that is not written in the program.
    public init(stringLiteral text: String) {
        guard let pattern = LogPattern(text) else {
            fatalError("\"\(text)\" is not a pattern of names such as \"net\", \"net.http\" or \"Logbook*\"")
        }
        self = pattern
    }

    public var description: String { text }

    /// More parts are more specific; among as many, more characters that are not `*`.
    struct Specificity: Comparable {
        let parts: Int, characters: Int
        static func < (left: Specificity, right: Specificity) -> Bool {
            (left.parts, left.characters) < (right.parts, right.characters)
        }
    }
    var specificity: Specificity {
        Specificity(parts: parts.count, characters: parts.joined().count { $0 != Self.star })
    }

    public func matches(_ name: String) -> Bool {
        var name = name
        return name.withUTF8(matches)
    }

    func matches(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        var start = 0
        for part in parts {
            guard start < name.count else { return false }
            let end = name[start...].firstIndex(of: Self.dot) ?? name.count
            guard Self.matches(part, UnsafeBufferPointer(rebasing: name[start..<end])) else { return false }
            start = end + 1
        }
        return true
    }

    private static let dot = UInt8(ascii: "."), star = UInt8(ascii: "*")

    /// Linear but for the last star: after a mismatch only what that star stands for grows.
    private static func matches(_ part: [UInt8], _ name: UnsafeBufferPointer<UInt8>) -> Bool {
        var at = 0, position = 0
        var retry: (part: Int, name: Int)?
        while position < name.count {
            if at < part.count, part[at] == star {
                retry = (at + 1, position)
                at += 1
            } else if at < part.count, part[at] == name[position] {
                at += 1
                position += 1
            } else if let last = retry {
                retry = (last.part, last.name + 1)
                (at, position) = (last.part, last.name + 1)
            } else {
                return false
            }
        }
        return part[at...].allSatisfy { $0 == star }
    }
}

extension LogPattern: Hashable {
    /// Two patterns are the same when they cover the same names: `net` and `net.*`.
    public static func == (left: LogPattern, right: LogPattern) -> Bool { left.parts == right.parts }
    public func hash(into hasher: inout Hasher) { hasher.combine(parts) }
}
