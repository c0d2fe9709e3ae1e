/// Memory of lines that were written, for those that come: memory that was given back to the system comes back page by page.
final class LinePool: Sendable {
    /// Some 300 KiB each, kept for good once a queue has filled.
    static let maximumKept = 5
    private let kept = Locked<[LineStorage]>([])

    deinit { kept.withLock { for storage in $0 { storage.deallocate() } } }

    /// Without lines; nil when there is none.
    func take() -> LineStorage? { kept.withLock { $0.popLast() } }

    /// Keeps it, or lets it go.
    func give(_ storage: consuming LineStorage) {
        storage.removeAll()
        let storage = storage
        let isKept = kept.withLock { kept in
            // One that had to grow is not kept: it would be held for ever by lines of a common length.
            guard kept.count < Self.maximumKept, storage.capacity == LineMemory.keptCapacity else { return false }
            kept.append(storage)
            return true
        }
        if !isKept { storage.deallocate() }
    }
}
