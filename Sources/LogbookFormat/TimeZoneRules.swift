/// When a zone's clocks are how far from UTC.
struct TimeZoneRules: Sendable, Equatable {
    /// Seconds since 1970, ascending: from each on, the offset beside it holds.
    let changes: [Int64]
    /// Seconds east of UTC, one for each change.
    let offsets: [Int32]
    /// Before the first change.
    let firstOffset: Int32
    /// After the last change, for ever; nil where that stays as the last change left it.
    let recurring: RecurringOffsets?

    func offset(atSecond second: Int64) -> Int {
        if let recurring, second >= changes.last ?? .min { return recurring.offset(atSecond: second) }
        let count = changesUntil(second)
        return Int(count == 0 ? firstOffset : offsets[count - 1])
    }

    /// The first second after this one from which another rule holds, if only by name; nil when there is none.
    func change(after second: Int64) -> Int64? {
        let count = changesUntil(second)
        return count < changes.count ? changes[count] : recurring?.change(after: second)
    }

    /// How many changes are not after a second.
    private func changesUntil(_ second: Int64) -> Int {
        var low = 0
        var high = changes.count
        while low < high {
            let middle = (low + high) / 2
            if changes[middle] <= second { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
