/// A key as members are told apart by it: as Swift compares texts, so `é` in one scalar and in two is one key. So are other texts that
/// strangers write and that are looked up.
///
/// Long keys are compared by their bytes. To compare texts as Unicode does takes time with the square of their length where somebody means
/// it to, and a collector reads the keys of strangers.
@usableFromInline
struct MetadataKey: Hashable, Sendable {
    /// UTF-8 bytes of what is not long.
    static let shortBytes = 128

    private let text: String

    init(_ text: String) { self.text = text }

    static func areEqual(_ left: String, _ right: String) -> Bool {
        let areShort = left.utf8.count <= shortBytes && right.utf8.count <= shortBytes
        return areShort ? left == right : left.isSameText(as: right)
    }

    @usableFromInline
    static func == (left: MetadataKey, right: MetadataKey) -> Bool { areEqual(left.text, right.text) }

    @usableFromInline
    func hash(into hasher: inout Hasher) {
        if text.utf8.count <= Self.shortBytes { return hasher.combine(text) }
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
