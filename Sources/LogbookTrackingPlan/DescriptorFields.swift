#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Takes apart the literals that the macro plug-in writes, whose parts are separated by characters of control. Field by field and
/// without memory of its own: a thousand of them are read when a program starts.
package struct DescriptorFields {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let separator: UInt8
    /// Where the next field begins; nil behind the last one.
    private var start: Int? = 0

    package init(_ bytes: UnsafeBufferPointer<UInt8>, separatedBy separator: UInt8) {
        self.bytes = bytes
        self.separator = separator
    }

    package mutating func next() -> UnsafeBufferPointer<UInt8>? {
        guard let start else { return nil }
        var end = bytes.count
        if let base = bytes.baseAddress, let found = memchr(base + start, Int32(separator), end - start) {
            end = UnsafeRawPointer(base).distance(to: found)
        }
        self.start = end < bytes.count ? end + 1 : nil
        return UnsafeBufferPointer(rebasing: bytes[start..<end])
    }

    package mutating func nextText() -> String? { next().map { String(decoding: $0, as: UTF8.self) } }
}
