/// Text that the program holds in its image for ever.
@usableFromInline
package struct StaticText: @unchecked Sendable {
    @usableFromInline package let start: UnsafePointer<UInt8>
    @usableFromInline package let count: Int

    /// Nil for the rare literal that is a lone scalar and lies nowhere.
    @inline(__always)
    init?(_ literal: StaticString) {
        guard literal.hasPointerRepresentation else { return nil }
        start = literal.utf8Start
        count = literal.utf8CodeUnitCount
    }

    init(start: UnsafePointer<UInt8>, count: Int) {
        self.start = start
        self.count = count
    }

    static var empty: StaticText {
        let nothing: StaticString = ""
        return StaticText(start: nothing.utf8Start, count: 0)
    }

    @inlinable
    @inline(__always)
    package var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: count) }
    var string: String { String(decoding: bytes, as: UTF8.self) }
}
