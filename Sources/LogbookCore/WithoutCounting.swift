// HOT PATH — where references are counted for nothing, atomically.

/// Looks at a value that somebody else holds during the call, without counting the references in it: its bits are taken for a value
/// that is never given up.
@inline(__always)
func withoutCounting<Value, Result>(_ place: UnsafePointer<Value>, _ body: (Value) -> Result) -> Result {
    withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { room in
        let bits = room.baseAddress!
        UnsafeMutableRawPointer(bits).copyMemory(from: place, byteCount: MemoryLayout<Value>.size)
        let lent = bits.move()
        defer { bits.initialize(to: lent) }
        return body(lent)
    }
}

extension String {
    /// Its bytes, during the call.
    @inline(__always)
    func lendingUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        utf8.withContiguousStorageIfAvailable(body) ?? copyingUTF8(body)
    }

    /// For text that comes from elsewhere, such as a bridged `NSString`. Apart from the other, so that the usual case counts no
    /// reference to the text.
    @inline(never)
    private func copyingUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        Array(utf8).withUnsafeBufferPointer(body)
    }
}
