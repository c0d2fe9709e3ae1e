/// Anything that takes lines of text: the smallest thing to write for a destination of one's own.
public protocol FileWriter: Sendable {
    /// Takes one line, without its newline. Several threads may call at the same time.
    func write(_ line: String)
}
