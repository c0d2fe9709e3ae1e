#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

extension String {
    /// Whether both are the same bytes. Swift also takes those for equal that only look alike, such as `é` in one scalar and in two.
    package func isSameText(as other: String) -> Bool {
        let areSame = other.utf8.withContiguousStorageIfAvailable { isSameText(as: $0) }
        return areSame ?? utf8.elementsEqual(other.utf8)
    }

    /// The same for the bytes of a text.
    func isSameText(as others: UnsafeBufferPointer<UInt8>) -> Bool {
        let areSame = utf8.withContiguousStorageIfAvailable { bytes in
            guard bytes.count == others.count, let start = bytes.baseAddress, let other = others.baseAddress else {
                return bytes.count == others.count
            }
            return memcmp(start, other, bytes.count) == 0
        }
        return areSame ?? utf8.elementsEqual(others)
    }
}
