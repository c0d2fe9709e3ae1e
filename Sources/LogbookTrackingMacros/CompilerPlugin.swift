internal import LogbookTrackingExpansion
internal import LogbookTrackingSyntax

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The macro plug-in: a program that the compiler starts and asks, over standard input and output, what an attribute expands to.
///
/// Each message is its length, eight bytes little-endian, and that much JSON. This is the protocol that every macro built with
/// swift-syntax speaks, spoken here without it: swift-syntax costs a user twelve minutes of processor time in a release build.
@main
struct CompilerPlugin {
    private let input: Int32
    private let output: Int32
    private var conversation = Conversation()

    static func main() {
        // The streams belong to the protocol; whatever else is printed goes to standard error.
        var plugin = CompilerPlugin(input: dup(0), output: dup(1))
        close(0)
        dup2(2, 1)
        plugin.answerUntilTheEnd()
    }

    private init(input: Int32, output: Int32) {
        self.input = input
        self.output = output
    }

    private mutating func answerUntilTheEnd() {
        while let length = receive(8) {
            let count = length.enumerated().reduce(0) { $0 | Int($1.element) << (8 * $1.offset) }
            guard let bytes = receive(count), let message = try? PositionedJSONReader.read(bytes) else { return }
            guard send(conversation.answer(to: message)) else { return }
        }
    }

    private func receive(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count), filled = 0
        while filled < count {
            let result = bytes.withUnsafeMutableBytes { read(input, $0.baseAddress! + filled, count - filled) }
            if result <= 0 { return nil }
            filled += result
        }
        return bytes
    }

    private func send(_ text: String) -> Bool {
        let body = Array(text.utf8)
        var message = (0..<8).map { UInt8(truncatingIfNeeded: body.count >> (8 * $0)) }
        message.append(contentsOf: body)
        var written = 0
        while written < message.count {
            let result = message.withUnsafeBytes { write(output, $0.baseAddress! + written, $0.count - written) }
            if result <= 0 { return false }
            written += result
        }
        return true
    }
}
