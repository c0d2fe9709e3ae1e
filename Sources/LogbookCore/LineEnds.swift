#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

extension UnsafeRawBufferPointer {
    /// Where the next newline stands; nil when none follows.
    package func newline(from start: Int) -> Int? {
        guard let base = baseAddress, start < count else { return nil }
        return memchr(base + start, 0x0A, count - start).map { UnsafeRawPointer($0) - base }
    }
}
