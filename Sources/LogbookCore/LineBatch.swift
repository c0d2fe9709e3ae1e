/// Whole lines that somebody else holds: to be read while the call lasts that was given them.
@usableFromInline
package struct LineBatch {
    @usableFromInline package let bytes: UnsafeBufferPointer<UInt8>
    /// Offsets behind each line's newline, in order; the last is the length of ``bytes``.
    @usableFromInline package let ends: UnsafeBufferPointer<Int>
    /// When each line's event was said; empty where nobody knows.
    @usableFromInline package let times: UnsafeBufferPointer<LogTime>

    package var count: Int { ends.count }

    @inlinable
    package init(bytes: UnsafeBufferPointer<UInt8>, ends: UnsafeBufferPointer<Int>, times: UnsafeBufferPointer<LogTime>) {
        (self.bytes, self.ends, self.times) = (bytes, ends, times)
    }

    /// So many lines at the beginning.
    package func prefix(_ count: Int) -> LineBatch {
        LineBatch(
            bytes: UnsafeBufferPointer(rebasing: bytes[..<(count == 0 ? 0 : ends[count - 1])]),
            ends: UnsafeBufferPointer(rebasing: ends[..<count]), times: UnsafeBufferPointer(rebasing: times.prefix(count)))
    }

    /// Lends lines that lie in arrays.
    @inlinable
    @inline(__always)
    package static func lending<Result, Failure: Error>(
        _ bytes: [UInt8], ends: [Int], times: [LogTime] = [], to body: (LineBatch) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try bytes.withUnsafeBufferPointer { bytes throws(Failure) in
            try ends.withUnsafeBufferPointer { ends throws(Failure) in
                try times.withUnsafeBufferPointer { times throws(Failure) in
                    try body(LineBatch(bytes: bytes, ends: ends, times: times))
                }
            }
        }
    }
}
