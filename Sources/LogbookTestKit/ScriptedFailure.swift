/// The failure that scripted fakes throw.
public struct ScriptedFailure: Error, Equatable, CustomStringConvertible {
    public let description: String
    public init(_ description: String = "as the script says") { self.description = description }
}
