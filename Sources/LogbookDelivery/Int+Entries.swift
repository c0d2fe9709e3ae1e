extension Int {
    /// So many entries, in words: `1 entry`, `2 entries`.
    package var inEntries: String { self == 1 ? "1 entry" : "\(self) entries" }
}
