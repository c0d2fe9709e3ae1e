/// The forms of a transaction set on the wire.
public enum TransactionSetVersion: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// The original form: whole seconds, no keys.
    case v0_0_1 = "0.0.1"
    /// The original form, plus who, which variant, program, session and installation it was, each entry's key, and its time and
    /// its offset in microseconds.
    case v0_0_2 = "0.0.2"

    public var description: String { rawValue }
}
