/// Memory of lines that were written, for those that come: memory that was given back to the system comes back page by page.
final class LinePool: Sendable {
    /// 64 KiB each, kept for good once a queue has filled.
    static let maximumKept = 8
    private let kept = Locked<[[UInt8]]>([])

    /// Empty, with room for so many bytes.
    func take(room: Int) -> [UInt8] {
        if let bytes = kept.withLock({ $0.popLast() }) { return bytes }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(room)
        return bytes
    }

    func give(_ bytes: consuming [UInt8]) {
        bytes.removeAll(keepingCapacity: true)
        let bytes = bytes
        kept.withLock { if $0.count < Self.maximumKept { $0.append(bytes) } }
    }
}
