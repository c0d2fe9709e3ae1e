#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A call to the operating system that failed.
package struct SystemError: Error, Equatable, CustomStringConvertible {
    package let number: Int32
    /// The call as the manual names it: `openat`.
    package let call: String

    package init(_ number: Int32, in call: String) {
        self.number = number
        self.call = call
    }

    /// Whether the next file may fare better: not where there are no descriptors left, or no memory.
    package var isAboutOneFile: Bool { ![EMFILE, ENFILE, ENOMEM].contains(number) }

    /// `write: No space left on device (errno 28)`.
    package var description: String { "\(call): \(SystemError.text(of: number))" }

    /// `No space left on device (errno 28)`.
    package static func text(of number: Int32) -> String {
        guard let text = strerror(number) else { return "errno \(number)" }
        return "\(String(cString: text)) (errno \(number))"
    }
}
