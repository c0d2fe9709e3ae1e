#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A text that is the same only byte for byte: Swift's strings hold `é` and `e` with an accent for equal.
struct ByteText: Hashable {
    let text: String

    static func == (left: ByteText, right: ByteText) -> Bool {
        var (left, right) = (left.text, right.text)
        return left.withUTF8 { left in
            right.withUTF8 { right in
                left.count == right.count && (left.isEmpty || memcmp(left.baseAddress!, right.baseAddress!, left.count) == 0)
            }
        }
    }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension String {
    func isSame(as other: String) -> Bool { ByteText(text: self) == ByteText(text: other) }
}
