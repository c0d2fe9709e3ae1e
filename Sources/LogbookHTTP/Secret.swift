/// A token or password: usable where it is needed, and printed nowhere.
public struct Secret: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The value itself: only for the place that puts it on the wire.
    public let revealed: String
    public init(_ value: String) { revealed = value }
    public init(stringLiteral value: String) { revealed = value }
    public var description: String { "***" }
    public var debugDescription: String { "***" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
