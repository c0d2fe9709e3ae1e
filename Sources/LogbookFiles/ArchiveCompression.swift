/// How archives are compressed once they are closed. `LogbookCompression` has ``gzip``; this room alone needs no library for it.
public struct ArchiveCompression: Sendable, Hashable {
    /// What a compressed archive's name ends with: `.gz`.
    package let suffix: String
    /// What HTTP calls it: `gzip`.
    package let encoding: String
    private let makeCompressing: @Sendable () throws -> any StreamCodec
    private let makeInflating: @Sendable () throws -> any StreamCodec

    package init(
        suffix: String, encoding: String, compressing: @escaping @Sendable () throws -> any StreamCodec,
        inflating: @escaping @Sendable () throws -> any StreamCodec
    ) {
        self.suffix = suffix
        self.encoding = encoding
        makeCompressing = compressing
        makeInflating = inflating
    }

    package func compressing() throws -> any StreamCodec { try makeCompressing() }
    package func inflating() throws -> any StreamCodec { try makeInflating() }

    public static func == (left: ArchiveCompression, right: ArchiveCompression) -> Bool { left.suffix == right.suffix }
    public func hash(into hasher: inout Hasher) { hasher.combine(suffix) }
}

/// Turns bytes into others piece by piece.
package protocol StreamCodec {
    /// - Parameters:
    ///   - isLast: Nothing follows.
    ///   - output: Called with what has come out so far; the bytes are its only during the call.
    func take(
        _ bytes: UnsafeRawBufferPointer, isLast: Bool, _ output: (UnsafeRawBufferPointer) throws -> Void
    ) throws
}
