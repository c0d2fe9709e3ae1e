// HOT PATH — most texts of a line are too short for a call.

/// Copies a text that is short most of the time.
@inlinable
@inline(__always)
package func copyBytes(_ count: Int, from source: UnsafePointer<UInt8>, to target: UnsafeMutablePointer<UInt8>) {
    let source = UnsafeRawPointer(source), target = UnsafeMutableRawPointer(target)
    if count > 32 {
        target.copyMemory(from: source, byteCount: count)
    } else if count >= 16 {
        copyEnds(SIMD16<UInt8>.self, 16, count, source, target)
    } else if count >= 8 {
        copyEnds(UInt64.self, 8, count, source, target)
    } else if count >= 4 {
        copyEnds(UInt32.self, 4, count, source, target)
    } else {
        for offset in 0..<count {
            target.storeBytes(of: source.load(fromByteOffset: offset, as: UInt8.self), toByteOffset: offset, as: UInt8.self)
        }
    }
}

/// The same for one that is often somewhat longer.
@inlinable
@inline(__always)
package func copyText(_ count: Int, from source: UnsafePointer<UInt8>, to target: UnsafeMutablePointer<UInt8>) {
    if count > 32, count <= 64 {
        copyEnds(SIMD32<UInt8>.self, 32, count, source, target)
    } else {
        copyBytes(count, from: source, to: target)
    }
}

/// The first bytes and the last, which may overlap.
@inlinable
@inline(__always)
package func copyEnds<Word: BitwiseCopyable>(
    _: Word.Type, _ size: Int, _ count: Int, _ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer
) {
    let first = source.loadUnaligned(as: Word.self), last = source.loadUnaligned(fromByteOffset: count - size, as: Word.self)
    target.storeBytes(of: first, as: Word.self)
    target.storeBytes(of: last, toByteOffset: count - size, as: Word.self)
}

/// Copies words, eight at a time.
/// - Parameters:
///   - source: Can be read up to the next multiple of eight words.
///   - target: Has room up to there.
@inline(__always)
func copyWords(_ count: Int, from source: UnsafePointer<UInt64>, to target: UnsafeMutablePointer<UInt64>) {
    if count <= 0 { return }
    copyEightWords(from: source, to: target)
    var place = 8
    while _slowPath(place < count) {
        copyEightWords(from: source + place, to: target + place)
        place &+= 8
    }
}

@inline(__always)
private func copyEightWords(from source: UnsafePointer<UInt64>, to target: UnsafeMutablePointer<UInt64>) {
    let words = UnsafeRawPointer(source).loadUnaligned(as: SIMD8<UInt64>.self)
    UnsafeMutableRawPointer(target).storeBytes(of: words, as: SIMD8<UInt64>.self)
}
